import { Counter, Histogram, type Registry } from 'prom-client'
import { isMainline, originOf } from '../../facts/tile-branch.ts'
import type { Facts } from '../../protocol/facts.ts'

/** What the numbers of builds are kept by. */
export interface BuildMetricsOptions {
  /** Builds that were received before it are left out: they were counted by the process before, epoch ms. */
  readonly since: number
  /** How far the clock of the build server, which says when it received them, is ahead of this one, ms. */
  readonly clockSkewMs?: () => number
  /** Of projects whose default branch is configured. */
  readonly defaultBranches: Readonly<Record<string, string>>
  /** So many projects have a label of their own, those that come first; all others are `other`. */
  readonly mostProjects?: number
}

/**
 * Counts builds and their durations by project, outcome and kind of branch (`default`,
 * `pull_request`, `other`, `unknown`), each build once, as soon as its outcome is known. Returns what
 * takes what the live feed learns of builds; it may say the same again.
 */
export function registerBuilds(
  registry: Registry,
  { since, clockSkewMs = () => 0, defaultBranches, mostProjects = 100 }: BuildMetricsOptions,
): (facts: Facts) => void {
  const registers = [registry]
  const builds = new Counter({
    name: 'sightline_builds_total',
    help: 'Builds that the live feed brought, by project, outcome and kind of branch. Every instance counts all of them.',
    labelNames: ['project', 'outcome', 'branch_kind'],
    registers,
  })
  const durations = new Histogram({
    name: 'sightline_build_duration_seconds',
    help: 'Duration of these builds.',
    labelNames: ['project', 'outcome'],
    buckets: [10, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200],
    registers,
  })
  const projects = new Map<string, string>()
  const counted = new Set<string>()

  function labelOf(project: string | null | undefined): string {
    if (typeof project !== 'string' || project === '') return 'unknown'
    const key = project.toLowerCase()
    const known = projects.get(key)
    if (known !== undefined) return known
    if (projects.size >= mostProjects) return 'other'
    const label = project.slice(0, longestLabel)
    projects.set(key, label)
    return label
  }

  function kindOf(facts: Facts): string {
    const { branch, isPullRequest } = originOf(facts)
    if (isPullRequest) return 'pull_request'
    if (branch === undefined) return 'unknown'
    const named = Object.entries(defaultBranches).find(
      ([project]) => project.toLowerCase() === facts.project?.toLowerCase(),
    )?.[1]
    return branch === named || (named === undefined && isMainline(branch)) ? 'default' : 'other'
  }

  return (facts) => {
    const { buildId, receivedAt, outcome, durationMs, project } = facts
    if (outcome === undefined || outcome === null || counted.has(buildId)) return
    if (receivedAt < since + clockSkewMs()) return
    counted.add(buildId)
    const [oldest] = counted
    if (counted.size > mostRemembered && oldest !== undefined) counted.delete(oldest)
    const label = labelOf(project)
    builds.inc({ project: label, outcome, branch_kind: kindOf(facts) })
    if (typeof durationMs === 'number') {
      durations.observe({ project: label, outcome }, durationMs / 1000)
    }
  }
}

/** What is learned of a build comes within minutes. */
const mostRemembered = 50_000
const longestLabel = 100
