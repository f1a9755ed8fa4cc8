import type { Execution } from './execution.ts'

/** How a test case did over all its runs: flaky is the one that failed and passed. */
export const caseOutcomes = ['failed', 'flaky', 'passed', 'skipped', 'unfinished'] as const
export type CaseOutcome = (typeof caseOutcomes)[number]

/** A test case of one task, with each time that it ran. */
export interface TestCase {
  /** The path of the task that ran it, if that is known. */
  readonly task: string | null
  readonly className: string | null
  readonly name: string
  readonly outcome: CaseOutcome
  /** In the order of their starts. */
  readonly runs: readonly Execution[]
  /** Of all runs together, ms. */
  readonly durationMs: number
}

/**
 * Gathers the runs of tests into cases, in the order of their first runs. There is no event that
 * says flaky: a case is, if the same task ran the same name of the same class more than once, with
 * a failure and a pass among them (docs/services.md#export-event-types).
 */
export function testCases(executions: Iterable<Execution>): readonly TestCase[] {
  const cases = new Map<string, Execution[]>()
  for (const execution of executions) {
    if (execution.kind !== 'test') continue
    const key = `${execution.parent ?? ''}\n${execution.path}`
    const runs = cases.get(key)
    if (runs === undefined) cases.set(key, [execution])
    else runs.push(execution)
  }
  return Array.from(cases.values(), toCase)
}

function toCase(runs: readonly Execution[]): TestCase {
  const [first] = runs
  const className = first?.className ?? null
  const path = first?.path ?? ''
  return {
    task: first?.parent ?? null,
    className,
    name: className === null ? path : path.slice(className.length + 1),
    outcome: caseOutcome(runs),
    runs,
    durationMs: runs.reduce((sum, { durationMs }) => sum + (durationMs ?? 0), 0),
  }
}

function caseOutcome(runs: readonly Execution[]): CaseOutcome {
  const has = (outcome: Execution['outcome']): boolean =>
    runs.some((run) => run.outcome === outcome)
  if (has('failed')) return has('succeeded') ? 'flaky' : 'failed'
  if (has('succeeded')) return 'passed'
  return has('skipped') ? 'skipped' : 'unfinished'
}
