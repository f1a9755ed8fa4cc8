import { useCallback, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { countOf } from '../../../protocol/count.ts'
import {
  type FieldReading,
  publishPath,
  readRepositoryUrl,
  readSha256,
} from '../../../protocol/package-address.ts'
import { readPackageReference } from '../../../protocol/package-reference.ts'
import { check } from '../../../search/check.ts'
import { parse } from '../../../search/parse.ts'
import { toApiQuery } from '../../../search/to-api.ts'
import { publishBody, type PublishQuestion } from '../../data/publish/publisher.ts'
import { zoneParam } from '../../data/core/search-state.ts'
import { buildsInLink } from '../../domain/package/package-links.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { momentsIn } from '../../ui/query-editor/query-assistance.ts'
import { viewerZone } from '../../ui/format.ts'
import { buildIdMistake } from './build-ids.ts'

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
interface PublishAddress {
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
  return {
    builds: [...new Set(ids.map((id) => id.trim()).filter((id) => id !== ''))],
    queries: search.getAll('query'),
    zone: zoneParam('zone').read(search),
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

/** The parts of the page that can be wrong, in their order. */
export type DraftPart = 'builds' | 'queries' | 'reference' | 'sha256' | 'repositoryUrl'

/** What is wrong, by part: plain sentences. */
export type DraftMistakes = Readonly<Partial<Record<DraftPart, string>>>

/** Ready to be sent, or all that is wrong with it. */
export type DraftReading =
  | { readonly ok: true; readonly question: PublishQuestion }
  | { readonly ok: false; readonly mistakes: DraftMistakes }

/**
 * Reads the whole page, so that every mistake is told at once, each at its part. Times in queries that
 * have no zone are read in `timeZone`; empty queries are left out.
 */
export function readDraft(draft: PublishDraft, timeZone: string): DraftReading {
  const reference = readPackageReference(draft.reference)
  const sha256 = readSha256(draft.sha256)
  const repositoryUrl = readRepositoryUrl(draft.repositoryUrl)
  const queries = draft.queries.map(parse).filter(({ text }) => text.trim() !== '')
  const wrongIds = draft.builds.filter((id) => buildIdMistake(id) !== undefined).length
  const wrongQueries = queries.filter((query) =>
    check(query).some(({ severity }) => severity === 'error'),
  ).length
  const isSelectionRight = wrongIds + wrongQueries === 0
  if (reference.ok && sha256.ok && repositoryUrl.ok && isSelectionRight) {
    return {
      ok: true,
      question: {
        address: reference.reference.address,
        sha256: sha256.value,
        repositoryUrl: repositoryUrl.value,
        builds: draft.builds,
        queries: queries.map((query) => toApiQuery(query, { timeZone })),
      },
    }
  }
  return {
    ok: false,
    mistakes: {
      ...(wrongIds === 0
        ? {}
        : {
            builds:
              wrongIds === 1
                ? "1 entry isn't a build id. Remove it."
                : `${countOf(wrongIds, 'entry', 'entries')} aren't build ids. Remove them.`,
          }),
      ...(wrongQueries === 0
        ? {}
        : {
            queries: `${countOf(wrongQueries, 'query has', 'queries have')} errors. Fix them before publishing.`,
          }),
      ...(reference.ok ? {} : { reference: reference.mistake }),
      ...mistakeOf('sha256', sha256),
      ...mistakeOf('repositoryUrl', repositoryUrl),
    },
  }
}

/** Whether a query names times without a zone, so that a link to it needs one. */
export function needsZone(queries: readonly string[]): boolean {
  return queries.some((text) => momentsIn(parse(text)).some(({ type }) => type === 'local'))
}

function mistakeOf(part: DraftPart, read: FieldReading): DraftMistakes {
  return read.ok ? {} : { [part]: read.mistake }
}

/** What is being put together, and how it gets into the address. */
export interface PublishDraftState {
  readonly draft: PublishDraft
  /** The zone in which times without a zone are read. */
  readonly timeZone: string
  /** Shows the change at once; the address has it after the next `keep`. */
  readonly change: (draft: PublishDraft) => void
  /** Writes the draft, or this one, into the address. */
  readonly keep: (draft?: PublishDraft) => void
}

/**
 * The draft: what the address says, until something else is written here. The address follows when a
 * field is left, so that typing is no trouble to the browser's history.
 */
export function usePublishDraft(): PublishDraftState {
  const address = useLocation()
  const navigate = useNavigate()
  const text = textOf(address)
  const [draft, setDraft] = useState(() => readPublishAddress(address))
  const [seen, setSeen] = useState(text)
  const [kept, setKept] = useState(text)
  const timeZoneHere = viewerZone(usePreferences().zone)
  if (seen !== text) {
    setSeen(text)
    // Not what was written from here: a link, or a step back.
    if (kept !== text) setDraft(readPublishAddress(address))
  }
  const timeZone = draft.zone ?? timeZoneHere
  const keep = useCallback(
    (next: PublishDraft = draft) => {
      const zone = needsZone(next.queries) ? timeZone : undefined
      const to = writePublishAddress({ ...next, zone })
      setDraft(next)
      if (textOf(to) === text) return
      setKept(textOf(to))
      void navigate(to, { replace: true })
    },
    [draft, timeZone, text, navigate],
  )
  return { draft, timeZone, change: setDraft, keep }
}

/** One text for all spellings of an address, as a browser may write it otherwise than it was given. */
function textOf({ search, hash }: PublishAddress): string {
  return `${new URLSearchParams(search).toString()}${hash}`
}

/**
 * The same request for a shell, asked of the service itself: where the service is and what proves who
 * asks are variables, so that nothing secret is shown or copied.
 */
export function curlCommand(question: PublishQuestion): string {
  const lines = [
    'curl --fail-with-body --no-buffer --request POST',
    `"$GOVERNOR_URL"${quoted(publishPath(question.address))}`,
    '--header "Authorization: Bearer $GOVERNOR_TOKEN"',
    "--header 'Accept: application/x-ndjson'",
    "--header 'Content-Type: application/json'",
    `--data ${quoted(JSON.stringify(publishBody(question), null, 2))}`,
  ]
  return lines.join(' \\\n  ')
}

/** Between single quotes a shell reads nothing but the end of them. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
