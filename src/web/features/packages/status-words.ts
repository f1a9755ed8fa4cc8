import type { PolicyChange } from '../../../policy/run-difference.ts'
import type { PolicyStatus } from '../../../protocol/policy-result.ts'
import type { StatusTone } from '../../ui/status-mark.tsx'
import { cutText } from './cut-text.ts'

/** How a policy came out, in words. */
export const statusWords: Readonly<Record<PolicyStatus, string>> = {
  unsatisfied: 'unsatisfied',
  unknown: 'not known here',
  satisfied: 'satisfied',
  'not-applicable': 'not applicable',
}

/** And what that means for whoever wants to release. */
export const statusTones: Readonly<Record<PolicyStatus, StatusTone>> = {
  unsatisfied: 'bad',
  unknown: 'waiting',
  satisfied: 'good',
  'not-applicable': 'none',
}

/** What became of a policy, in words. */
export const changeWords: Readonly<Record<PolicyChange, string>> = {
  'newly-failing': 'newly failing',
  'still-failing': 'still failing',
  fixed: 'fixed',
  changed: 'changed',
  added: 'new in the scan',
  unchanged: 'unchanged',
}

/** A status that this client does not know, in the word of the service: a line has room for a word. */
export function unknownWord(statusText: string): string {
  return cutText(statusText, 24) || 'no status'
}
