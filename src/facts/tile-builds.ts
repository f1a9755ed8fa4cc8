import type { Facts } from '../protocol/facts.ts'
import { mergedFacts } from './merged-facts.ts'
import { isMainline, originOf } from './tile-branch.ts'

/**
 * What is kept of a tile's builds, each list the newest first. A finished build may also be in `newest`. Beside the newest of
 * all, so many of each project and branch are kept (`keptOfLine`) that one that is rarely built stays as red as it is.
 */
export interface TileBuilds {
  /** Finished, on a branch that is usually the default one, or on none that is known. */
  readonly mainline: readonly Facts[]
  /** Finished, on other branches. */
  readonly branches: readonly Facts[]
  /** Finished, of pull requests and on people's own machines: however many, they displace no other. */
  readonly drafts: readonly Facts[]
  /** The newest of all, finished or not. */
  readonly newest: readonly Facts[]
}

/** How many of each kind are kept. */
const kept = { mainline: 60, branches: 60, drafts: 40, newest: 10 } as const
/** Of each project and branch at least these: so many successes end what was failing. */
export const keptOfLine = 12
/** Of so many projects and branches, those that were built last. */
const mostLines = 100
const finishedKinds = ['mainline', 'branches', 'drafts'] as const

/** Of a tile that no build has matched yet. */
export const noBuilds: TileBuilds = { mainline: [], branches: [], drafts: [], newest: [] }

/** Builds of these, in whatever order. */
export function tileBuildsOf(builds: Iterable<Facts>): TileBuilds {
  let tile = noBuilds
  for (const facts of builds) tile = addBuild(tile, facts)
  return tile
}

/**
 * The builds with one more, or with more known of one. The very same object where that changes
 * nothing. The order of arrival does not matter; time and room are bounded.
 */
export function addBuild(builds: TileBuilds, facts: Facts): TileBuilds {
  const newest = withBuild(builds.newest, facts, kept.newest)
  const known = newest.find(({ buildId }) => buildId === facts.buildId) ?? facts
  if (!isFinished(known)) return newest === builds.newest ? builds : { ...builds, newest }
  const before = finishedKinds.find((kind) =>
    builds[kind].some(({ buildId }) => buildId === facts.buildId),
  )
  const merged = before === undefined ? known : mergedWith(builds[before], known)
  const kind = kindOf(merged)
  const list = withFinished(builds[kind], merged, kept[kind])
  if (newest === builds.newest && list === builds[kind]) return builds
  const without =
    before === undefined || before === kind
      ? {}
      : { [before]: builds[before].filter(({ buildId }) => buildId !== facts.buildId) }
  return { ...builds, ...without, newest, [kind]: list }
}

/** The builds that `stays` lets through; the very same object where those are all. */
export function keepBuilds(builds: TileBuilds, stays: (facts: Facts) => boolean): TileBuilds {
  const { mainline, branches, drafts, newest } = builds
  if ([mainline, branches, drafts, newest].every((list) => list.every(stays))) return builds
  return {
    mainline: mainline.filter(stays),
    branches: branches.filter(stays),
    drafts: drafts.filter(stays),
    newest: newest.filter(stays),
  }
}

/** All finished builds that are kept, the newest first. */
export function finishedBuilds({ mainline, branches, drafts }: TileBuilds): readonly Facts[] {
  if (branches.length === 0 && drafts.length === 0) return mainline
  return [...mainline, ...branches, ...drafts].sort((a, b) => (isNewer(a, b) ? -1 : 1))
}

/** By the build alone: what was learned of others must not decide what is kept. */
function kindOf(facts: Facts): (typeof finishedKinds)[number] {
  const { branch, isLocal, isPullRequest } = originOf(facts)
  if (isLocal || isPullRequest) return 'drafts'
  return branch === undefined || isMainline(branch) ? 'mainline' : 'branches'
}

function mergedWith(list: readonly Facts[], facts: Facts): Facts {
  const before = list.find(({ buildId }) => buildId === facts.buildId)
  return before === undefined ? facts : moreKnown(before, facts)
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
  const next = inserted(list, facts)
  return next.length > most ? next.slice(0, most) : next
}

/** As `withBuild`, but keeps the newest of each project and branch as well. */
function withFinished(list: readonly Facts[], facts: Facts, most: number): readonly Facts[] {
  if (isTooOld(list, facts, most)) return list
  const next = inserted(list, facts)
  if (next === list || next.length <= most) return next
  const lines = new Map<string, number>()
  const trimmed = next.filter((build, index) => {
    const { line } = originOf(build)
    const newer = lines.get(line)
    if (newer !== undefined || lines.size < mostLines) lines.set(line, (newer ?? 0) + 1)
    return index < most || (newer ?? (lines.has(line) ? 0 : keptOfLine)) < keptOfLine
  })
  return trimmed.length === list.length && trimmed.every((build, index) => build === list[index])
    ? list
    : trimmed
}

/** Whether a build has no place in a full list: of a long history that holds for nearly all, so it is checked first. */
function isTooOld(list: readonly Facts[], facts: Facts, most: number): boolean {
  const last = list[most - 1]
  if (last === undefined || isNewer(facts, last)) return false
  const { line } = originOf(facts)
  let newer = 0
  for (const other of list) {
    if (other.buildId === facts.buildId) return false
    if (originOf(other).line === line && isNewer(other, facts)) newer += 1
  }
  return newer >= keptOfLine
}

/** The list with a build, or with more known of it; the very same where that is no news. */
function inserted(list: readonly Facts[], facts: Facts): readonly Facts[] {
  const index = list.findIndex(({ buildId }) => buildId === facts.buildId)
  const before = list[index]
  if (before !== undefined) {
    const merged = moreKnown(before, facts)
    return merged === before ? list : list.with(index, merged)
  }
  const at = list.findIndex((other) => isNewer(facts, other))
  return at === -1 ? [...list, facts] : list.toSpliced(at, 0, facts)
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
    keysOf(before).length === keysOf(merged).length &&
    nones(before) === nones(merged)
  )
}

/** How many are known to have no value, which another source may have. */
function nones(facts: Facts): number {
  return Object.values(facts).filter((value) => value === null).length
}

/** Keys whose value is known; `fields` are counted apart. */
function keysOf(facts: Facts): string[] {
  return Object.entries(facts).flatMap(([key, value]) =>
    value === undefined || key === 'fields' ? [] : [key],
  )
}
