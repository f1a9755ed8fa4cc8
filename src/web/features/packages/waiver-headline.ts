import { waivedSentence } from '../../../policy/waived-sentence.ts'
import type { WaivedVerdict } from '../../../policy/waived-verdict.ts'
import { type PolicyScanView, isRunning } from '../../data/scans/policy-scan.ts'
import { countOf } from '../../../protocol/count.ts'
import type { Zone } from '../../ui/instant.ts'
import { expiryText } from '../../domain/waiver/waiver-words.ts'
import { verdictTones } from '../../domain/run/verdict-tones.ts'
import { type ScanSentence, scanSentence } from './scan-sentence.ts'

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
