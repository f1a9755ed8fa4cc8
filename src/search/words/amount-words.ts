/** A duration in words: `5 min 30 s`. Exact; units from days to ms. */
export function durationWords(ms: number): string {
  if (ms === 0) return '0 s'
  const parts: string[] = []
  let rest = ms
  for (const [unit, size, plural] of durationUnits) {
    const count = size === 1 ? rest : Math.floor(rest / size)
    if (count === 0) continue
    rest -= count * size
    parts.push(`${amountText(count)} ${count === 1 ? unit : plural}`)
  }
  return parts.join(' ')
}

/** A length of time as one says how far back to look: `24 hours`, `7 days`, `90 minutes`. */
export function distanceWords(ms: number): string {
  for (const [unit, size, least] of distanceUnits) {
    const count = ms / size
    if (count >= least && count < 1000 && Number.isInteger(count)) {
      return `${amountText(count)} ${unit}${count === 1 ? '' : 's'}`
    }
  }
  return durationWords(ms)
}

/** A number of bytes in the largest unit that is exact, or in full: `2 GiB`, `512 kB`. */
export function sizeWords(bytes: number): string {
  for (const [unit, size] of sizeUnits) {
    const count = bytes / size
    if (count >= 1 && Number.isInteger(count * 10)) return `${amountText(count)} ${unit}`
  }
  return `${amountText(bytes)} bytes`
}

/** A number without rounding. */
export function amountText(amount: number): string {
  return String(amount)
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const durationUnits = [
  ['day', day, 'days'],
  ['h', hour, 'h'],
  ['min', minute, 'min'],
  ['s', second, 's'],
  ['ms', 1, 'ms'],
] as const

/** One day is 24 hours: nobody takes that for "since midnight". */
const distanceUnits = [
  ['day', day, 2],
  ['hour', hour, 1],
  ['minute', minute, 1],
  ['second', second, 1],
] as const

const sizeUnits = [
  ['TiB', 1024 ** 4],
  ['TB', 1000 ** 4],
  ['GiB', 1024 ** 3],
  ['GB', 1000 ** 3],
  ['MiB', 1024 ** 2],
  ['MB', 1000 ** 2],
  ['KiB', 1024],
  ['kB', 1000],
] as const
