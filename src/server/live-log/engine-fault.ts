/**
 * What a server's error means, as a part of a sentence. Never the server's own words, which may hold
 * what was sent to it: known codes, else the code itself.
 */
export function faultOf(error: unknown): string {
  const message = error instanceof Error ? error.message : ''
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const name = code === '' ? (/^[A-Z]{2,20}\b/.exec(message)?.[0] ?? '') : code
  const known = faults.find(([codes]) => codes.includes(name))
  if (known !== undefined) return known[1]
  if (/time(?:d? ?)out|timeout/i.test(message)) return 'no answer'
  if (/terminated|closed|ended|connection/i.test(message)) return 'the connection was lost'
  return /^[\w-]{2,40}$/.test(name) ? `error ${name}` : 'an unknown error'
}

/** Codes of Node, of PostgreSQL (appendix A of its manual) and the first words of Redis's errors. */
const faults: readonly (readonly [codes: readonly string[], meaning: string])[] = [
  [['ECONNREFUSED'], 'connection refused'],
  [['ENOTFOUND', 'EAI_AGAIN'], 'host not found'],
  [['ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'], 'no answer'],
  [['ECONNRESET', 'EPIPE', '57P01', '57P02', '08006', '08003'], 'the connection was lost'],
  [['57P03', 'LOADING'], 'it is starting'],
  [['28P01', '28000', 'WRONGPASS', 'NOAUTH'], 'wrong user or password'],
  [['3D000'], 'database not found'],
  [['42501', 'NOPERM'], 'the user lacks a permission there'],
  [['25006', 'READONLY'], 'it is read-only'],
  [['53100', 'MISCONF'], 'its disk is full'],
  [['53200', 'OOM'], 'its memory is full'],
  [['53300'], 'it has too many connections'],
]
