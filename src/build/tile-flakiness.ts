import type { Facts } from '../protocol/facts.ts'
import { branchOf, commitOf } from './build-origin.ts'

/** A commit or branch whose builds have both failed and succeeded. */
export interface BothOutcomes {
  readonly of: 'commit' | 'branch'
  readonly name: string
}

const dayMs = 24 * 60 * 60 * 1000

/**
 * What has had both outcomes within the 24 hours up to and with the build at `index`; a commit before
 * a branch, as it says more. `finished` has the newest first. Builds that name neither tell nothing.
 */
export function bothOutcomes(finished: readonly Facts[], index: number): BothOutcomes | undefined {
  const newest = finished[index]
  if (newest === undefined) return undefined
  const outcomes = new Map<string, Facts['outcome']>()
  let branch: BothOutcomes | undefined
  for (const build of finished.slice(index)) {
    if (build.receivedAt <= newest.receivedAt - dayMs) break
    for (const origin of knownOrigins(build)) {
      const key = `${origin.of}:${origin.name}`
      const other = outcomes.get(key)
      outcomes.set(key, other ?? build.outcome)
      if (other === undefined || other === build.outcome) continue
      if (origin.of === 'commit') return origin
      branch ??= origin
    }
  }
  return branch
}

/** A build stands in many tiles, and each asks for this whenever a build arrives. */
const origins = new WeakMap<Facts, readonly BothOutcomes[]>()

function knownOrigins(build: Facts): readonly BothOutcomes[] {
  const known = origins.get(build) ?? originsOf(build)
  origins.set(build, known)
  return known
}

function originsOf(build: Facts): BothOutcomes[] {
  const commit = commitOf(build)
  const branch = branchOf(build)
  return [
    ...(commit === undefined ? [] : [{ of: 'commit', name: commit } as const]),
    ...(branch === undefined ? [] : [{ of: 'branch', name: branch } as const]),
  ]
}
