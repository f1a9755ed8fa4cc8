const thousands = new Intl.NumberFormat('en-GB')

/** A count with thousands separators: "61,000". */
export function countText(count: number): string {
  return thousands.format(count)
}

/** A count and its noun, "1 build" or "4,200 builds". */
export function countOf(count: number, noun: string, plural = `${noun}s`): string {
  return `${countText(count)} ${count === 1 ? noun : plural}`
}

/** Whole per cent of a total, "0%" of nothing; a small part is never rounded down to none, nor a large one up to all. */
export function shareText(part: number, total: number): string {
  const percent = total === 0 ? 0 : (100 * part) / total
  if (percent > 99 && percent < 100) return '> 99%'
  return percent > 0 && percent < 1 ? '< 1%' : `${Math.round(percent)}%`
}
