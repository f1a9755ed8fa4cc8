import type { Branch } from './branches.ts'
import { createCommitId } from './identifiers.ts'
import type { Project } from './projects.ts'
import { hourMs, lastWorkingTime } from './rhythm.ts'
import { createSeededRandom, pick } from './seeded-random.ts'
import type { World } from './world.ts'

export interface Commit {
  readonly id: string
  /** When it was pushed, epoch ms. */
  readonly at: number
  /** The part of the project that it changes. */
  readonly module: string
}

/**
 * The newest commit of a branch at `at` (epoch ms). Commits are made in working hours, unless builds
 * come faster than in life: then somebody must be at work.
 */
export function headOf(world: World, project: Project, branch: Branch, at: number): Commit {
  const gap = commitGap[branch.kind] / world.pace
  const phase = createSeededRandom(world.seed, 'push', project.name, branch.name)() * gap
  const latest = world.pace > 1 ? at : lastWorkingTime(at)
  const pushed = Math.floor(Math.floor((latest + phase) / gap) * gap - phase)
  const random = createSeededRandom(world.seed, 'commit', project.name, branch.name, pushed)
  return { id: createCommitId(random), at: pushed, module: pick(random, project.modules) }
}

/** How long it usually takes until the next commit, in ms. */
const commitGap = { main: 0.6 * hourMs, release: 20 * hourMs, feature: 1.2 * hourMs } as const
