/**
 * The wait that a Retry-After header asks for, in ms from `now` (epoch ms), or undefined where the
 * header is absent or unreadable. Both forms of RFC 9110 section 10.2.3 are read; a date in the
 * past is no wait.
 */
export function retryAfterMs(header: string | null | undefined, now: number): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  // Date.parse also reads bare numbers and ISO forms, which the header does not have.
  if (!/^[A-Z][a-z]+,? /.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
