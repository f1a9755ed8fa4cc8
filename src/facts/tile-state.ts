import type { Facts } from '../protocol/facts.ts'
import { failedTestText } from './insight/failure-text.ts'
import {
  type BranchRule,
  type BuildOrigin,
  isMainline,
  originOf,
  partBuilds,
} from './tile-branch.ts'
import { finishedBuilds, isNewer, keptOfLine, type TileBuilds } from './tile-builds.ts'
import { type DayDurations, dayDurations, type Slowdown, slowdownOf } from './tile-durations.ts'
import { type Silence, silenceOf } from './tile-rhythm.ts'

/**
 * How a tile stands, by the builds of the default branch (docs/wall.md#states). The first of these that holds:
 * - `failing`: something that failed there has not been fixed
 * - `flaky`: one commit has lately had both outcomes for the same work, or one test has
 * - `slower`: the last three successes of the same work took longer than usual
 * - `silent`: its builds come on a rhythm, and are late
 * - `healthy`: none of it
 * - `unknown`: builds were seen, but none that says how the default branch stands
 * - `empty`: no build was seen
 */
export type TileStatus = 'failing' | 'flaky' | 'slower' | 'silent' | 'healthy' | 'unknown' | 'empty'

/** Everything that a tile says. Times are epoch ms, durations ms. */
export interface TileState {
  readonly status: TileStatus
  /** The newest build of which it is known how it ended. */
  readonly newest: Facts | undefined
  /** When the first build since which it is failing, or since which it is not, was received. */
  readonly since: number | undefined
  /** Builds since then that ended so: failures while it is failing, else successes. */
  readonly inARow: number
  /** Builds since then that ended the other way: of other work, of the same commit, or too late to matter. */
  readonly between: number
  /** While it is failing, how often the same work has failed since then: several jobs that fail on one commit fail once. */
  readonly times: number
  /** What has just happened: the first failure after successes, or the first success after failures and an hour from then on. */
  readonly news: 'failed' | 'fixed' | undefined
  /** Whether these may be more, as not all builds since then are kept. */
  readonly isMore: boolean
  /** Whether this may have begun before what is known goes back to. */
  readonly isOpen: boolean
  /** The first failure while it is failing: what broke it. */
  readonly breaking: BreakingBuild | undefined
  /** The commit that fixed what had failed, while nothing has failed since; undefined where it was no other one. */
  readonly fixedBy: string | undefined
  readonly flaky: Flaky | undefined
  /** Work that is slower than usual, and builds that are late, whatever else it is. */
  readonly slower: Slowdown | undefined
  readonly silent: Silence | undefined
  /** The branch that it stands for, where that is not obvious; `*` where all count. */
  readonly branch: string | undefined
  /** Other branches that are failing, the one that failed last first. */
  readonly failingBranches: readonly string[]
  /** The last 20 outcomes, the oldest first. */
  readonly strip: readonly Outcome[]
  /** Builds that arrived after the newest finished one and are still being stored, or never say how they ended, 10 at most. */
  readonly storing: number
  readonly durations: DayDurations
}

/** A commit of which the same work, or one test, has failed and passed. */
export interface Flaky {
  /** Undefined where a build that names none tried the test again. */
  readonly commit: string | undefined
  readonly test: string | undefined
}

/** The build with which the failures began. */
export interface BreakingBuild {
  readonly buildId: string
  readonly receivedAt: number
  /** Tasks or goals; empty where they are not known. */
  readonly requested: readonly string[]
  readonly branch: string | undefined
  /** Who committed, else the account that ran the build. */
  readonly user: string | undefined
  readonly commit: string | undefined
  /** Why, by this build, else by the newest of these failures that says so: who committed is named beside it. */
  readonly cause: FailureCause | undefined
  /** The last success before it: of the same work, else of its project. */
  readonly lastGood: string | undefined
  /** The commits that were built after that success, the newest first; the last one is the breaking build's own at the earliest. */
  readonly commits: readonly BuiltCommit[]
}

export interface FailureCause {
  /** The test, else the task or goal. */
  readonly what: string | undefined
  /** The first line of its message. */
  readonly message: string | undefined
}

/** A commit as a build names it. */
export interface BuiltCommit {
  readonly commit: string
  readonly author: string | undefined
}

export interface Outcome {
  readonly buildId: string
  readonly outcome: 'succeeded' | 'failed'
}

const stripLength = 20

/** When and where a tile is looked at. */
export interface TileMoment {
  /** Epoch ms. */
  readonly now: number
  /** IANA. */
  readonly timeZone: string
  /** When the server last delivered a build, whatever it was, epoch ms; without it no tile is silent. */
  readonly heardAt?: number | undefined
}

/**
 * What a tile says of its builds. `now` and `timeZone` say which builds are
 * of today; throws RangeError where there is no such zone. Builds that are still being stored never
 * hide how the last one ended, nor do those of other branches.
 */
export function tileState(builds: TileBuilds, at: TileMoment, rule: BranchRule = {}): TileState {
  const { counted, others, branch } = partBuilds(finishedBuilds(builds), rule)
  const [newest] = counted
  const story = retold(counted)
  const status = story.statuses[0] ?? (builds.newest.length > 0 ? 'unknown' : 'empty')
  const isRed = status === 'failing'
  const changed = story.statuses.findIndex((other) => (other === 'failing') !== isRed)
  const row = changed === -1 ? counted : counted.slice(0, changed)
  const failed = row.filter(({ outcome }) => outcome === 'failed')
  const first = isRed ? failed.at(-1) : row.at(-1)
  const isOpen =
    newest !== undefined && (changed === -1 || (isRed && mayHaveBegunEarlier(failed, counted)))
  const times = isRed ? timesFailed(failed) : 0
  const slower = slowdownOf(counted, at.now)
  const silent = silenceOf(counted, { ...at, heardAt: at.heardAt })
  const isFixed =
    status === 'healthy' &&
    !isOpen &&
    (row.length === 1 || at.now - (first?.receivedAt ?? -Infinity) < newsMs)
  return {
    status: status === 'healthy' ? (slower ? 'slower' : silent ? 'silent' : status) : status,
    newest,
    since: first?.receivedAt,
    inARow: isRed ? failed.length : row.length - failed.length,
    between: isRed ? row.length - failed.length : failed.length,
    times,
    news: times === 1 && !isOpen ? 'failed' : isFixed ? 'fixed' : undefined,
    isMore: isOpen || (row.at(-1)?.receivedAt ?? Infinity) < completeSince(counted),
    isOpen,
    breaking: isRed ? first && breakingBuild(first, failed, counted, isOpen) : undefined,
    fixedBy: isRed ? undefined : fixingCommit(row.at(-1), counted.slice(row.length)),
    flaky: status === 'flaky' ? story.flaky : undefined,
    slower,
    silent,
    branch: branch !== undefined && isMainline(branch) ? undefined : branch,
    failingBranches: failingBranches(others, at.now),
    strip: counted.slice(0, stripLength).reverse().flatMap(outcomeOf),
    storing: builds.newest.filter(
      (build) => build.outcome === undefined && (newest === undefined || isNewer(build, newest)),
    ).length,
    durations: dayDurations(counted, at),
  }
}

/** From when on none of these builds is missing: of several projects and branches only the newest of each are kept. */
function completeSince(builds: readonly Facts[]): number {
  const lines = new Map<string, { count: number; oldest: number }>()
  for (const build of builds) {
    const { line } = originOf(build)
    const known = lines.get(line)
    lines.set(line, { count: (known?.count ?? 0) + 1, oldest: build.receivedAt })
  }
  const cut = [...lines.values()].filter(({ count }) => count >= keptOfLine)
  return Math.max(-Infinity, ...cut.map(({ oldest }) => oldest))
}

/**
 * Whether failures may go on that began with builds which are forgotten: where work of them hasn't succeeded before, as far as
 * is known, and nothing else would have ended its failure. Both are given the newest first.
 */
function mayHaveBegunEarlier(failed: readonly Facts[], counted: readonly Facts[]): boolean {
  if (completeSince(counted) === -Infinity) return false
  const firsts = new Map(failed.map((build) => [originOf(build).work, build]))
  return [...firsts.values()].some((first) => {
    const { project, job, work } = originOf(first)
    const before = counted.filter(
      (build) => isNewer(first, build) && originOf(build).project === project,
    )
    const oldest = before.at(-1)
    // A failure that is forgotten is of this commit at the latest.
    const commit = oldest && originOf(oldest).commit
    let inARow = 0
    return !before.some((build) => {
      const origin = originOf(build)
      inARow = build.outcome === 'succeeded' ? inARow + 1 : 0
      const isSameJob = job === undefined || job === origin.job
      const isOther = isSameJob && (commit === undefined || commit !== origin.commit)
      return inARow === clearAfter || (inARow > 0 && (work === origin.work || isOther))
    })
  })
}

/** So many successes in a row end what was flaky, and a failure whose work is no longer done. */
const clearAfter = 10

/** How one project stands while its builds are gone through, the oldest first. */
interface ProjectStory {
  /** Failures that nothing has fixed yet, of each work the last ones by their commits. */
  standing: StoryBuild[]
  /** Successes in a row. */
  passed: number
  /** Of each work when the newest commit that succeeded was first built. */
  readonly good: Map<string, number>
  /** How work ended, by its commit. */
  readonly outcomes: Map<string, Facts['outcome']>
  /** Tests that failed, by commit, job and task; `passed` are tasks all of whose tests passed. */
  readonly tests: Map<string, { failed: string | undefined; passed: boolean }>
  flaky: Flaky | undefined
}

interface StoryBuild {
  readonly origin: BuildOrigin
  /** When its commit was first built; slow builds end in another order than commits are made. */
  readonly place: number
}

/**
 * How it stood with each of the builds, which are given the newest first, and what is flaky in the end. A failure stands until its work succeeds, or another commit does in the same CI job (in
 * any, where it names none), or ten builds in a row do.
 */
function retold(builds: readonly Facts[]): {
  readonly statuses: readonly TileStatus[]
  readonly flaky: Flaky | undefined
} {
  const stories = new Map<string, ProjectStory>()
  const begun = firstBuilt(builds)
  const statuses: TileStatus[] = []
  /** How many projects are failing, and how many are flaky. */
  let failing = 0
  let flaky = 0
  for (const build of builds.toReversed()) {
    const origin = originOf(build)
    const story = stories.get(origin.project) ?? newStory()
    stories.set(origin.project, story)
    failing -= Number(story.standing.length > 0)
    flaky -= Number(story.flaky !== undefined)
    take(story, { origin, place: placeOf(build, begun) }, build)
    failing += Number(story.standing.length > 0)
    flaky += Number(story.flaky !== undefined)
    statuses.push(failing > 0 ? 'failing' : flaky > 0 ? 'flaky' : 'healthy')
  }
  const found = [...stories.values()].find((story) => story.flaky !== undefined)?.flaky
  return { statuses: statuses.reverse(), flaky: found }
}

function newStory(): ProjectStory {
  return {
    standing: [],
    passed: 0,
    good: new Map(),
    outcomes: new Map(),
    tests: new Map(),
    flaky: undefined,
  }
}

function take(story: ProjectStory, build: StoryBuild, { outcome, tests }: Facts): void {
  const { place } = build
  const { commit, work } = build.origin
  if (commit !== undefined) {
    const key = `${commit}\n${work}`
    const before = story.outcomes.get(key)
    if (before !== undefined && before !== outcome) story.flaky = { commit, test: undefined }
    story.outcomes.set(key, outcome)
  }
  const isFlaky = tests !== undefined && takeTests(story, build.origin, tests)
  if (outcome === 'failed') {
    story.passed = 0
    // A slow build of a commit after which the work has succeeded says nothing of the present.
    if (place < (story.good.get(work) ?? 0)) return
    // Nor does it hide that a newer commit has failed, which a success of one between them does not fix.
    story.standing = [
      ...story.standing.filter(({ origin, place: at }) => origin.work !== work || at > place),
      build,
    ]
    return
  }
  story.good.set(work, Math.max(place, story.good.get(work) ?? 0))
  story.standing = story.standing.filter(
    (failure) => failure.place > place || !isFixedBy(failure.origin, build.origin),
  )
  // A build in which a test had to be tried again is green, and not the beginning of the end.
  story.passed = isFlaky ? 0 : story.passed + 1
  if (story.passed < clearAfter) return
  story.standing = []
  story.outcomes.clear()
  story.tests.clear()
  story.flaky = undefined
}

/**
 * Takes in how the tests of a build ended; whether one was tried again in it and had both outcomes. Tests of other jobs may run
 * on another machine, so only those of the same job are compared; what was requested does not matter.
 */
function takeTests(
  story: ProjectStory,
  { commit, job }: BuildOrigin,
  { failed, flaky, passedTasks }: NonNullable<Facts['tests']>,
): boolean {
  const [retried] = flaky
  if (retried !== undefined) story.flaky = { commit, test: retried.name }
  if (commit === undefined) return retried !== undefined
  const meet = (task: string, name: string | undefined): void => {
    const key = [commit, job, task].join('\n')
    const before = story.tests.get(key)
    const test = name ?? before?.failed
    const passed = name === undefined || before?.passed === true
    story.tests.set(key, { failed: test, passed })
    if (test !== undefined && passed) story.flaky = { commit, test }
  }
  for (const { task, name } of failed) meet(task, name)
  for (const task of passedTasks) meet(task, undefined)
  return retried !== undefined
}

/** When each commit of each project was first built, epoch ms. */
function firstBuilt(builds: readonly Facts[]): ReadonlyMap<string, number> {
  const begun = new Map<string, number>()
  for (const build of builds) {
    const { project, commit } = originOf(build)
    if (commit === undefined) continue
    const key = `${project}\n${commit}`
    begun.set(key, Math.min(startOf(build), begun.get(key) ?? Infinity))
  }
  return begun
}

/** The clock of the machine that built may be ahead of the server's, which received the build after its end. */
function startOf({ startTime, receivedAt, durationMs }: Facts): number {
  return Math.min(startTime ?? Infinity, receivedAt - (durationMs ?? 0))
}

/** What names no commit is of the one that is newest when it ends. */
function placeOf(build: Facts, begun: ReadonlyMap<string, number>): number {
  const { project, commit } = originOf(build)
  return (commit === undefined ? undefined : begun.get(`${project}\n${commit}`)) ?? build.receivedAt
}

/** Whether a success says that a failure, of a commit that is no newer, is over. */
function isFixedBy(failure: BuildOrigin, success: BuildOrigin): boolean {
  if (failure.work === success.work) return true
  const isSameJob = failure.job === undefined || failure.job === success.job
  return isSameJob && (failure.commit === undefined || failure.commit !== success.commit)
}

/** The commit of a success, where the failure before it was of another one. */
function fixingCommit(fix: Facts | undefined, before: readonly Facts[]): string | undefined {
  if (fix === undefined) return undefined
  const { project, commit } = originOf(fix)
  const failure = before.find(
    (build) => build.outcome === 'failed' && originOf(build).project === project,
  )
  const broken = failure && originOf(failure).commit
  return broken === undefined || broken === commit ? undefined : commit
}

const weekMs = 7 * 24 * 60 * 60 * 1000

/** The branches whose newest build of the last week failed; what a person builds is nobody else's. */
function failingBranches(others: readonly Facts[], now: number): string[] {
  const seen = new Set<string>()
  return others.flatMap((build) => {
    const { project, branch, isLocal } = originOf(build)
    if (branch === undefined || isLocal || build.receivedAt <= now - weekMs) return []
    const key = `${project}\n${branch}`
    if (seen.has(key)) return []
    seen.add(key)
    return build.outcome === 'failed' ? [branch] : []
  })
}

/** So long it is news that something was fixed, ms. */
const newsMs = 60 * 60 * 1000

/** How often the work that has failed most often did. */
function timesFailed(failed: readonly Facts[]): number {
  const counts = new Map<string, number>()
  for (const build of failed) {
    const { work } = originOf(build)
    counts.set(work, (counts.get(work) ?? 0) + 1)
  }
  return Math.max(0, ...counts.values())
}

/** `failed` are the failures that it began, and `counted` all builds that are known, both the newest first. */
function breakingBuild(
  build: Facts,
  failed: readonly Facts[],
  counted: readonly Facts[],
  isOpen: boolean,
): BreakingBuild {
  const { branch, author, commit, work, project } = originOf(build)
  const { buildId, receivedAt, requested = [] } = build
  const before = counted.filter(
    (other) =>
      other.outcome === 'succeeded' && isNewer(build, other) && originOf(other).project === project,
  )
  const lastGood = before.find((other) => originOf(other).work === work) ?? before[0]
  const causes = failed.filter((other) => originOf(other).work === work)
  return {
    buildId,
    receivedAt,
    requested,
    branch,
    user: author,
    commit,
    cause: [build, ...causes].map(causeOf).find((cause) => cause !== undefined),
    lastGood: lastGood?.buildId,
    // Where it may have begun earlier it may have been another commit.
    commits: lastGood === undefined || isOpen ? [] : commitsBetween(lastGood, build, counted),
  }
}

function causeOf({ failure, tests }: Facts): FailureCause | undefined {
  const test = tests?.failed[0]?.name ?? (failure ? failedTestText(failure) : undefined)
  const what = test ?? failure?.task
  const message = failure?.message.trim().split('\n', 1)[0]
  return what === undefined && message === undefined ? undefined : { what, message }
}

/** The commits of a project that were built after `good`, up to that of `bad`, the newest first. */
function commitsBetween(good: Facts, bad: Facts, counted: readonly Facts[]): BuiltCommit[] {
  const from = originOf(good)
  const commits = new Map<string, BuiltCommit>()
  for (const build of counted) {
    const { project, commit, committer } = originOf(build)
    const isBetween = !isNewer(build, bad) && isNewer(build, good)
    if (!isBetween || project !== from.project || commit === undefined || commit === from.commit)
      continue
    if (!commits.has(commit)) commits.set(commit, { commit, author: committer })
  }
  return [...commits.values()]
}

function outcomeOf({ buildId, outcome }: Facts): Outcome[] {
  return outcome === 'succeeded' || outcome === 'failed' ? [{ buildId, outcome }] : []
}

/** A stretch of failures of a tile, or the time after the last one. */
export interface TileSpell {
  readonly isFailing: boolean
  /** The build that began the present or, while it is well, the last failures; empty where there were none. */
  readonly spell: string
  /** When that was received, epoch ms. */
  readonly since: number
}

/** Of a tile that nobody has looked at. */
export const noSpell: TileSpell = { isFailing: false, spell: '', since: 0 }

/** The spell after a look at the tile; the very same where nothing changed or its status isn't known. */
export function spellAfter<S extends TileSpell>(
  before: S,
  { status, breaking, isOpen }: Pick<TileState, 'status' | 'breaking' | 'isOpen'>,
): S {
  if (status === 'unknown' || status === 'empty') return before
  if (status !== 'failing' || breaking === undefined) {
    return before.isFailing ? { ...before, isFailing: false } : before
  }
  // Of a long row the first builds are forgotten: only after a success it is another one.
  const isAnother =
    breaking.buildId !== before.spell && !isOpen && breaking.receivedAt > before.since
  if (before.isFailing && !isAnother) return before
  return { ...before, isFailing: true, spell: breaking.buildId, since: breaking.receivedAt }
}

/** What has happened to a tile between two looks: it failed, anew perhaps, or recovered. */
export function turnBetween(
  before: TileSpell,
  after: TileSpell,
): 'failed' | 'recovered' | undefined {
  if (after.isFailing)
    return before.isFailing && before.spell === after.spell ? undefined : 'failed'
  return before.isFailing ? 'recovered' : undefined
}
