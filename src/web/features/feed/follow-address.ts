/** A query as an address has it. */
export interface FollowedQuery {
  readonly text: string
  /** The IANA zone in which its times without a zone are read, where it has any. */
  readonly zone: string | undefined
}

/** Reads the query that an address follows: `?q=…&zone=…`; undefined where it follows none. */
export function followFromAddress(search: URLSearchParams): FollowedQuery | undefined {
  const text = search.get('q') ?? ''
  if (text.trim() === '') return undefined
  const zone = search.get('zone') ?? undefined
  return { text, zone: zone !== undefined && isZone(zone) ? zone : undefined }
}

/** Writes a query into an address, of which everything else is kept. */
export function followToAddress(
  followed: FollowedQuery | undefined,
  search: URLSearchParams,
): URLSearchParams {
  const next = new URLSearchParams(search)
  next.delete('q')
  next.delete('zone')
  if (followed !== undefined) next.set('q', followed.text)
  if (followed?.zone !== undefined) next.set('zone', followed.zone)
  return next
}

/** Whether this browser knows a zone of that name. */
function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
