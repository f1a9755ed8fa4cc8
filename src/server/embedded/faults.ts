/** What goes wrong on purpose, in tests and for practice. */
export type Fault = {
  /** Only for paths that begin so; absent for all. */
  readonly prefix?: string
  /** Only for that many requests; absent for every one. */
  readonly times?: number
} & (
  | { readonly kind: 'cut'; readonly afterBytes: number }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'silence' }
  | { readonly kind: 'slow'; readonly bytesPerSecond: number }
)

/** Faults, or every mistake in the text as a sentence. */
export type ParsedFaults =
  | { readonly ok: true; readonly faults: readonly Fault[] }
  | { readonly ok: false; readonly mistakes: readonly string[] }

/**
 * Reads faults as an environment variable carries them, separated by commas: `cut-after=2000`
 * (bytes of a body), `status=503`, `silence` (headers, then nothing), `slow=10/s` (bytes per
 * second). `x3` behind one limits it to three requests, `@/path` to paths that begin so:
 * `status=503x3@/api,silence@/build-export/v2`.
 */
export function parseFaults(text: string): ParsedFaults {
  const items = text.split(',').map((item) => item.trim())
  const parsed = items.filter((item) => item !== '').map(parseFault)
  const mistakes = parsed.filter((item) => typeof item === 'string')
  return mistakes.length > 0
    ? { ok: false, mistakes }
    : { ok: true, faults: parsed.filter((item) => typeof item !== 'string') }
}

function parseFault(item: string): Fault | string {
  const at = item.indexOf('@')
  const prefix = at === -1 ? undefined : item.slice(at + 1)
  const [rule = '', count] = (at === -1 ? item : item.slice(0, at)).split('x')
  const [name = '', value = ''] = rule.split('=')
  if (prefix?.startsWith('/') === false) return `${item}: a path begins with a slash.`
  if (count !== undefined && !isCount(count)) return `${item}: "${count}" is no number of requests.`
  const limits = {
    ...(prefix === undefined ? {} : { prefix }),
    ...(count === undefined ? {} : { times: Number(count) }),
  }
  switch (name) {
    case 'silence':
      return { ...limits, kind: 'silence' }
    case 'cut-after':
      return isCount(value)
        ? { ...limits, kind: 'cut', afterBytes: Number(value) }
        : `${item}: cut-after needs a number of bytes, such as cut-after=2000.`
    case 'status':
      return isCount(value) && Number(value) >= 400 && Number(value) <= 599
        ? { ...limits, kind: 'status', status: Number(value) }
        : `${item}: status needs an HTTP status from 400 to 599, such as status=503.`
    case 'slow':
      return value.endsWith('/s') && isCount(value.slice(0, -2))
        ? { ...limits, kind: 'slow', bytesPerSecond: Number(value.slice(0, -2)) }
        : `${item}: slow needs bytes per second, such as slow=10/s.`
    default:
      return `${item}: the faults are cut-after, status, silence and slow.`
  }
}

function isCount(text: string): boolean {
  return String(Number(text)) === text && Number.isSafeInteger(Number(text)) && Number(text) > 0
}
