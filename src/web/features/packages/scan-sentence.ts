import { verdictSentence } from '../../../policy/verdict-sentence.ts'
import type { ScanVerdict } from '../../../policy/verdict.ts'
import type { PolicyScanView } from '../../data/scans/policy-scan.ts'
import { countOf } from '../../../protocol/count.ts'
import type { StatusTone } from '../../ui/status-mark.tsx'
import { verdictTones } from '../../domain/run/verdict-tones.ts'

/** The answer of the page, in one sentence, and what it means as a tone. */
export interface ScanSentence {
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
      return { text: 'Evaluating: no result yet.', tone: 'waiting' }
    case 'waiting': {
      const seconds = Math.max(0, Math.ceil((state.until - now) / 1000))
      return { text: `The service is busy: asked again in ${seconds} s.`, tone: 'waiting' }
    }
    case 'reading': {
      const failing = counts.unsatisfied
      const soFar = `Evaluating: ${countOf(results, 'result')} so far`
      return failing === 0
        ? { text: `${soFar}.`, tone: 'waiting' }
        : {
            text: `Not releasable, whatever follows: ${countOf(failing, 'policy', 'policies')} unsatisfied. ${soFar}.`,
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
