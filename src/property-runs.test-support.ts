/**
 * How much of it tests of properties try: all with FC_RUNS=1 (`npm run test:deep`), by default a
 * tenth each time, at random.
 */
const share = Number(process.env.FC_RUNS ?? 0.1)
const fewest = 20

/** How often a property is tried that deserves `all` runs. */
export function runs(all: number): number {
  return Math.min(all, Math.max(fewest, Math.ceil(all * share)))
}

/** The positions from 0 to `last` to be tried: every one, or in even steps from a random one on. */
export function positions(last: number): number[] {
  const step = Math.max(1, Math.floor((last + 1) / runs(last + 1)))
  const first = Math.floor(Math.random() * step)
  const count = Math.ceil((last + 1 - first) / step)
  return Array.from({ length: count }, (_, index) => first + index * step)
}
