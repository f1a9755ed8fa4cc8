import { hourMs } from '../../../protocol/clock.ts'
import company from './company.json' with { type: 'json' }
import {
  agentPools,
  type Cause,
  type Job,
  type Occasion,
  people,
  type Project,
  projects,
  releaseAt,
} from './company.ts'
import { isNightlyTime, lastWorkingTime, load, type Trouble, troubleAt } from './rhythm.ts'
import {
  between,
  chance,
  createBuildId,
  createCommitId,
  createSeededRandom,
  logNormal,
  pick,
  pickWeighted,
  type Random,
  whole,
} from './seeded-random.ts'
import {
  brokenTest,
  flakyTest as toldFlakyTest,
  slower,
  type Story,
  storyAt,
  type StoryTest,
  toldBetween,
} from './story.ts'

/** What decides how the company fares: everything else follows from this, the time and chance. */
export interface Company {
  readonly seed: number
  /**
   * How many times faster than in life builds come; commits then come faster too, so that a commit
   * still has a few builds. 1 for the history.
   */
  readonly pace: number
  /** Epoch ms: when the story is told (story.ts), for a history its end; else the time of each build. */
  readonly toldAt?: number
}

function storyOf({ toldAt }: Company, at: number): Story {
  return storyAt(toldAt ?? at)
}

/** All that is decided of a build, before it becomes attributes and events. */
export type BuildPlan = ReturnType<typeof planBuild>

/** A line of development. */
export interface Branch {
  readonly name: string
  readonly kind: 'main' | 'release' | 'feature'
  /** Who works on it; of main and release, who happens to commit. */
  readonly author: (typeof people)[number]
  /** Of a feature branch that is under review. */
  readonly pullRequest: number | null
}

export interface Commit {
  readonly id: string
  /** When it was pushed, epoch ms. */
  readonly at: number
  /** The part of the project that it changes. */
  readonly module: string
  readonly author: string
}

/** Why a build failed. */
export interface Failure {
  readonly cause: Cause
  /** Where. */
  readonly module: string
  /** The failing test, whatever the cause; only of interest where the cause is `test`. */
  readonly test: TestCase
  /** A line in a source file, for messages. */
  readonly line: number
  /** The build ended before even its project was known; with cause `configuration` only. */
  readonly early: boolean
}

export interface TestCase {
  readonly className: string
  readonly name: string
  /** What its failure says; something usual where it is left out. */
  readonly message?: string
}

/** Decides a build that is received at `receivedAt` (epoch ms, at least a day after 1970 began). */
export function planBuild(company: Company, random: Random, receivedAt: number) {
  const isTold = toldBetween(storyOf(company, receivedAt), receivedAt, receivedAt + 1).length > 0
  const some = pickWeighted(random, projects)
  const project = isTold ? (projects.find(({ name }) => name === brokenTest.project) ?? some) : some
  const occasion = isTold ? 'change' : occasionAt(random, receivedAt)
  const job = pickWeighted(
    random,
    project.jobs.filter(
      (one) =>
        one.occasion === occasion && (!isTold || (one.finds.includes('test') && one.effort <= 1)),
    ),
  )
  const branch = isTold
    ? mainBranch(project, random)
    : branchFor(company, random, project, occasion, receivedAt)
  const cache = project.cached === 0 ? 'off' : chance(random, 0.04) ? 'cold' : 'warm'
  const longest = Math.min(
    12 * hourMs,
    usualDuration(company, random, project, job, cache, receivedAt),
  )
  const lag = logNormal(random, occasion === 'local' ? 4000 : 2200, 0.5)
  const commit = headOf(company, project, branch, receivedAt - lag - longest)
  const local = occasion === 'local'
  const dirty = local && chance(random, 0.65)
  const trouble = dirty
    ? workbenchTrouble(company, branch, receivedAt)
    : branchTrouble(company, project, branch, commit)
  const { failure, flakyTest } = endingOf(random, project, job, commit, trouble)
  const duration = Math.round(failure === null ? longest : untilFailure(random, failure, longest))
  const used = releaseAt(project.releases, commit.at, branch.kind === 'release' ? 1 : 0)
  const pool = agentPools.get(project.ci)
  if (pool === undefined) throw new RangeError(`no agents of ${project.ci}`)
  const linter = project.language === 'kotlin' ? 'detekt' : 'checkstyleMain'
  return {
    buildId: createBuildId(random),
    project,
    job,
    /** The job's requested work with its placeholders filled in. */
    requested: job.requested.map((word) =>
      word.replace('{module}', commit.module).replace('{lint}', linter),
    ),
    toolVersion: used.tool,
    agentVersion: used.agent,
    branch,
    commit,
    /** Local changes beyond the commit. */
    dirty,
    /** Without a connection, on purpose. */
    offline: local && chance(random, 0.03),
    username: local ? branch.author.username : pool.username,
    machine: local ? branch.author.machine : pool.agent(whole(random, 1, pool.size)),
    /** What the build cache was good for. */
    cache,
    /** Epoch ms, whole, as all times here. */
    startTime: Math.floor(receivedAt - lag - duration),
    /** ms, whole. */
    duration,
    /** When the server had received and processed it. */
    receivedAt: Math.floor(receivedAt),
    failure,
    /** A test that failed and then passed. */
    flakyTest,
  }
}

function occasionAt(random: Random, at: number): Occasion {
  if (isNightlyTime(at) && chance(random, 0.75)) return 'nightly'
  const one = random()
  return one < 0.74 ? 'change' : one < 0.96 ? 'local' : 'release'
}

function branchFor(
  { seed }: Company,
  random: Random,
  project: Project,
  occasion: Occasion,
  at: number,
): Branch {
  if (occasion === 'release') return releaseBranch(project, at, random)
  const onMain = occasion === 'nightly' || (occasion === 'change' && chance(random, 0.42))
  return onMain ? mainBranch(project, random) : featureBranch(seed, project, at, random)
}

function usualDuration(
  company: Company,
  random: Random,
  project: Project,
  job: Job,
  cache: 'off' | 'cold' | 'warm',
  at: number,
): number {
  const outlier = cache === 'cold' ? between(random, 2, 4) : chance(random, 0.015) ? 2.5 : 1
  const busy = 1 + 0.25 * load(at)
  const isSlower = project.name === slower.project && at >= storyOf(company, at).slowerSince
  const base = project.baseDuration * (isSlower ? slower.factor : 1)
  return Math.max(900, logNormal(random, base * job.effort, 0.3) * outlier * busy)
}

/** What fails early ends early. */
function untilFailure(random: Random, failure: Failure, longest: number): number {
  if (failure.early) return Math.min(longest, between(random, 700, 4000))
  if (failure.cause === 'configuration') return Math.min(longest, between(random, 1500, 15_000))
  return longest * (failure.cause === 'test' ? between(random, 0.5, 1) : between(random, 0.1, 0.5))
}

// Branches and commits

/** The branch that everything is merged to. */
export function mainBranch(project: Project, random: Random): Branch {
  return { name: 'main', kind: 'main', author: memberOf(project, random), pullRequest: null }
}

/** The newest release branch at `at` (epoch ms): a new one every two weeks. */
function releaseBranch(project: Project, at: number, random: Random): Branch {
  const year = new Date(at).getUTCFullYear()
  const fortnight = Math.floor((at - Date.UTC(year, 0, 1)) / (14 * 24 * hourMs))
  const name = `release/${year % 100}.${fortnight + 1}`
  return { name, kind: 'release', author: memberOf(project, random), pullRequest: null }
}

/** How many feature branches a project has at a time. */
const featureBranches = 8

/**
 * One of the feature branches that live at `at` (epoch ms). Each project has a few at a time; each
 * lives some days, and every call for the same seed and time knows the same ones.
 */
export function featureBranch(seed: number, project: Project, at: number, random: Random): Branch {
  const slot = whole(random, 0, featureBranches - 1)
  const lifetime = (40 + slot * 9) * hourMs
  const generation = Math.floor((at + slot * 17 * hourMs) / lifetime)
  const own = createSeededRandom(seed, 'branch', project.name, slot, generation)
  const prefix = pick(own, ['feature', 'feature', 'feature', 'fix', 'fix', 'chore', 'renovate'])
  const ticket = `${project.ticket}-${whole(own, 100, 4999)}`
  const subject = pick(own, project.subjects).replace(/(?<=[a-z])[A-Z]/g, '-$&')
  const topic = pick(own, company.topics).replace('{subject}', subject.toLowerCase())
  const upgrade = pick(own, company.upgrades[project.language])
  const firstPull = whole(createSeededRandom(seed, 'pull requests', project.name), 200, 2900)
  return {
    name: prefix === 'renovate' ? `renovate/${upgrade}` : `${prefix}/${ticket}-${topic}`,
    kind: 'feature',
    author: memberOf(project, own),
    pullRequest: chance(own, 0.8) ? firstPull + (generation % 400) * featureBranches + slot : null,
  }
}

function memberOf(project: Project, random: Random): Branch['author'] {
  const username = pick(random, project.team)
  const person = people.find((one) => one.username === username)
  if (person === undefined) throw new RangeError(`${username} is nobody`)
  return person
}

/** How long it usually takes until the next commit, in ms. */
const commitGap = { main: 0.6 * hourMs, release: 20 * hourMs, feature: 1.2 * hourMs } as const

/**
 * The newest commit of a branch at `now` (epoch ms). Commits are made in working hours, unless builds
 * come faster than in life: then somebody must be at work.
 */
export function headOf(company: Company, project: Project, branch: Branch, now: number): Commit {
  const gap = Math.round(commitGap[branch.kind] / company.pace)
  const random = createSeededRandom(company.seed, 'push', project.name, branch.name)
  const phase = Math.floor(random() * gap)
  const latest = company.pace > 1 ? now : lastWorkingTime(now)
  const told = toldCommit(company, project, branch, now)
  const at = told ?? Math.floor((latest + phase) / gap) * gap - phase
  const line = told === undefined ? branch.name : 'main'
  const own = createSeededRandom(company.seed, 'commit', project.name, line, at)
  const id = createCommitId(own)
  const isCulprit = told === storyOf(company, now).brokenAt
  const module = isCulprit ? brokenTest.module : pick(own, project.modules)
  const author = branch.kind === 'feature' ? branch.author : memberOf(project, own)
  return { id, at, module, author: author.username }
}

/** When the commit of the story was pushed that is the newest: on main, and on the release cut from it. */
function toldCommit(
  company: Company,
  project: Project,
  { kind }: Branch,
  now: number,
): number | undefined {
  if (project.name !== brokenTest.project || kind === 'feature') return undefined
  const { wellAt, brokenAt, fixedAt } = storyOf(company, now)
  return [fixedAt, brokenAt, ...(kind === 'main' ? [wellAt] : [])].find((at) => at <= now)
}

// Trouble and failures

/** Trouble whose test is one that the story names. */
interface ToldTrouble extends Trouble {
  readonly told?: StoryTest
}

/** Judged by the time of the commit, so that every build of a commit fares alike. */
function branchTrouble(
  company: Company,
  project: Project,
  branch: Branch,
  commit: Commit,
): ToldTrouble | null {
  const { seed } = company
  if (project.name === brokenTest.project) {
    const { brokenAt, fixedAt } = storyOf(company, commit.at)
    const isBroken = commit.at >= brokenAt && commit.at < fixedAt
    // Of the branches under review those fail too that have been rebased since.
    const hasIt =
      branch.kind !== 'feature' || createSeededRandom(seed, 'rebased', branch.name)() < 0.3
    if (isBroken && hasIt) return { kind: 'broken', cause: 'test', signature: 0, told: brokenTest }
    if (branch.kind !== 'feature') return null
  }
  const name = `${project.name} ${branch.name}`
  const share = { main: 0.015, release: 0.01, feature: 0.05 }[branch.kind]
  const windowHours = branch.kind === 'feature' ? 5 : 4
  return troubleAt({ seed, name, windowHours, flaky: 0.1, share }, commit.at)
}

/** While somebody is at work on something, it is broken more often than not committed. */
function workbenchTrouble({ seed }: Company, branch: Branch, at: number): Trouble | null {
  const name = `${branch.author.username} ${branch.name}`
  return troubleAt({ seed, name, windowHours: 0.7, share: 0.15, flaky: 0.1 }, at)
}

/**
 * How a build of `job` ends, given the trouble that its code is in. A broken branch fails every job
 * that looks at what is broken, in the same way each time; besides, some builds fail by accident.
 */
function endingOf(
  random: Random,
  project: Project,
  job: Job,
  commit: Commit,
  trouble: ToldTrouble | null,
): { readonly failure: Failure | null; readonly flakyTest: TestCase | null } {
  const accident = accidentOf(random, project, job, commit)
  if (accident !== null) return { failure: accident, flakyTest: null }
  const passed = { failure: null, flakyTest: null }
  if (trouble === null && project.name === toldFlakyTest.project && job.finds.includes('test')) {
    const luck = random()
    if (luck < 0.03) return { failure: toldFailure(toldFlakyTest), flakyTest: null }
    return luck < 0.3 ? { failure: null, flakyTest: toldFlakyTest } : passed
  }
  if (trouble === null || !job.finds.includes(trouble.cause)) return passed
  if (trouble.told !== undefined) return { failure: toldFailure(trouble.told), flakyTest: null }
  const { cause } = trouble
  const signature = nearestTest(project, trouble.signature)
  const test = testCase(project, signature)
  const module = project.modules[Math.floor(signature * project.modules.length)] ?? commit.module
  const line = 12 + Math.floor(signature * 300)
  const failure: Failure = { cause, module, test, line, early: false }
  const luck = trouble.kind === 'broken' ? 0 : random()
  if (luck < 0.4) return { failure, flakyTest: null }
  return luck < 0.8 ? { failure: null, flakyTest: test } : passed
}

function toldFailure(test: StoryTest): Failure {
  return { cause: 'test', module: test.module, test, line: test.line, early: false }
}

/** What goes wrong without anybody's code being at fault, and what fails before any of it is read. */
function accidentOf(random: Random, project: Project, job: Job, commit: Commit): Failure | null {
  if (!chance(random, 0.012)) return null
  const cause = chance(random, 0.7) ? 'dependency' : 'configuration'
  if (!job.finds.includes(cause)) return null
  return {
    cause,
    module: commit.module,
    test: testCase(project, random()),
    line: whole(random, 1, 60),
    early: project.tool === 'gradle' && cause === 'configuration' && chance(random, 0.6),
  }
}

/** Whether people want to see it fixed in the code: the difference the server calls verification. */
export function isVerification({ cause }: Failure): boolean {
  return cause === 'test' || cause === 'compile' || cause === 'lint'
}

/** So many tests of each module are run in each of its builds, two or three. */
const testsOfModules = 2.5

/** The signature of the test that is nearest to any other: a project always runs the same ones. */
function nearestTest({ modules }: Project, signature: number): number {
  const count = Math.ceil(modules.length * testsOfModules)
  return (Math.floor(signature * count) + 0.5) / count
}

/** The tests that every build of a module runs, those that fail at times among them. */
export function testsOf(project: Project, module: string): readonly TestCase[] {
  const { modules } = project
  const count = Math.ceil(modules.length * testsOfModules)
  const tests = Array.from({ length: count }, (_, place) => (place + 0.5) / count)
    .filter((signature) => modules[Math.floor(signature * modules.length)] === module)
    .map((signature) => testCase(project, signature))
    .concat([brokenTest, toldFlakyTest].filter((one) => isOf(one, project, module)))
  return [...new Map(tests.map((test) => [`${test.className} ${test.name}`, test])).values()]
}

function isOf(test: StoryTest, project: Project, module: string): boolean {
  return test.project === project.name && test.module === module
}

/** One of the project's tests; `signature` from 0 to 1 decides which. */
export function testCase(project: Project, signature: number): TestCase {
  // The digits of one number, as if they were drawn one after the other.
  let rest = signature
  const random = (): number => (rest = (rest * 97) % 1)
  const subject = pick(random, project.subjects)
  const kind = pick(random, ['Service', 'Repository', 'Mapper', 'Controller', ''])
  const name = pick(random, company.testNames)
  const spaced = (between: string): string => name.replace(/[A-Z]/g, `${between}$&`).toLowerCase()
  switch (project.language) {
    case 'typescript':
      return { className: `src/${subject}.test.tsx`, name: spaced(' ') }
    case 'python':
      return { className: `tests/test_${subject.toLowerCase()}.py`, name: `test_${spaced('_')}` }
    case 'scala':
      return { className: `${packageOf(project)}.${subject}Spec`, name }
    case 'java':
    case 'kotlin':
      return { className: `${packageOf(project)}.${subject}${kind}Test`, name: `${name}()` }
  }
}

/** The package of the project's classes. */
export function packageOf(project: Project): string {
  return `com.acme.${project.name.replaceAll('-', '')}`
}
