import type { Facts } from '../protocol/facts.ts'
import { mergedFacts } from './merged-facts.ts'

/** The newest builds of a tile, at most 50 of them. A build may stand in both lists. */
export interface TileBuilds {
  /** Whose outcome is known, the newest first: kept whatever else arrives. */
  readonly finished: readonly Facts[]
  /** The newest of all, finished or not, the newest first. */
  readonly newest: readonly Facts[]
}

const keptFinished = 40
const keptNewest = 10

/** Of a tile that no build has matched yet. */
export const noBuilds: TileBuilds = { finished: [], newest: [] }

/**
 * The builds with one more, or with more known of one. The very same object where that changes
 * nothing. The order of arrival does not matter; time and room are bounded.
 */
export function addBuild(builds: TileBuilds, facts: Facts): TileBuilds {
  const newest = withBuild(builds.newest, facts, keptNewest)
  const known = newest.find(({ buildId }) => buildId === facts.buildId) ?? facts
  const finished = isFinished(known)
    ? withBuild(builds.finished, known, keptFinished)
    : builds.finished
  return newest === builds.newest && finished === builds.finished ? builds : { newest, finished }
}

/** Whether it is known how a build ended. */
function isFinished({ outcome }: Facts): boolean {
  return outcome === 'succeeded' || outcome === 'failed'
}

/** Whether a build comes before another where the newest are first. */
export function isNewer(one: Facts, other: Facts): boolean {
  return one.receivedAt === other.receivedAt
    ? one.buildId > other.buildId
    : one.receivedAt > other.receivedAt
}

function withBuild(list: readonly Facts[], facts: Facts, most: number): readonly Facts[] {
  const oldest = list.at(-1)
  const isFull = list.length >= most && oldest !== undefined
  // Where many builds arrive, most of them come too late for a tile: checked first, as it is cheap.
  if (isFull && facts.buildId !== oldest.buildId && !isNewer(facts, oldest)) return list
  const index = list.findIndex(({ buildId }) => buildId === facts.buildId)
  const before = list[index]
  if (before !== undefined) {
    const merged = moreKnown(before, facts)
    return merged === before ? list : list.with(index, merged)
  }
  const at = list.findIndex((other) => isNewer(facts, other))
  return (at === -1 ? [...list, facts] : list.toSpliced(at, 0, facts)).slice(0, most)
}

/** What is known stays; what becomes known is added. A build without news is the same object. */
function moreKnown(before: Facts, more: Facts): Facts {
  if (before === more) return before
  const merged = mergedFacts(before, more)
  if (merged === undefined || isSame(before, merged)) return before
  const { fields = {}, ...others } = merged
  return Object.keys(fields).length === 0 ? others : merged
}

function isSame(before: Facts, merged: Facts): boolean {
  const known = Object.entries(before.fields ?? {}).length
  return (
    known === Object.keys(merged.fields ?? {}).length &&
    keysOf(before).length === keysOf(merged).length
  )
}

/** Keys whose value is known; `fields` are counted apart. */
function keysOf(facts: Facts): string[] {
  return Object.entries(facts).flatMap(([key, value]) =>
    value === undefined || key === 'fields' ? [] : [key],
  )
}
