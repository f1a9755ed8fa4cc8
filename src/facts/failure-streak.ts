import { branchOf, type Facts } from '../protocol/facts.ts'

/** Builds of the same kind with the same ending, one after the other. */
export interface FailureStreak {
  /** Failures in a row: up to and with the build if it failed, else those just before it. */
  readonly failures: number
  /** Whether the row may have begun earlier than what is known goes back to. */
  readonly isOpen: boolean
  /** The branch that it is a row of, where builds say their branch. */
  readonly branch: string | undefined
  readonly previous: string | undefined
  /** The failed builds of the row before this one, the newest first. */
  readonly before: readonly Facts[]
  /** The success that the row follows; undefined where what is known doesn't go back to one. */
  readonly lastSuccess: Facts | undefined
}

/**
 * How long its project and branch have been failing when `build` was done. `earlier` are builds
 * before it, the newest first; those of other projects, branches and requests are passed over, and
 * so are those whose outcome is not known.
 */
export function failureStreak(build: Facts, earlier: Iterable<Facts>): FailureStreak {
  const branch = branchOf(build)
  const before: Facts[] = []
  let lastSuccess: Facts | undefined
  let previous: string | undefined
  for (const other of earlier) {
    if (!isSameKind(build, other) || branchOf(other) !== branch) continue
    if (other.outcome === undefined || other.outcome === null) continue
    previous ??= other.buildId
    if (other.outcome === 'succeeded') {
      lastSuccess = other
      break
    }
    before.push(other)
  }
  const failures = before.length + (build.outcome === 'failed' ? 1 : 0)
  return { failures, isOpen: lastSuccess === undefined, branch, previous, before, lastSuccess }
}

/** Whether `later` is a success of what failed in `build`: of the same work on the same branch, and after it. */
export function isLaterSuccess(build: Facts, later: Facts): boolean {
  return (
    later.outcome === 'succeeded' &&
    later.receivedAt > build.receivedAt &&
    isSameKind(build, later) &&
    branchOf(later) === branchOf(build)
  )
}

function isSameKind(build: Facts, other: Facts): boolean {
  return (
    other.project === build.project &&
    other.buildTool === build.buildTool &&
    other.requested?.join(' ') === build.requested?.join(' ')
  )
}
