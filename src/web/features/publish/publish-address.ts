import { buildsInLink } from '../../domain/package/publish-link.ts'

/** What the page is to publish, as its address says it and as it is being written. */
export interface PublishDraft {
  /** Ids of builds; also what is none, so that it can be marked. */
  readonly builds: readonly string[]
  /** Queries as they were typed; an empty one is being written. */
  readonly queries: readonly string[]
  /** The IANA zone of times in queries that have none; undefined where nobody said. */
  readonly zone: string | undefined
  /** What names the package: a package URL, an image, Maven coordinates or an address. */
  readonly reference: string
  readonly sha256: string
  readonly repositoryUrl: string
}

/** Where the page is: the part that goes to the server, and the part behind `#` that does not. */
export interface PublishAddress {
  readonly search: string
  readonly hash: string
}

/** Reads an address; what cannot be read is as if not said. */
export function readPublishAddress(address: PublishAddress): PublishDraft {
  const search = new URLSearchParams(address.search)
  const behind = new URLSearchParams(address.hash.replace(/^#/, ''))
  const ids = [...search.getAll('builds'), ...behind.getAll('builds')].flatMap((list) =>
    list.split(','),
  )
  const zone = search.get('zone') ?? undefined
  return {
    builds: [...new Set(ids.map((id) => id.trim()).filter((id) => id !== ''))],
    queries: search.getAll('query'),
    zone: zone !== undefined && isTimeZone(zone) ? zone : undefined,
    reference: search.get('package') ?? '',
    sha256: search.get('sha256') ?? '',
    repositoryUrl: search.get('repository') ?? '',
  }
}

/**
 * Writes what is not empty. What holds a user or password stays out of it: addresses are kept in
 * histories and logs.
 */
export function writePublishAddress(draft: PublishDraft): PublishAddress {
  const isPublic = (text: string): boolean => !hasUserInAddress(text)
  const { parameter, hash } = buildsInLink(draft.builds.filter(isPublic))
  const search = new URLSearchParams()
  const set = (name: string, text: string): void => {
    if (text.trim() !== '') search.append(name, text)
  }
  set('builds', parameter)
  for (const query of draft.queries) set('query', query)
  set('zone', draft.zone ?? '')
  if (isPublic(draft.reference)) set('package', draft.reference)
  set('sha256', draft.sha256)
  const isRepositoryPublic = isPublic(draft.repositoryUrl) && !draft.repositoryUrl.includes('@')
  if (isRepositoryPublic) set('repository', draft.repositoryUrl)
  const text = search.toString()
  return { search: text === '' ? '' : `?${text}`, hash }
}

/** Whether there is `://user@` in a text, percent-encoded or not, as in a package URL's qualifier. */
function hasUserInAddress(text: string): boolean {
  const plain = text.replace(/%(?:3a|2f|40)/gi, (code) => decodeURIComponent(code))
  return /:\/\/[^/?#]*@/.test(plain)
}

/** Whether `text` names a zone that this browser knows. */
function isTimeZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
