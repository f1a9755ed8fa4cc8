import { useCallback, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import * as z from 'zod/mini'
import { countOf } from '../../../protocol/count.ts'
import { publishPath } from '../../../protocol/package-address.ts'
import { check } from '../../../search/check.ts'
import { parse } from '../../../search/parse.ts'
import { toApiQuery } from '../../../search/to-api.ts'
import { publishBody, type PublishQuestion } from '../../data/publish/publisher.ts'
import {
  type SearchParam,
  searchState,
  textParam,
  zoneParam,
} from '../../data/core/search-state.ts'
import { readPackageFields } from '../../domain/package/package-fields.tsx'
import { buildsInLink } from '../../domain/package/package-links.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { useDraftState } from '../../ui/drafts.ts'
import { momentsIn } from '../../ui/query-editor/query-assistance.ts'
import { viewerZone } from '../../ui/format.ts'
import { isBuildId } from '../../../protocol/build-message.ts'

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

/** The same, as it is kept while somebody signs in elsewhere. */
const KeptDraft = z.pipe(
  z.object({
    builds: z.array(z.string()),
    queries: z.array(z.string()),
    zone: z.optional(z.string()),
    reference: z.string(),
    sha256: z.string(),
    repositoryUrl: z.string(),
  }),
  z.transform((kept): PublishDraft => ({ ...kept, zone: kept.zone })),
)

/** Where the page is: the part that goes to the server, and the part behind `#` that does not. */
interface PublishAddress {
  readonly search: string
  readonly hash: string
}

/** What would put a user or password into histories and logs stays out of the address. */
function publicParam(name: string, isPublic: (text: string) => boolean): SearchParam<string> {
  return {
    ...textParam(name),
    write: (text) => [[name, text.trim() !== '' && isPublic(text) ? text : '']],
  }
}

const publishAddress = searchState<PublishDraft>({
  builds: {
    names: ['builds'],
    read: (search) => [
      ...new Set(
        search
          .getAll('builds')
          .flatMap((list) => list.split(','))
          .map((id) => id.trim())
          .filter((id) => id !== ''),
      ),
    ],
    write: (ids) => [['builds', buildsInLink(ids).parameter]],
  },
  queries: {
    names: ['query'],
    read: (search) => search.getAll('query'),
    write: (queries) =>
      queries.filter((text) => text.trim() !== '').map((text) => ['query', text] as const),
  },
  zone: zoneParam('zone'),
  reference: publicParam('package', (text) => !hasUserInAddress(text)),
  sha256: publicParam('sha256', () => true),
  repositoryUrl: publicParam(
    'repository',
    (text) => !hasUserInAddress(text) && !text.includes('@'),
  ),
})

/** Reads an address, in which many builds stand behind `#`; what cannot be read is as if absent. */
export function readPublishAddress({ search, hash }: PublishAddress): PublishDraft {
  const both = `${search.replace(/^\?/, '')}&${hash.replace(/^#/, '')}`
  return publishAddress.read(new URLSearchParams(both))
}

/** Writes what is not empty. */
export function writePublishAddress(draft: PublishDraft): PublishAddress {
  const builds = draft.builds.filter((id) => !hasUserInAddress(id))
  const text = publishAddress.write({ ...draft, builds }).toString()
  return { search: text === '' ? '' : `?${text}`, hash: buildsInLink(builds).hash }
}

/** Whether there is `://user@` in a text, percent-encoded or not, as in a package URL's qualifier. */
function hasUserInAddress(text: string): boolean {
  const plain = text.replace(/%(?:3a|2f|40)/gi, (code) => decodeURIComponent(code))
  return /:\/\/[^/?#]*@/.test(plain)
}

/** The parts of the page that can be wrong, in their order. */
type DraftPart = 'builds' | 'queries' | 'reference' | 'sha256' | 'repositoryUrl'

/** What is wrong, by part: plain sentences. */
export type DraftMistakes = Readonly<Partial<Record<DraftPart, string>>>

/** Ready to be sent, or all that is wrong with it. */
export type DraftReading =
  | { readonly ok: true; readonly question: PublishQuestion }
  | { readonly ok: false; readonly mistakes: DraftMistakes }

/**
 * Reads the whole page, so that every mistake is reported at once, each at its part. Times in queries
 * that have no zone are read in `timeZone`; empty queries are left out.
 */
export function readDraft(draft: PublishDraft, timeZone: string): DraftReading {
  const read = readPackageFields(draft)
  const queries = draft.queries.map(parse).filter(({ text }) => text.trim() !== '')
  const wrongIds = draft.builds.filter((id) => buildIdMistake(id) !== undefined).length
  const wrongQueries = queries.filter((query) =>
    check(query).some(({ severity }) => severity === 'error'),
  ).length
  if (read.ok && wrongIds + wrongQueries === 0) {
    const sent = queries.map((query) => toApiQuery(query, { timeZone }))
    const { address, artifact } = read
    return { ok: true, question: { address, ...artifact, builds: draft.builds, queries: sent } }
  }
  const builds =
    wrongIds === 1
      ? "1 entry isn't a build id. Remove it."
      : `${countOf(wrongIds, 'entry', 'entries')} aren't build ids. Remove them.`
  const wrong = `${countOf(wrongQueries, 'query has', 'queries have')} errors. Fix them before publishing.`
  return {
    ok: false,
    mistakes: {
      ...(wrongIds === 0 ? {} : { builds }),
      ...(wrongQueries === 0 ? {} : { queries: wrong }),
      ...(read.ok ? {} : read.mistakes),
    },
  }
}

/** Whether a query names times without a zone, so that a link to it needs one. */
export function needsZone(queries: readonly string[]): boolean {
  return queries.some((text) => momentsIn(parse(text)).some(({ type }) => type === 'local'))
}

/** What is being put together, and how it gets into the address. */
interface PublishDraftState {
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
  const [draft, setDraft] = useDraftState('publish', KeptDraft, () => readPublishAddress(address))
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
    [draft, timeZone, text, navigate, setDraft],
  )
  return { draft, timeZone, change: setDraft, keep }
}

/** One text for all spellings of an address, as a browser may write it otherwise than it was given. */
function textOf({ search, hash }: PublishAddress): string {
  return `${new URLSearchParams(search).toString()}${hash}`
}

/**
 * The same request for a shell, sent to the service itself: its URL and the credential are
 * variables, so that nothing secret is shown or copied.
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

/**
 * The builds that a pasted text names, each once: ids, or addresses of pages of builds, one a line or
 * separated by commas. What is no id stays as it was written, so that it can be marked.
 */
export function readBuildIds(text: string): readonly string[] {
  return [...new Set(namesIn(text))]
}

/** These builds, and those that a pasted text names, each once. */
export function withBuildIds(builds: readonly string[], text: string): readonly string[] {
  return text.trim() === '' ? builds : [...new Set([...builds, ...readBuildIds(text)])]
}

/** What came of adding a pasted text to these builds, in one sentence; '' for an empty text. */
export function addedText(builds: readonly string[], text: string): string {
  const named = namesIn(text)
  if (named.length === 0) return ''
  const fresh = [...new Set(named)].filter((id) => !builds.includes(id))
  const wrong = fresh.filter((id) => buildIdMistake(id) !== undefined).length
  const doubled = named.length - fresh.length
  return [
    `${countOf(fresh.length - wrong, 'build')} added`,
    ...(wrong === 0 ? [] : [countOf(wrong, "entry isn't a build id", "entries aren't build ids")]),
    ...(doubled === 0 ? [] : [`${countOf(doubled, 'duplicate')} skipped`]),
  ]
    .join(', ')
    .concat('.')
}

/** What is wrong with an id, in a plain sentence; undefined for a good one. */
export function buildIdMistake(id: string): string | undefined {
  if (isBuildId(id)) return undefined
  return id.length === 13
    ? 'A build id has letters and digits only.'
    : `A build id has 13 letters and digits; this one has ${id.length} characters.`
}

function namesIn(text: string): readonly string[] {
  return text
    .split(/[\s,;]+/)
    .filter((part) => part !== '')
    .map(idOf)
}

function idOf(part: string): string {
  const ofPage = /\/(?:s|builds)\/([\w.~-]{13})(?:[/?#]|$)/.exec(part)?.[1]
  return ofPage ?? part
}
