import type { Condition } from './condition.ts'
import type { Diagnostic } from './diagnostic.ts'

/** What a term demands, with what is doubtful about it; or the one mistake that says why nothing. */
export type ConditionReading =
  | { readonly ok: true; readonly condition: Condition; readonly remarks: readonly Diagnostic[] }
  | { readonly ok: false; readonly mistake: Diagnostic }
