import type { Facts } from '../../../protocol/facts.ts'

/** What stands out among builds. */
export interface Standings {
  readonly total: number
  readonly failed: number
  readonly succeeded: number
  readonly unknown: number
  /** The project that failed most often; undefined where not several did. */
  readonly mostFailing: { readonly project: string; readonly failed: number } | undefined
  /** The build that took longest. */
  readonly slowest: (Facts & { readonly durationMs: number }) | undefined
}

/** Counts them. Of several that are alike the one that comes first stands out. */
export function standingsOf(builds: readonly Facts[]): Standings {
  const counts = { failed: 0, succeeded: 0, unknown: 0 }
  const failures = new Map<string, number>()
  let slowest: Standings['slowest']
  for (const facts of builds) {
    const { outcome, project, durationMs } = facts
    counts[outcome ?? 'unknown'] += 1
    if (outcome === 'failed' && typeof project === 'string' && project !== '') {
      failures.set(project, (failures.get(project) ?? 0) + 1)
    }
    if (typeof durationMs === 'number' && durationMs > (slowest?.durationMs ?? -1)) {
      slowest = { ...facts, durationMs }
    }
  }
  let mostFailing: Standings['mostFailing']
  for (const [project, failed] of failures) {
    const isMost = failures.size > 1 && failed > (mostFailing?.failed ?? 0)
    if (isMost) mostFailing = { project, failed }
  }
  return { total: builds.length, ...counts, mostFailing, slowest }
}
