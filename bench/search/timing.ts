const rounds = Number(process.env.BENCH_ROUNDS ?? 2000)

/** The median time of one call in µs, after a warm-up; cheap ones many times, slow ones for a second. */
export function medianMicroseconds(work: () => unknown, atMost = rounds): number {
  const end = performance.now() + 3000
  for (let round = 0; round < atMost / 2 && performance.now() < end - 2000; round++) work()
  const times: number[] = []
  for (let round = 0; round < atMost && (round < 5 || performance.now() < end); round++) {
    const start = performance.now()
    work()
    times.push(performance.now() - start)
  }
  times.sort((a, b) => a - b)
  return (times[Math.floor(times.length / 2)] ?? NaN) * 1000
}
