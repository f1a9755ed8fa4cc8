import type { Facts } from '../../../protocol/facts.ts'
import { durationText } from '../../ui/format.ts'

/** How two builds ended, in one sentence; empty while that is not known of both. */
export function comparedSentence(left: Facts | undefined, right: Facts | undefined): string {
  const [one, other] = [ending(left), ending(right)]
  if (one === undefined || other === undefined) return ''
  return `This build ${other}, the other one ${one}.`
}

function ending(facts: Facts | undefined): string | undefined {
  if (!facts?.outcome) return undefined
  const { outcome, durationMs } = facts
  return typeof durationMs === 'number' ? `${outcome} after ${durationText(durationMs)}` : outcome
}
