import type { EvaluationSummary } from '../../../protocol/evaluation.ts'
import { countOf } from '../../../protocol/count.ts'
import { scanVerdict, verdictOfRun, verdictSentence } from '../../../policy/verdict.ts'
import type { BundleSubject } from './bundle-subject.ts'
import type { SummaryResult } from './verification-summary.ts'

/**
 * What the runs of a bundle come to: passed only where all of them are there, whole, and releasable, or
 * fail nothing but what was waived then. Everything else is a failure, and the sentence says which.
 */
export function bundleVerdict({ runs, verdicts, missing }: BundleSubject): SummaryResult {
  const outcomeOf = outcomeBy(verdicts)
  const failing = runs.filter((run) => outcomeOf(run) === 'failing').length
  const unclear = runs.filter((run) => outcomeOf(run) === 'unclear').length
  const waived = runs.filter((run) => outcomeOf(run) === 'waived').length
  const all = countOf(runs.length + missing.length, 'run')
  const parts = [
    ...(failing > 0 ? [`${failing} not releasable`] : []),
    ...(unclear > 0 ? [`${unclear} incomplete, inconclusive or with nothing evaluated`] : []),
    ...(missing.length > 0 ? [`${missing.length} never evaluated`] : []),
  ]
  if (parts.length > 0) {
    return { result: 'FAILED', sentence: `Not releasable: of ${all}, ${parts.join(', ')}.` }
  }
  const lacking = runs.filter((run) => verdictOfRun(run).unchecked.length > 0).length
  const withWaivers = waived > 0 ? ` with waivers (${waived} of ${all})` : ''
  const but = lacking > 0 ? `, but ${lacking} of ${all} left high policies unchecked` : ''
  return {
    result: 'PASSED',
    sentence: `Releasable${withWaivers}${but}: ${all}, all of them whole.`,
  }
}

function outcomeBy(verdicts: BundleSubject['verdicts']) {
  return ({
    id,
    ended,
    unreadable,
  }: EvaluationSummary): 'passing' | 'waived' | 'failing' | 'unclear' => {
    const verdict = verdicts.get(id)
    const isWhole = ended === 'complete' && unreadable === 0
    if (verdict === 'not-releasable') return 'failing'
    if (isWhole && verdict === 'releasable') return 'passing'
    return isWhole && verdict === 'releasable-with-waivers' ? 'waived' : 'unclear'
  }
}

/** The verdict of one run in words, with what was waived and what kept it from being whole. */
export function runSentence(run: EvaluationSummary): string {
  const { waived, ended, unreadable } = run
  const complete = ended === 'complete'
  // What broke off is not said to be releasable, whatever came of it until then.
  const isSaid = complete || run.verdict === 'not-releasable'
  return [
    verdictSentence(isSaid ? verdictOfRun(run) : scanVerdict([], { unreadable, complete })),
    ...(waived.length > 0 ? [`${countOf(waived.length, 'policy', 'policies')} waived.`] : []),
    ...(complete
      ? []
      : [ended === 'broken' ? 'The response broke off.' : 'Canceled before its end.']),
    ...(unreadable > 0 ? [`${countOf(unreadable, 'part')} of the response unreadable.`] : []),
  ].join(' ')
}
