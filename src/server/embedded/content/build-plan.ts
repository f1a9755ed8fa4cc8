import { type Branch, featureBranch, mainBranch, releaseBranch } from './branches.ts'
import { type Commit, headOf } from './commits.ts'
import { endingOf, type Failure, type TestCase } from './failure.ts'
import { createBuildId } from './identifiers.ts'
import type { Job, Occasion } from './jobs.ts'
import { agentPools, type Machine } from './machines.ts'
import { type Project, projects } from './projects.ts'
import { isNightlyTime, load } from './rhythm.ts'
import { between, chance, logNormal, pickWeighted, type Random, whole } from './seeded-random.ts'
import { type Trouble, troubleAt } from './trouble.ts'
import { releaseAt } from './tool-releases.ts'
import type { World } from './world.ts'

/** All that is decided of a build, before it is told as attributes and as events. */
export interface BuildPlan {
  readonly buildId: string
  readonly project: Project
  readonly job: Job
  /** The job's requested work with its placeholders filled in. */
  readonly requested: readonly string[]
  readonly toolVersion: string
  readonly agentVersion: string
  readonly branch: Branch
  readonly commit: Commit
  /** Local changes beyond the commit. */
  readonly dirty: boolean
  /** Without a connection, on purpose. */
  readonly offline: boolean
  readonly username: string
  readonly machine: Machine
  /** What the build cache was good for. */
  readonly cache: 'off' | 'cold' | 'warm'
  /** Epoch ms. */
  readonly startTime: number
  /** ms, whole. */
  readonly duration: number
  /** Epoch ms, when the server had received and processed it. */
  readonly receivedAt: number
  readonly failure: Failure | null
  readonly flakyTest: TestCase | null
}

/** Decides a build that is received at `receivedAt` (epoch ms, at least a day after 1970 began). */
export function planBuild(world: World, random: Random, receivedAt: number): BuildPlan {
  const project = pickWeighted(random, projects)
  const occasion = occasionAt(random, receivedAt)
  const job = pickWeighted(
    random,
    project.jobs.filter((one) => one.occasion === occasion),
  )
  const branch = branchFor(world, random, project, occasion, receivedAt)
  const cache = project.cached === 0 ? 'off' : chance(random, 0.04) ? 'cold' : 'warm'
  const longest = Math.min(12 * 3_600_000, usualDuration(random, project, job, cache, receivedAt))
  const lag = logNormal(random, occasion === 'local' ? 4000 : 2200, 0.5)
  const commit = headOf(world, project, branch, receivedAt - lag - longest)
  const dirty = occasion === 'local' && chance(random, 0.65)
  const trouble = dirty
    ? workbenchTrouble(world, branch, receivedAt)
    : branchTrouble(world, project, branch, commit)
  const { failure, flakyTest } = endingOf(random, project, job, commit, trouble)
  const duration = Math.round(failure === null ? longest : untilFailure(random, failure, longest))
  const used = releaseAt(project.releases, commit.at, branch.kind === 'release' ? 1 : 0)
  const pool = agentPools[project.ci]
  return {
    buildId: createBuildId(random),
    project,
    job,
    requested: job.requested.map((word) =>
      word
        .replace('{module}', commit.module)
        .replace('{lint}', project.language === 'kotlin' ? 'detekt' : 'checkstyleMain'),
    ),
    toolVersion: used.tool,
    agentVersion: used.agent,
    branch,
    commit,
    dirty,
    offline: occasion === 'local' && chance(random, 0.03),
    username: occasion === 'local' ? branch.author.username : pool.username,
    machine: occasion === 'local' ? branch.author.machine : pool.agent(whole(random, 1, pool.size)),
    cache,
    startTime: Math.floor(receivedAt - lag - duration),
    duration,
    receivedAt: Math.floor(receivedAt),
    failure,
    flakyTest,
  }
}

function occasionAt(random: Random, at: number): Occasion {
  if (isNightlyTime(at) && chance(random, 0.75)) return 'nightly'
  return pickWeighted(random, occasions).occasion
}

const occasions = [
  { occasion: 'change', weight: 74 },
  { occasion: 'local', weight: 22 },
  { occasion: 'release', weight: 4 },
] as const

function branchFor(
  world: World,
  random: Random,
  project: Project,
  occasion: Occasion,
  at: number,
): Branch {
  switch (occasion) {
    case 'nightly':
      return mainBranch(project, random)
    case 'release':
      return releaseBranch(project, at, random)
    case 'local':
      return featureBranch(world.seed, project, at, random)
    case 'change':
      return chance(random, 0.42)
        ? mainBranch(project, random)
        : featureBranch(world.seed, project, at, random)
  }
}

function usualDuration(
  random: Random,
  project: Project,
  job: Job,
  cache: BuildPlan['cache'],
  at: number,
): number {
  const outlier = cache === 'cold' ? between(random, 2, 4) : chance(random, 0.015) ? 2.5 : 1
  const busy = 1 + 0.25 * load(at)
  return Math.max(900, logNormal(random, project.baseDuration * job.effort, 0.3) * outlier * busy)
}

/** What fails early ends early. */
function untilFailure(random: Random, failure: Failure, longest: number): number {
  if (failure.early) return Math.min(longest, between(random, 700, 4000))
  if (failure.cause === 'configuration') return Math.min(longest, between(random, 1500, 15_000))
  return longest * (failure.cause === 'test' ? between(random, 0.5, 1) : between(random, 0.1, 0.5))
}

/** Judged by the time of the commit, so that every build of a commit fares alike. */
function branchTrouble(
  world: World,
  project: Project,
  branch: Branch,
  commit: Commit,
): Trouble | null {
  const [share, windowHours] =
    branch.kind === 'feature' ? [Math.min(0.5, project.trouble * 2), 5] : [project.trouble * 1.3, 4]
  const name = `${project.name} ${branch.name}`
  const one = { seed: world.seed, name, windowHours, flaky: 0.35 }
  return troubleAt({ ...one, share: branch.kind === 'release' ? share / 3 : share }, commit.at)
}

/** While somebody is at work on something, it is broken more often than not committed. */
function workbenchTrouble(world: World, branch: Branch, at: number): Trouble | null {
  const name = `${branch.author.username} ${branch.name}`
  return troubleAt({ seed: world.seed, name, windowHours: 0.7, share: 0.3, flaky: 0.1 }, at)
}
