import type { Facts } from '../protocol/facts.ts'
import { branchOf, commitOf } from './build-origin.ts'

/** A commit or branch whose builds have both failed and succeeded. */
export interface BothOutcomes {
  readonly of: 'commit' | 'branch'
  readonly name: string
}

const dayMs = 24 * 60 * 60 * 1000

/**
 * What has had both outcomes within the 24 hours up to and with the newest build; a commit before a
 * branch, as it says more. `finished` has the newest first. Builds that name neither tell nothing.
 */
export function bothOutcomes(finished: readonly Facts[]): BothOutcomes | undefined {
  const outcomes = new Map<string, Facts['outcome']>()
  let branch: BothOutcomes | undefined
  for (const build of finished) {
    if (isDayBefore(build, finished[0])) break
    for (const { origin, key } of knownOrigins(build)) {
      const other = outcomes.get(key)
      outcomes.set(key, other ?? build.outcome)
      if (other === undefined || other === build.outcome) continue
      if (origin.of === 'commit') return origin
      branch ??= origin
    }
  }
  return branch
}

/**
 * Whether, of each build as if it were the newest, `bothOutcomes` would find something. One walk from
 * the oldest to the newest: a wall asks this of hundreds of tiles.
 */
export function flakySince(finished: readonly Facts[]): readonly boolean[] {
  const latest = new Map<string, { succeeded?: number; failed?: number }>()
  const answers: boolean[] = Array.from({ length: finished.length }, () => false)
  /** The newest build that ended unlike a newer one of the same commit or branch. */
  let nearest = finished.length
  for (let index = finished.length - 1; index >= 0; index--) {
    const build = finished[index]
    const { outcome } = build ?? {}
    if (build === undefined || (outcome !== 'succeeded' && outcome !== 'failed')) continue
    for (const { key } of knownOrigins(build)) {
      const seen = latest.get(key) ?? {}
      nearest = Math.min(nearest, seen[outcome === 'failed' ? 'succeeded' : 'failed'] ?? nearest)
      seen[outcome] = index
      latest.set(key, seen)
    }
    const other = finished[nearest]
    answers[index] = other !== undefined && !isDayBefore(other, build)
  }
  return answers
}

function isDayBefore(build: Facts, newest: Facts | undefined): boolean {
  return newest !== undefined && build.receivedAt <= newest.receivedAt - dayMs
}

interface KeyedOrigin {
  readonly origin: BothOutcomes
  readonly key: string
}

/** A build stands in many tiles, and each asks for this whenever a build arrives. */
const origins = new WeakMap<Facts, readonly KeyedOrigin[]>()

function knownOrigins(build: Facts): readonly KeyedOrigin[] {
  const known = origins.get(build)
  if (known !== undefined) return known
  const made = originsOf(build).map((origin) => ({ origin, key: `${origin.of}:${origin.name}` }))
  origins.set(build, made)
  return made
}

function originsOf(build: Facts): BothOutcomes[] {
  const commit = commitOf(build)
  const branch = branchOf(build)
  return [
    ...(commit === undefined ? [] : [{ of: 'commit', name: commit } as const]),
    ...(branch === undefined ? [] : [{ of: 'branch', name: branch } as const]),
  ]
}
