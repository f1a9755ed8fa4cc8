import type { Facts } from '../protocol/facts.ts'

/** Builds of the same kind with the same ending, one after the other. */
export interface FailureStreak {
  /** Failures in a row: up to and with the build if it failed, else those just before it. */
  readonly failures: number
  /** Whether the row may have begun earlier than what is known goes back to. */
  readonly isOpen: boolean
  /** The branch that it is a row of, where builds say their branch. */
  readonly branch: string | undefined
  /** The build before this one. */
  readonly previous: string | undefined
}

/** The custom value that says which branch was built, as the common plug-ins name it. */
export function branchOf({ values }: Pick<Facts, 'values'>): string | undefined {
  return values?.find(({ name }) => name.toLowerCase() === 'git branch')?.value
}

/**
 * How long its project and branch have been failing when `build` was done. `earlier` are builds
 * before it, the newest first; those of other projects, branches and requests are passed over, and
 * so are those whose outcome is not known.
 */
export function failureStreak(build: Facts, earlier: Iterable<Facts>): FailureStreak {
  const branch = branchOf(build)
  let failures = build.outcome === 'failed' ? 1 : 0
  let isOpen = true
  let previous: string | undefined
  for (const other of earlier) {
    if (!isSameKind(build, other) || branchOf(other) !== branch) continue
    if (other.outcome === undefined || other.outcome === null) continue
    previous ??= other.buildId
    if (other.outcome === 'succeeded') {
      isOpen = false
      break
    }
    failures += 1
  }
  return { failures, isOpen, branch, previous }
}

function isSameKind(build: Facts, other: Facts): boolean {
  return (
    other.project === build.project &&
    other.buildTool === build.buildTool &&
    other.requested?.join(' ') === build.requested?.join(' ')
  )
}
