import type { FieldType } from '../field.ts'

/** What the values of a field are, in a word or two. */
export const typeWords: Readonly<Record<FieldType, string>> = {
  text: 'text',
  pair: 'name=value',
  duration: 'duration',
  instant: 'time',
  boolean: 'true or false',
  number: 'number',
  size: 'size',
}
