import type { Field } from './field.ts'
import { toolFields } from './fields-of-tools.ts'
import { genericFields } from './generic-fields.ts'

/**
 * All fields of the search language, generic ones first (docs/services.md#advanced-search-syntax).
 */
export const fields: readonly Field[] = [...genericFields, ...toolFields]

const byName = new Map(fields.map((field) => [field.name, field]))
// Real servers have another name for the settings that are the server's own
// (docs/design.md#tool-names).
for (const field of fields) {
  if (field.name.includes('.platformSettings.')) {
    byName.set(field.name.replace('platformSettings', 'develocitySettings'), field)
  }
}

/**
 * The field of this name. Names are case-sensitive; settings of the server have two spellings,
 * `platformSettings` and `develocitySettings`, which are the same field.
 */
export function findField(name: string): Field | undefined {
  return byName.get(name)
}
