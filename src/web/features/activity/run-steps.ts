import { policyKey, policyName } from '../../../policy/policy-group.ts'
import { verdictSentence } from '../../../policy/verdict.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import type { EvaluationSummary } from '../../../protocol/evaluation.ts'

/** A recorded run, and what changed since the one before it. */
export interface RunStep {
  readonly run: EvaluationSummary
  /** What it is compared with; undefined for the first one. */
  readonly before: EvaluationSummary | undefined
  /** Names of policies. */
  readonly newlyFailing: readonly string[]
  readonly noLongerFailing: readonly string[]
  /** Whether there may be more than is listed: records name the first failing policies only. */
  readonly isPartial: boolean
}

/**
 * Each run, the newest first, with what changed since the whole run before it: of the same artifact,
 * or of another one where this is the first of its own. A run that broke off proves no policy fixed.
 */
export function runSteps(runs: readonly EvaluationSummary[]): readonly RunStep[] {
  return runs.map((run, index) => {
    const before = runBefore(run, runs.slice(index + 1))
    if (before === undefined) return stepAlone(run)
    return {
      run,
      before,
      newlyFailing: failingOnlyIn(run, before),
      noLongerFailing: run.ended === 'complete' ? failingOnlyIn(before, run) : [],
      isPartial: [run, before].some(({ counts, failing }) => counts.unsatisfied > failing.length),
    }
  })
}

/** A run on its own, where what went before it is not told. */
export function stepAlone(run: EvaluationSummary): RunStep {
  return { run, before: undefined, newlyFailing: [], noLongerFailing: [], isPartial: false }
}

function runBefore(
  run: EvaluationSummary,
  older: readonly EvaluationSummary[],
): EvaluationSummary | undefined {
  const ofScan = older.filter(({ scan, ended }) => scan === run.scan && ended === 'complete')
  return (
    ofScan.find(
      ({ packagePath, sha256 }) => packagePath === run.packagePath && sha256 === run.sha256,
    ) ?? ofScan[0]
  )
}

function failingOnlyIn(one: EvaluationSummary, other: EvaluationSummary): readonly string[] {
  const others = new Set(other.failing.map(policyKey))
  return one.failing.filter((uri) => !others.has(policyKey(uri))).map((uri) => policyName(uri).name)
}

/**
 * How a scan came out over time, in words: the newest run, and for how long it has been like that.
 * `runs` are the newest first; `isAll` says whether there are no older ones; `dayText` writes epoch ms.
 */
export function historySentence(
  runs: readonly EvaluationSummary[],
  isAll: boolean,
  dayText: (at: number) => string,
): string {
  const [newest] = runs
  if (newest === undefined) return 'No runs recorded.'
  const { verdict, counts } = newest
  const streak = streakOf(runs)
  const since = streak.at(-1) ?? newest
  const newestText = verdictSentence({ verdict, counts }).replace(':', ' in the last run:')
  const number = isAll ? countOf(runs.length, 'run') : `the last ${countText(runs.length)} runs`
  const passed = runs.filter((run) => run.verdict === 'releasable').length
  const lasting =
    streak.length > 1
      ? ` Same verdict for ${streak.length === runs.length && !isAll ? 'at least ' : ''}${countText(streak.length)} runs, since ${dayText(since.endedAt)}.`
      : ''
  return `${newestText}${lasting} ${countText(passed)} of ${number} ${passed === 1 || runs.length === 1 ? 'was' : 'were'} releasable.`
}

/** The newest runs that all came out the same. */
function streakOf(runs: readonly EvaluationSummary[]): readonly EvaluationSummary[] {
  const end = runs.findIndex(({ verdict }) => verdict !== runs[0]?.verdict)
  return end === -1 ? runs : runs.slice(0, end)
}
