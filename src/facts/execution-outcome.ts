/**
 * How an execution ended, whatever the tool calls it. `unfinished` has no finish event (yet),
 * `other` is a word that is not known here: `rawOutcome` has it.
 */
export const executionOutcomes = [
  'failed',
  'succeeded',
  'from-cache',
  'up-to-date',
  'no-source',
  'skipped',
  'unfinished',
  'other',
] as const
export type ExecutionOutcome = (typeof executionOutcomes)[number]

/** Reads a tool's own word for an outcome, in any case and with any of `_`, `-` and blanks. */
export function readOutcome(raw: string): ExecutionOutcome {
  return words[raw.toLowerCase().replace(/[-\s]/g, '_')] ?? 'other'
}

/** The words of TaskFinished and MvnGoalExecutionFinished, and those of the build data API. */
const words: Readonly<Record<string, ExecutionOutcome>> = {
  success: 'succeeded',
  succeeded: 'succeeded',
  executed: 'succeeded',
  failed: 'failed',
  failure: 'failed',
  from_cache: 'from-cache',
  avoided_from_local_cache: 'from-cache',
  avoided_from_remote_cache: 'from-cache',
  up_to_date: 'up-to-date',
  avoided_up_to_date: 'up-to-date',
  no_source: 'no-source',
  skipped: 'skipped',
  skip: 'skipped',
}
