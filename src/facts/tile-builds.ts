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

export const noBuilds: TileBuilds = { mainline: [], branches: [], drafts: [], newest: [] }

/** As `addBuilds`, of one. */
export function addBuild(builds: TileBuilds, facts: Facts): TileBuilds {
  return addBuilds(builds, [facts])
}

/**
 * The builds with more of them, or with more known of some. The very same object where that changes
 * nothing. The order of arrival does not matter, nor what comes together; time and room are bounded.
 */
export function addBuilds(builds: TileBuilds, batch: Iterable<Facts>): TileBuilds {
  const news = new Map<string, Facts>()
  for (const facts of batch) {
    const before = news.get(facts.buildId)
    news.set(facts.buildId, before === undefined ? facts : moreKnown(before, facts))
  }
  const newest = withNewest(builds.newest, news)
  const changes = changesOf(builds, news)
  const lists = finishedKinds.map((kind) => withFinished(builds[kind], changes[kind], kept[kind]))
  const [mainline = builds.mainline, branches = builds.branches, drafts = builds.drafts] = lists
  const isSame = finishedKinds.every((kind, index) => builds[kind] === lists[index])
  return isSame && newest === builds.newest ? builds : { mainline, branches, drafts, newest }
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

function isFinished({ outcome }: Facts): boolean {
  return outcome === 'succeeded' || outcome === 'failed'
}

/**
 * Whether a build comes before another where the newest are first. Of two that were received in the same millisecond it isn't
 * known: a failure counts as the newer one, as nothing shows that it is over.
 */
export function isNewer(one: Facts, other: Facts): boolean {
  const hasFailed = one.outcome === 'failed'
  const isTie = one.receivedAt === other.receivedAt && hasFailed !== (other.outcome === 'failed')
  return isTie ? hasFailed : isLater(one, other)
}

/** The same, whatever is known of how they ended, which may be learned later. */
function isLater(one: Facts, other: Facts): boolean {
  return one.receivedAt === other.receivedAt
    ? one.buildId > other.buildId
    : one.receivedAt > other.receivedAt
}

/** The newest with these among them; what more is known of one of them is put into `news`, too. */
function withNewest(list: readonly Facts[], news: Map<string, Facts>): readonly Facts[] {
  const oldest = list.length < kept.newest ? undefined : list.at(-1)
  let next: Facts[] | undefined
  for (const [index, before] of list.entries()) {
    const more = news.get(before.buildId)
    if (more === undefined) continue
    const merged = moreKnown(before, more)
    news.set(before.buildId, merged)
    if (merged !== before) (next ??= [...list])[index] = merged
  }
  const fresh = [...news.values()].filter(
    (facts) =>
      // Where many builds arrive, most of them come too late for a tile: checked first, as it is cheap.
      (oldest === undefined || isLater(facts, oldest)) &&
      !list.some(({ buildId }) => buildId === facts.buildId),
  )
  if (fresh.length === 0) return next ?? list
  const sorted = [...(next ?? list), ...fresh].sort((a, b) => (isLater(a, b) ? -1 : 1))
  return sorted.slice(0, kept.newest)
}

type FinishedKind = (typeof finishedKinds)[number]

interface ListChanges {
  readonly added: Facts[]
  /** Ids of builds that are elsewhere, or known better, from now on. */
  readonly gone: Set<string>
}

function changesOf(
  builds: TileBuilds,
  news: ReadonlyMap<string, Facts>,
): Readonly<Record<FinishedKind, ListChanges>> {
  const noChanges = (): ListChanges => ({ added: [], gone: new Set() })
  const changes = { mainline: noChanges(), branches: noChanges(), drafts: noChanges() }
  const places = new Map<string, { readonly kind: FinishedKind; readonly before: Facts }>()
  for (const kind of finishedKinds) {
    for (const before of builds[kind]) {
      if (news.has(before.buildId)) places.set(before.buildId, { kind, before })
    }
  }
  for (const [id, facts] of news) {
    if (!isFinished(facts)) continue
    const place = places.get(id)
    const merged = place === undefined ? facts : moreKnown(place.before, facts)
    if (merged === place?.before) continue
    if (place !== undefined) changes[place.kind].gone.add(id)
    changes[kindOf(merged)].added.push(merged)
  }
  return changes
}

/** Keeps the newest, and the newest of each project and branch as well. */
function withFinished(
  list: readonly Facts[],
  { added, gone }: ListChanges,
  most: number,
): readonly Facts[] {
  if (added.length === 0 && gone.size === 0) return list
  const stayed = gone.size === 0 ? list : list.filter(({ buildId }) => !gone.has(buildId))
  const next = [...stayed, ...added].sort((one, other) => (isNewer(one, other) ? -1 : 1))
  if (next.length <= most) return next
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
