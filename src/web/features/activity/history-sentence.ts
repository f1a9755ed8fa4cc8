import { verdictSentence } from '../../../policy/verdict-sentence.ts'
import type { EvaluationSummary } from '../../../protocol/evaluation.ts'
import { countOf, countText } from '../../../protocol/count.ts'

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
  if (newest === undefined) return 'No run is recorded.'
  const { verdict, counts } = newest
  const streak = streakOf(runs)
  const since = streak.at(-1) ?? newest
  const told = verdictSentence({ verdict, counts }).replace(':', ' in the last run:')
  const number = isAll ? countOf(runs.length, 'run') : `the last ${countText(runs.length)} runs`
  const passed = runs.filter((run) => run.verdict === 'releasable').length
  const lasting =
    streak.length > 1
      ? ` So for ${countText(streak.length)} runs${streak.length === runs.length && !isAll ? ' at least' : ''}, since ${dayText(since.endedAt)}.`
      : ''
  return `${told}${lasting} Of ${number}, ${countText(passed)} said releasable.`
}

/** The newest runs that all came out the same. */
function streakOf(runs: readonly EvaluationSummary[]): readonly EvaluationSummary[] {
  const end = runs.findIndex(({ verdict }) => verdict !== runs[0]?.verdict)
  return end === -1 ? runs : runs.slice(0, end)
}
