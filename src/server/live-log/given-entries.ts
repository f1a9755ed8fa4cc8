import { z } from 'zod'
import type { LiveGap } from '../../protocol/live-feed.ts'
import {
  beginning,
  type Entry,
  type NumberedEntry,
  type Position,
  type StoredRow,
} from './live-log.ts'

/** What the reader of this process was given, so that it is given the rest and nothing twice. */
export interface GivenEntries {
  /** Where to read on. */
  readonly position: () => Position
  /** What of these rows, which follow the position, is new to the reader. */
  readonly take: (rows: readonly StoredRow[]) => NumberedEntry[]
  /** The entry at the position is gone, or another one: everything that is kept is looked through. */
  readonly startOver: () => void
  /** Whether the entry at a position was given or left out for a reason. */
  readonly has: (position: Position) => boolean
  /** A build that was given so long ago that it was surely given everywhere. */
  readonly buildGivenEverywhere: () => string | undefined
}

/**
 * Nothing was given so far. The log may lose entries and number others anew (an engine that was
 * restored, emptied or replaced): reading goes on behind the last entry that both have, and builds
 * that come again are left out (docs/design.md#live-log). `onUnknown` is told of every entry that
 * can't be read.
 */
export function createGivenEntries(onUnknown: (kind: string) => void): GivenEntries {
  /** The newest number of each term. */
  const terms = new Map<string, number>()
  const builds = new Set<string>()
  let position = beginning
  let newestBuild: string | undefined
  let isStartingOver = false

  const has = ({ number, term }: Position): boolean =>
    number === 0 || (terms.get(term) ?? 0) >= number

  const remember = ({ number, term }: StoredRow): void => {
    if (!terms.has(term) && terms.size >= rememberedTerms) forgetOldest(terms)
    terms.set(term, number)
  }

  const isNewBuild = (id: string): boolean => {
    if (builds.has(id)) return false
    if (builds.size >= rememberedBuilds) forgetOldest(builds)
    builds.add(id)
    newestBuild = id
    return true
  }

  /** What was trimmed while nothing could be read is lost to this reader. */
  const gapBefore = (row: StoredRow): NumberedEntry[] => {
    if (newestBuild === undefined || row.number === 1) return []
    const gap: LiveGap = { from: newestBuild, oldest: null }
    return [{ number: row.number - 1, entry: { kind: 'gap', json: JSON.stringify(gap) } }]
  }

  return {
    position: () => position,
    has,
    startOver: () => {
      position = beginning
      isStartingOver = true
    },
    take: (rows) => {
      const added: NumberedEntry[] = []
      for (const row of rows) {
        const isFirst = isStartingOver && position.number === 0
        position = { number: row.number, term: row.term }
        if (has(row)) continue
        if (isFirst) added.push(...gapBefore(row))
        isStartingOver = false
        remember(row)
        const entry = readEntry(row)
        if (entry === undefined) onUnknown(row.kind)
        else if (entry.kind !== 'build' || isNewBuild(entry.id)) {
          added.push({ number: row.number, entry })
        }
      }
      return added
    },
    buildGivenEverywhere: () => {
      let ago = Math.max(0, builds.size - buildsBehind)
      for (const id of builds) if (ago-- === 0) return id
      return undefined
    },
  }
}

const StoredEntry = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('build'),
    id: z.string().min(1),
    timestamp: z.number(),
    json: z.string(),
  }),
  z.object({ kind: z.literal('facts'), id: z.string().min(1), json: z.string() }),
  z.object({ kind: z.literal('gap'), json: z.string() }),
])

function readEntry(row: StoredRow): Entry | undefined {
  const entry = StoredEntry.safeParse(row).data
  return entry !== undefined && isJsonObject(entry.json) ? entry : undefined
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}

function forgetOldest<K>(known: Map<K, unknown> | Set<K>): void {
  for (const key of known.keys()) {
    known.delete(key)
    return
  }
}

/** More builds than the newest entries of a log are. */
const rememberedBuilds = 50_000
/** A term ends when a process does, as a rule. */
const rememberedTerms = 1000
/** Ten seconds at the highest rate that Sightline is made for: no process is further behind. */
const buildsBehind = 1000
