/**
 * Durations counted in bins that grow by 8 % each, so that histograms can be added up: a quantile read
 * from one is within 4 % of the exact one, for durations from 1 ms to about 100 days.
 */
export type DurationHistogram = Float64Array<ArrayBuffer>

const growth = 1.08
const binCount = 300

/** One without durations. */
export function emptyHistogram(): DurationHistogram {
  return new Float64Array(binCount)
}

/** In which bin a duration (ms) is counted: 0 has one of its own. */
export function binOf(ms: number): number {
  if (!(ms >= 1)) return 0
  return Math.min(binCount - 1, 1 + Math.floor(Math.log(ms) / Math.log(growth)))
}

/**
 * The duration that a share of the counted ones doesn't exceed, by nearest rank, ms; null where there
 * are none.
 */
export function histogramQuantile(histogram: DurationHistogram, share: number): number | null {
  const rank = Math.max(1, Math.ceil(share * histogram.reduce((sum, count) => sum + count, 0)))
  let before = 0
  for (const [bin, count] of histogram.entries()) {
    before += count
    if (before >= rank) return bin === 0 ? 0 : Math.round(10 * growth ** (bin - 0.5)) / 10
  }
  return null
}

/** Counts by bin as few bytes: of each bin that has any, how far it is from the one before, and its count. */
export function packBins(counts: Iterable<readonly [bin: number, count: number]>): Uint8Array {
  const bytes: number[] = []
  let last = 0
  for (const [bin, count] of [...counts].sort(([one], [other]) => one - other)) {
    if (count <= 0) continue
    writeNumber(bytes, bin - last)
    writeNumber(bytes, count)
    last = bin
  }
  return Uint8Array.from(bytes)
}

/** What was packed, bin by bin. */
export function eachBin(packed: Uint8Array, take: (bin: number, count: number) => void): void {
  let bin = 0
  let place = 0
  const next = (): number => {
    let byte = packed[place++] ?? 0
    if (byte < 128) return byte
    let value = byte - 128
    for (let factor = 128; byte >= 128; factor *= 128) {
      byte = packed[place++] ?? 0
      value += (byte % 128) * factor
    }
    return value
  }
  while (place < packed.length) {
    bin += next()
    take(bin, next())
  }
}

/** Adds packed counts to a histogram. */
export function addPacked(histogram: DurationHistogram, packed: Uint8Array): void {
  eachBin(packed, (bin, count) => {
    histogram[bin] = (histogram[bin] ?? 0) + count
  })
}

/** 7 bits to a byte, the lowest first. */
function writeNumber(bytes: number[], value: number): void {
  let rest = value
  while (rest >= 128) {
    bytes.push((rest % 128) + 128)
    rest = Math.floor(rest / 128)
  }
  bytes.push(rest)
}
