/**
 * How long ago something was, in one unit: "just now", "8 s ago", "2 min ago", "3 h ago", "12 d
 * ago". `ageMs` may be negative, as clocks differ between machines; that is "just now", too.
 */
export function agoText(ageMs: number): string {
  const seconds = Math.floor(ageMs / 1000)
  if (seconds < 5) return 'just now'
  if (seconds < 60) return `${seconds} s ago`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ago`
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} d ago`
}
