import { check } from '../../search/check.ts'
import { wordEdits } from '../../search/assist/word-conditions.ts'
import { applyEdits } from '../../search/diagnostic.ts'
import { parse } from '../../search/parse.ts'
import { isBuildId } from '../../protocol/build-message.ts'
import type { FeedRow, FeedSnapshot } from '../data/live/feed-state.ts'
import { type Findable, type Found, rank, tierOf } from './palette-rank.ts'

/** The headings of the palette, in the order in which they stand where several fit alike. */
export const kinds = [
  'Recent',
  'Builds',
  'Pages',
  'Boards',
  'Walls',
  'Saved queries',
  'Query history',
  'Projects',
  'Packages',
  'Policy scans',
  'Tests',
  'Settings and actions',
] as const
export type Kind = (typeof kinds)[number]

/** Something that can be chosen: a place with an address, or an action. */
export interface Entry extends Findable {
  readonly kind: Kind
  /** What it is. */
  readonly note: string
  /** The keys that do the same. */
  readonly keys?: string
  /** Its address here; made when it is needed, as there may be ten thousand of them. */
  readonly to?: () => string
  readonly run?: () => void
}

/** Entries of one kind, the best first. */
export interface Group {
  readonly kind: Kind
  readonly found: readonly Found<Entry>[]
}

const most = { typed: 6, untyped: 4 }
/** Kinds of which there may be thousands: what is listed before anything was typed says nothing. */
const isLong: ReadonlySet<Kind> = new Set([
  'Builds',
  'Query history',
  'Projects',
  'Packages',
  'Policy scans',
  'Tests',
])

/**
 * What fits what was typed, by kind: the kind with the best fit first, and of those that fit alike in the order of
 * `kinds`. With nothing typed what was opened
 * last, and of the short lists their beginnings. `recent` (newest first) stands by itself, and nowhere else.
 */
export function groupsOf(
  entries: readonly Entry[],
  typed: string,
  recent: readonly Entry[],
): readonly Group[] {
  const text = typed.trim()
  const isTyped = text !== ''
  const byKind = new Map<Kind, Entry[]>(kinds.map((kind) => [kind, []]))
  for (const entry of entries) byKind.get(entry.kind)?.push(entry)
  const last = rank(recent, text, isTyped ? 3 : most.typed)
  // By its address: a label may stand for a project and for a board, and a note may change.
  const isShown = new Set(last.map(({ entry }) => entry.to?.()))
  const groups = kinds
    .filter((kind) => kind !== 'Recent' && (isTyped || !isLong.has(kind)))
    .map((kind): Group => {
      const all = byKind.get(kind) ?? []
      // Pages are few, and the way to learn their keys.
      const limit = isTyped ? most.typed : kind === 'Pages' ? all.length : most.untyped
      const found = rank(
        all,
        text,
        limit + last.length,
        recent.map(({ label }) => label),
      )
      return {
        kind,
        found: found
          .filter(({ entry: { to } }) => to === undefined || !isShown.has(to()))
          .slice(0, limit),
      }
    })
  const all = [{ kind: 'Recent' as const, found: last }, ...groups]
  const fitOf = ({ found: [best] }: Group): number => (best === undefined ? 0 : tierOf(best.fit))
  const sorted = isTyped ? all.toSorted((a, b) => fitOf(b) - fitOf(a)) : all
  return sorted.filter(({ found }) => found.length > 0)
}

/**
 * The query that what was typed may mean: itself where it is one, and otherwise its words as conditions, by
 * what `values` of the data are known. Undefined where nothing can be made of it.
 */
export function meantQuery(
  typed: string,
  values?: (field: string) => readonly { readonly value: string; readonly count: number }[],
): string | undefined {
  const text = typed.trim()
  if (text === '') return undefined
  if (isQuery(text)) return text
  // A field that there is not was a mistake: no words.
  if (/(?:^|\s)[\w.]+:\S/.test(text)) return undefined
  const edits = wordEdits(
    text,
    { from: 0, to: text.length },
    values === undefined ? {} : { values },
    { fields: new Set(), before: false, behind: false },
  )
  const query = edits.length === 0 ? text : applyEdits(text, edits)
  return isQuery(query) ? query : undefined
}

function isQuery(text: string): boolean {
  const query = parse(text)
  return query.root !== undefined && check(query).every(({ severity }) => severity !== 'error')
}

/** The build that is named by its id, or by the address of its page here or on the build server. */
export function namedBuild(typed: string): string | undefined {
  const text = typed.trim()
  const ofPage = /\/(?:s|builds)\/([\w.~-]{13})(?:[/?#]|$)/.exec(text)?.[1]
  const id = ofPage ?? text
  // Words have 13 letters, too; ids of the build servers have no capitals.
  return isBuildId(id) && (ofPage !== undefined || id === id.toLowerCase()) ? id : undefined
}

const mostBuilds = 8

/** The newest builds of the feed whose id contains what was typed; from three characters on. */
export function findBuilds(
  feed: Pick<FeedSnapshot, 'oldest' | 'newest' | 'row'>,
  typed: string,
): readonly FeedRow[] {
  const part = (namedBuild(typed) ?? typed.trim()).toLowerCase()
  const found: FeedRow[] = []
  if (part.length < 3) return found
  for (let arrival = feed.newest; arrival >= feed.oldest && found.length < mostBuilds; arrival--) {
    const row = feed.row(arrival)
    if (row?.build.buildId.toLowerCase().includes(part)) found.push(row)
  }
  return found
}

/** The projects of the feed with how many of its builds they have, those with most first. */
export function projectsOf(
  feed: Pick<FeedSnapshot, 'oldest' | 'newest' | 'row'>,
): readonly { readonly value: string; readonly count: number }[] {
  const counts = new Map<string, number>()
  for (let arrival = feed.newest; arrival >= feed.oldest; arrival--) {
    const project = feed.row(arrival)?.facts?.project
    if (typeof project === 'string') counts.set(project, (counts.get(project) ?? 0) + 1)
  }
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count)
}
