import { type ScanVerdict, verdictSentence } from '../../../policy/verdict.ts'
import { waivedSentence, type WaivedVerdict } from '../../../policy/waived-verdict.ts'
import { countOf } from '../../../protocol/count.ts'
import { isRunning, type PolicyScanView } from '../../data/scans/policy-scan.ts'
import { verdictTones } from '../../domain/run/remembered-runs.ts'
import { expiryText } from '../../domain/waiver/waiver-draft.ts'
import type { Zone } from '../../ui/format.ts'
import type { StatusTone } from '../../ui/status-mark.tsx'

/** The answer of the page, in one sentence, and what it means as a tone. */
interface ScanSentence {
  readonly text: string
  readonly tone: StatusTone
}

/** What can be said at this moment (epoch ms); before the end nothing counts as releasable. */
export function scanSentence(
  { state, results }: Pick<PolicyScanView, 'state' | 'results'>,
  { verdict, counts }: ScanVerdict,
  now: number,
): ScanSentence {
  switch (state.is) {
    case 'idle':
    case 'asking':
      return { text: 'Evaluating: no results yet.', tone: 'waiting' }
    case 'waiting': {
      const seconds = Math.max(0, Math.ceil((state.until - now) / 1000))
      return { text: `The policy service is busy. Retrying in ${seconds} s.`, tone: 'waiting' }
    }
    case 'reading': {
      const failing = counts.unsatisfied
      const soFar = `Evaluating: ${countOf(results, 'result')} so far`
      return failing === 0
        ? { text: `${soFar}.`, tone: 'waiting' }
        : {
            text: `Not releasable: ${countOf(failing, 'policy', 'policies')} already unsatisfied. ${soFar}.`,
            tone: 'bad',
          }
    }
    case 'refused':
      return { text: 'Not evaluated.', tone: 'bad' }
    case 'done':
    case 'cancelled':
    case 'broken':
      return { text: verdictSentence({ verdict, counts }), tone: verdictTones[verdict] }
  }
}

/**
 * The answer of the page where waivers are counted: `scanSentence` where there are none. What only a
 * waiver lets pass is never said like what passed. `now` is epoch ms.
 */
export function waiverHeadline(
  view: Pick<PolicyScanView, 'state' | 'results'>,
  verdict: WaivedVerdict,
  { now, zone }: { readonly now: number; readonly zone: Zone },
): ScanSentence {
  const { said, waived } = verdict
  if (waived.size === 0 || view.state.is === 'refused') return scanSentence(view, said, now)
  if (!isRunning(view.state)) {
    const text = waivedSentence(verdict, (at) => expiryText(at, zone, now))
    return { text, tone: verdictTones[verdict.verdict] }
  }
  // So far all that fails is waived: that decides nothing yet.
  const isOpen = view.state.is === 'reading' && waived.size === said.counts.unsatisfied
  return isOpen
    ? {
        text: `Evaluating: ${countOf(view.results, 'result')} so far, ${countOf(waived.size, 'policy', 'policies')} unsatisfied but waived.`,
        tone: 'waiting',
      }
    : scanSentence(view, said, now)
}
