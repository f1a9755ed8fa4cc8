import type { PolicyChange } from '../../../policy/run-difference.ts'
import type { PolicyStatus } from '../../../protocol/policy-result.ts'
import type { StatusTone } from '../../ui/status-mark.tsx'

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
