import { branchOf, type Facts } from '../../protocol/facts.ts'
import { countOf, countText } from '../../protocol/count.ts'
import { comparedBuilds } from '../builds-around.ts'
import type { FailureStreak } from '../failure-streak.ts'
import { isMainline } from '../tile-branch.ts'

export interface AroundFailure {
  readonly build: Facts
  readonly streak: FailureStreak
  /** Failed builds of the same project, before and after it, on whatever branch; in any order. */
  readonly others: readonly Facts[]
  /** How far back `others` go before the build, days; of less than one a part; undefined where they couldn't be listed. */
  readonly days: number | undefined
  /** The keys of failures (failure-key.ts) by build: none where it names none, absent where it isn't known. */
  readonly keys: ReadonlyMap<string, readonly string[]>
}

/**
 * Where a failure was seen before: whether it is likely that of the person who looks at it. Of a
 * build that failed of several, it is the first of those that were seen least.
 */
export interface FailureOrigin {
  /**
   * - `before`: the builds before this one on its branch failed of the same. Of a branch that isn't a mainline it is said only
   *   where nothing is known of other branches
   * - `branch`: of such a branch the builds before it did, and none of other branches, as far as is known
   * - `elsewhere`: builds of other branches failed of the same, and on this branch, unless it is a mainline, it may be new or not
   * - `new`: neither
   * - `unknown`: its cause can't be compared, or too little is known of the builds to compare it with
   */
  readonly verdict: 'before' | 'branch' | 'elsewhere' | 'new' | 'unknown'
  /** The failure that it is about; undefined where the build's own isn't known. */
  readonly key: string | undefined
  /** How many failures of the build this is said of, and how many it has. */
  readonly alike: number
  readonly failures: number
  /** The builds of the row before this one that failed of the same without a gap, the newest first. */
  readonly sameBefore: readonly Facts[]
  /** Whether there may be more of them: of the one before it isn't known why it failed. */
  readonly isSameOpen: boolean
  /** Builds of other branches that failed of the same, the newest first. */
  readonly elsewhere: readonly Facts[]
  /** Their branches, the one with most of them first. */
  readonly branches: readonly string[]
  /** How many failed builds of other branches it was compared with. */
  readonly compared: number
  /** How far back these go before it, days; undefined where they couldn't be listed. */
  readonly days: number | undefined
  /** Of how many failed builds, before it and elsewhere, it isn't known why they failed. */
  readonly unread: { readonly before: number; readonly elsewhere: number }
  /** Whether it is known why the build itself failed, or that it doesn't say. */
  readonly isRead: boolean
}

/** What is said in place of it of a failed build that names no project, such as one whose settings can't be evaluated. */
export const projectUnknown =
  "Unclear: the build doesn't name its project, so it can't be compared with other builds."

/** Looks for the failures of a build in the builds around it. */
export function failureOrigin(around: AroundFailure): FailureOrigin {
  const own = [...new Set(around.keys.get(around.build.buildId))]
  const reading = readingOf(around)
  const found = own.map((key) => ({ ...originOf(key, around, reading), ...reading }))
  for (const verdict of ['new', 'branch', 'unknown', 'elsewhere', 'before'] as const) {
    const alike = found.filter((one) => one.verdict === verdict)
    const [first] = alike
    if (first !== undefined) return { ...first, alike: alike.length, failures: own.length }
  }
  return {
    verdict: 'unknown',
    ...{ key: undefined, alike: 0, failures: 0, ...reading },
    ...{ sameBefore: [], isSameOpen: false, elsewhere: [], branches: [] },
  }
}

type Reading = Pick<FailureOrigin, 'compared' | 'days' | 'unread' | 'isRead'>

/** With how many builds a failure could be compared, and with how many it couldn't. */
function readingOf(around: AroundFailure): Reading {
  const { build, streak, keys } = around
  const elsewhere = onOtherBranches(around)
  const compared = elsewhere.filter(({ buildId }) => keys.has(buildId)).length
  const before = comparedBuilds(build, streak, []).filter(
    (buildId) => buildId !== build.buildId && !keys.has(buildId),
  ).length
  return {
    compared,
    days: around.days,
    unread: { before, elsewhere: elsewhere.length - compared },
    isRead: keys.has(build.buildId),
  }
}

function onOtherBranches({ build, others }: AroundFailure): readonly Facts[] {
  return others.filter((one) => branchOf(one) !== branchOf(build))
}

function originOf(
  key: string,
  around: AroundFailure,
  { compared }: Reading,
): Omit<FailureOrigin, 'alike' | 'failures' | keyof Reading> {
  const { streak, keys } = around
  const hasSame = ({ buildId }: Facts): boolean => keys.get(buildId)?.includes(key) === true
  const other = streak.before.findIndex((one) => !hasSame(one))
  const sameBefore = other === -1 ? streak.before : streak.before.slice(0, other)
  const different = streak.before[other]
  const isSameOpen = different === undefined ? streak.isOpen : !keys.has(different.buildId)
  const elsewhere = onOtherBranches(around)
    .filter(hasSame)
    .sort((a, b) => b.receivedAt - a.receivedAt)
  // Where nothing before it is known, builds of other branches may still show that it is new.
  const isNew = !isSameOpen || (streak.before.length === 0 && compared > 0)
  // Commits of a mainline are those of many; a failure that stays on another branch came with that branch.
  const isOwnLine = streak.branch !== undefined && !isMainline(streak.branch.replace(/^.*\//, ''))
  const wasThere = sameBefore.length > 0
  const isBefore = wasThere && !(isOwnLine && compared > 0)
  const verdict = isBefore
    ? 'before'
    : elsewhere.length > 0
      ? 'elsewhere'
      : wasThere
        ? 'branch'
        : isNew
          ? 'new'
          : 'unknown'
  return { verdict, key, sameBefore, isSameOpen, elsewhere, branches: branchesOf(elsewhere) }
}

/**
 * Whether the failure is that of the person who looks at it, in one sentence: what speaks for it, as
 * nobody can know. `name` makes text of the name of a branch.
 */
export function originSentence(
  { streak }: Pick<AroundFailure, 'streak'>,
  origin: FailureOrigin,
  name: (branch: string) => string = (branch) => branch,
): string {
  const { verdict, key, alike, failures, sameBefore, isSameOpen, elsewhere, branches } = origin
  const { compared, days, unread } = origin
  const branch = streak.branch === undefined ? 'this work' : name(streak.branch)
  const some = alike < failures ? ` (${alike} of ${failures} failures)` : ''
  switch (verdict) {
    case 'before':
      return `Probably not: ${beforeText(origin)} on ${branch} failed this way, too.`
    case 'branch':
      return `Probably from this branch${some}: ${beforeText(origin)} on ${branch} failed this way, too, but none on other branches in ${periodText(days ?? 0)}.${unreadText(unread.elsewhere, ' on other branches')}`
    case 'elsewhere': {
      const where = branches.length === 0 ? 'elsewhere' : `on ${placesText(branches.map(name))}`
      const isNew = sameBefore.length === 0 && (streak.before.length === 0 || !isSameOpen)
      return `Probably not only yours${some}: ${isNew ? `new on ${branch}, but ` : ''}seen ${timesText(elsewhere.length)} ${where}.${isNew ? '' : unreadText(unread.before, ` on ${branch}`)}`
    }
    case 'new': {
      if (streak.before.length > 0)
        return `Probably yes${some}: ${branch} was failing already, but not this way.`
      if (days === undefined) return `Probably yes${some}: new on ${branch}. ${unlisted}.`
      const notElsewhere =
        compared === 0 && unread.elsewhere > 0
          ? ''
          : `, and not seen on other branches in ${periodText(days)}`
      return `Probably yes${some}: new on ${branch}${notElsewhere}.${unreadText(unread.elsewhere, ' on other branches')}`
    }
    case 'unknown':
      if (key !== undefined) {
        const many = unread.before + unread.elsewhere
        return many === 0
          ? 'Unclear: no other build is known that it can be compared with.'
          : `Unclear${some}: it can't be compared with other builds.${unreadText(many)}`
      }
      if (!origin.isRead)
        return "Unclear: its events couldn't be loaded, so it can't be compared with other builds."
      return streak.before.length > 0
        ? `Unclear: ${branch} was failing already, but the builds don't say why, so they can't be compared.`
        : 'Unclear: too little is known of its cause to compare it with other builds.'
  }
}

function beforeText({ sameBefore, isSameOpen }: FailureOrigin): string {
  const many = sameBefore.length
  return `${isSameOpen ? 'at least ' : ''}${many === 1 ? 'the build before it' : `the last ${many} builds`}`
}

/**
 * In how many failed builds of other branches the failure was seen, without a full stop, and how many
 * more couldn't be read, as a sentence with a space after it or empty.
 */
export function elsewhereTexts({
  compared,
  days,
  unread,
  elsewhere,
}: FailureOrigin): readonly [seen: string, unread: string] {
  if (days === undefined) return [unlisted, '']
  const where = `on other branches in the last ${periodText(days).replace(/^1 /, '')}`
  if (compared === 0) {
    return unread.elsewhere === 0
      ? [`No failed builds ${where} are known`, '']
      : [`${countOf(unread.elsewhere, 'failed build')} ${where} couldn't be read`, '']
  }
  const seen = elsewhere.length === 0 ? 'In none' : countText(elsewhere.length)
  return [
    `${seen} of ${countOf(compared, 'failed build')} ${where}`,
    unread.elsewhere === 0 ? '' : `${countText(unread.elsewhere)} more couldn't be read. `,
  ]
}

const unlisted = "Failed builds on other branches couldn't be loaded"

/** "14 days", "5 hours", "1 minute": never more than was looked at, unless that is less than a minute. */
function periodText(days: number): string {
  if (days >= 1) return countOf(Math.floor(days), 'day')
  const minutes = Math.max(1, Math.floor(days * 24 * 60))
  return minutes >= 60 ? countOf(Math.floor(minutes / 60), 'hour') : countOf(minutes, 'minute')
}

function branchesOf(builds: readonly Facts[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const build of builds) {
    const branch = branchOf(build)
    if (branch !== undefined) counts.set(branch, (counts.get(branch) ?? 0) + 1)
  }
  return [...counts].sort(([, a], [, b]) => b - a).map(([branch]) => branch)
}

/** " 2 failed builds on main couldn't be read."; empty where all could. */
function unreadText(many: number, where = ''): string {
  return many === 0 ? '' : ` ${countOf(many, 'failed build')}${where} couldn't be read.`
}

function placesText(branches: readonly string[]): string {
  const [first = '', ...more] = branches
  return more.length === 0
    ? first
    : `${first} and ${countOf(more.length, 'other branch', 'other branches')}`
}

function timesText(count: number): string {
  if (count === 1) return 'once'
  return count === 2 ? 'twice' : `${count} times`
}
