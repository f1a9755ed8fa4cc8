import {
  type FieldReading,
  readRepositoryUrl,
  readSha256,
} from '../../../protocol/package-artifact.ts'
import { readPackageReference } from '../../../protocol/package-reference.ts'
import { check } from '../../../search/check.ts'
import { parse } from '../../../search/parse.ts'
import { toApiQuery } from '../../../search/to-api.ts'
import type { PublishQuestion } from '../../data/publish/publish-run.ts'
import { countOf } from '../../../protocol/count.ts'
import { momentsIn } from '../../ui/query-editor/moments-in.ts'
import { buildIdMistake } from './build-ids.ts'
import type { PublishDraft } from './publish-address.ts'

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
                ? '1 entry is no build id: remove it.'
                : `${countOf(wrongIds, 'entry is', 'entries are')} no build ids: remove them.`,
          }),
      ...(wrongQueries === 0
        ? {}
        : {
            queries: `${countOf(wrongQueries, 'query has', 'queries have')} errors: nothing is sent before they are gone.`,
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

/**
 * The draft after the package was named otherwise: what the reference says of its digest and
 * repository is filled in, where they are empty or were filled in by the reference before.
 */
export function withReference(draft: PublishDraft, reference: string): PublishDraft {
  const before = toldBy(draft.reference)
  const now = toldBy(reference)
  const next = (name: 'sha256' | 'repositoryUrl'): string =>
    draft[name] === '' || draft[name] === before[name] ? (now[name] ?? '') : draft[name]
  return { ...draft, reference, sha256: next('sha256'), repositoryUrl: next('repositoryUrl') }
}

function toldBy(reference: string): Partial<Record<'sha256' | 'repositoryUrl', string>> {
  const read = readPackageReference(reference)
  return read.ok ? read.reference : {}
}

function mistakeOf(part: DraftPart, read: FieldReading): DraftMistakes {
  return read.ok ? {} : { [part]: read.mistake }
}
