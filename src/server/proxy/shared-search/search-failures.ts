import { factsFailure } from '../../../facts/insight/failure-text.ts'
import { isMainline, originOf } from '../../../facts/tile-branch.ts'
import type { BuildFailure, Facts } from '../../../protocol/facts.ts'
import type { InsightReader } from '../insight/insights.ts'
import { toolsWithFailures } from '../live/build-facts.ts'

/** Learns why builds failed that a search finds: lists of builds don't say it. */
export interface SearchFailures {
  /**
   * These builds, the newest first, with the failures of those whose work still fails; of what is not known yet three builds at
   * most are read. Never throws.
   */
  readonly learn: (builds: readonly Facts[], signal: AbortSignal) => Promise<readonly Facts[]>
}

/** Learns them from `reader`; without one, nothing. */
export function createSearchFailures(
  reader: Pick<InsightReader<BuildFailure[]>, 'read'> | undefined,
): SearchFailures {
  /** By build; undefined where none could be read. */
  const known = new Map<string, BuildFailure | undefined>()

  const remember = (buildId: string, failure: BuildFailure | undefined): void => {
    known.set(buildId, failure)
    if (known.size > remembered) known.delete(known.keys().next().value ?? '')
  }

  return {
    learn: async (builds, signal) => {
      if (reader === undefined) return builds
      const wanted = stillFailing(builds)
        .slice(0, readAtMost)
        .flatMap(({ buildId }) => (known.has(buildId) ? [] : [buildId]))
      for await (const insight of reader.read(wanted, signal)) {
        const [failure] = 'result' in insight ? insight.result : []
        remember(insight.buildId, failure && factsFailure(failure))
      }
      return builds.map((facts) => {
        const failure = facts.failure ?? known.get(facts.buildId)
        return failure === undefined ? facts : { ...facts, failure }
      })
    },
  }
}

const readAtMost = 3
const remembered = 2000

/** The newest build of each work that failed, those that tiles stand for first. */
function stillFailing(builds: readonly Facts[]): readonly Facts[] {
  const ended = new Set<string>()
  return builds
    .filter((build) => {
      const { line, work } = originOf(build)
      const key = `${line}\n${work}`
      if ((build.outcome ?? null) === null || ended.has(key)) return false
      ended.add(key)
      return (
        build.outcome === 'failed' &&
        (build.failure ?? null) === null &&
        toolsWithFailures.has(build.buildTool)
      )
    })
    .sort((a, b) => rankOf(a) - rankOf(b))
}

function rankOf(build: Facts): number {
  const { branch, isLocal, isPullRequest } = originOf(build)
  if (isLocal || isPullRequest) return 2
  return branch === undefined || isMainline(branch) ? 0 : 1
}
