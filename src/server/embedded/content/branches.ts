import { people, type Person } from './machines.ts'
import type { Project } from './projects.ts'
import { hourMs } from './rhythm.ts'
import {
  chance,
  createSeededRandom,
  pick,
  pickWeighted,
  type Random,
  whole,
} from './seeded-random.ts'

/** A line of development. */
export interface Branch {
  readonly name: string
  readonly kind: 'main' | 'release' | 'feature'
  /** Who works on it; of main and release, who happens to commit. */
  readonly author: Person
  /** Of a feature branch that is under review. */
  readonly pullRequest: number | null
}

/** The branch that everything is merged to. */
export function mainBranch(project: Project, random: Random): Branch {
  return { name: 'main', kind: 'main', author: memberOf(project, random), pullRequest: null }
}

/** The newest release branch at `at` (epoch ms): a new one every two weeks. */
export function releaseBranch(project: Project, at: number, random: Random): Branch {
  const year = new Date(at).getUTCFullYear()
  const fortnight = Math.floor((at - Date.UTC(year, 0, 1)) / (14 * 24 * hourMs))
  const name = `release/${year % 100}.${fortnight + 1}`
  return { name, kind: 'release', author: memberOf(project, random), pullRequest: null }
}

/**
 * One of the feature branches that live at `at` (epoch ms). Each project has a few at a time; each
 * lives some days, and every call for the same seed and time knows the same ones.
 */
export function featureBranch(seed: number, project: Project, at: number, random: Random): Branch {
  const slot = whole(random, 0, featureBranches - 1)
  const lifetime = (40 + slot * 9) * hourMs
  const generation = Math.floor((at + slot * 17 * hourMs) / lifetime)
  const own = createSeededRandom(seed, 'branch', project.name, slot, generation)
  const ticket = `${project.ticket}-${whole(own, 100, 4999)}`
  const { prefix } = pickWeighted(own, prefixes)
  const what = pick(own, topics).replace('{subject}', dashed(pick(own, project.subjects)))
  const name =
    prefix === 'renovate/'
      ? `renovate/${pick(own, upgrades[project.language])}`
      : `${prefix}${ticket}-${what}`
  return {
    name,
    kind: 'feature',
    author: memberOf(project, own),
    pullRequest: chance(own, 0.8)
      ? firstPullRequest(seed, project) + (generation % 400) * featureBranches + slot
      : null,
  }
}

/** How many feature branches a project has at a time. */
const featureBranches = 8

const prefixes = [
  { prefix: 'feature/', weight: 5 },
  { prefix: 'fix/', weight: 3 },
  { prefix: 'chore/', weight: 1 },
  { prefix: 'renovate/', weight: 1 },
]

const topics = [
  'retry-{subject}-on-timeout',
  'validate-{subject}',
  'cache-{subject}-lookups',
  '{subject}-metrics',
  'split-{subject}-table',
  'drop-legacy-{subject}',
  '{subject}-null-handling',
  'async-{subject}',
  'rename-{subject}-fields',
  'paginate-{subject}-list',
  '{subject}-audit-log',
  'export-{subject}',
  'dedupe-{subject}-events',
  '{subject}-time-zones',
  'faster-{subject}-tests',
  'trace-{subject}',
]

/** What a bot proposes to upgrade, by language. */
const upgrades: Readonly<Record<Project['language'], readonly string[]>> = {
  java: ['spring-boot-4.x', 'junit5-monorepo', 'jackson', 'testcontainers'],
  kotlin: ['kotlin-monorepo', 'ktor-monorepo', 'junit5-monorepo', 'kotest'],
  scala: ['scala-3.x', 'pekko-monorepo', 'cats'],
  typescript: ['react-monorepo', 'vite-8.x', 'playwright-monorepo'],
  python: ['pydantic-2.x', 'numpy-2.x', 'ruff'],
}

function memberOf(project: Project, random: Random): Person {
  const username = pick(random, project.team)
  const person = people.find((one) => one.username === username)
  if (person === undefined) throw new RangeError(`${username} is nobody`)
  return person
}

/** Pull requests are numbered per project. */
function firstPullRequest(seed: number, project: Project): number {
  return whole(createSeededRandom(seed, 'pull requests', project.name), 200, 2900)
}

function dashed(name: string): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, '-$&').toLowerCase()
}
