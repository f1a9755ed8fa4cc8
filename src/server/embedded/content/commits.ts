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
 * The newest commit of a branch at `now` (epoch ms). Commits are made in working hours, unless builds
 * come faster than in life: then somebody must be at work.
 */
export function headOf(world: World, project: Project, branch: Branch, now: number): Commit {
  const gap = Math.round(commitGap[branch.kind] / world.pace)
  const random = createSeededRandom(world.seed, 'push', project.name, branch.name)
  const phase = Math.floor(random() * gap)
  const latest = world.pace > 1 ? now : lastWorkingTime(now)
  const at = Math.floor((latest + phase) / gap) * gap - phase
  const own = createSeededRandom(world.seed, 'commit', project.name, branch.name, at)
  return { id: createCommitId(own), at, module: pick(own, project.modules) }
}

/** How long it usually takes until the next commit, in ms. */
const commitGap = { main: 0.6 * hourMs, release: 20 * hourMs, feature: 1.2 * hourMs } as const
