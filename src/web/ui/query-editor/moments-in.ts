import type { Moment } from '../../../search/values/condition.ts'
import { findField } from '../../../search/fields/fields.ts'
import { leavesOf, type Query } from '../../../search/tree.ts'
import { readCondition } from '../../../search/values/read-condition.ts'

/**
 * The points in time that a query names: by their types one can tell whether it needs a zone
 * (`local`), and whether what it means goes on with the time (`relative`).
 */
export function momentsIn({ root }: Query): readonly Moment[] {
  return leavesOf(root).flatMap((leaf) => {
    if (leaf.type !== 'term') return []
    const field = findField(leaf.field.name)
    const reading = field && readCondition(leaf, field)
    if (!reading?.ok || reading.condition.type !== 'instant') return []
    const { low, high } = reading.condition
    return [low, high].flatMap((edge) => (edge === undefined ? [] : [edge.moment]))
  })
}
