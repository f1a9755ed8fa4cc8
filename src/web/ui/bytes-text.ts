const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** An amount of bytes in the unit that suits it: "812 bytes", "4.1 MB", "210 MB". */
export function bytesText(bytes: number): string {
  let amount = bytes
  let unit = 0
  while (amount >= 999.5 && unit < units.length - 1) {
    amount /= 1000
    unit += 1
  }
  const digits = unit === 0 || amount >= 99.95 ? 0 : 1
  return `${amount.toFixed(digits)} ${units[unit] ?? ''}`
}
