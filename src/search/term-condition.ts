import type { Condition } from './condition.ts'
import type { Field } from './field.ts'
import { findField } from './fields.ts'
import { flagCondition, readCondition } from './read-condition.ts'
import type { Flag, Term } from './tree.ts'

/**
 * What a term or a bare name demands, and of which field. Undefined where there is no such field,
 * or its value cannot be read: `check` says why.
 */
export function conditionOf(
  part: Term | Flag,
): { readonly field: Field; readonly condition: Condition } | undefined {
  const field = findField(part.field.name)
  if (!field) return undefined
  const reading = part.type === 'flag' ? flagCondition(field) : readCondition(part, field)
  return reading.ok ? { field, condition: reading.condition } : undefined
}
