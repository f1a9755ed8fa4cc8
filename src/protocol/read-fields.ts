import type * as z from 'zod/mini'

/** A part of a build's data that could not be read, and why; the rest of the build is not affected. */
export interface UnreadableField {
  /** Such as `tags[1]` of the attributes, or `BuildAgent.username` of the events. */
  readonly field: string
  readonly reason: string
}

/** Takes notice of what could not be read. */
export type OnUnreadable = (unreadable: UnreadableField) => void

/**
 * Decodes an object of which some fields may have another shape than the known ones: these are
 * reported under `name` and left out, of a list only the entries. Undefined where what is left can't
 * be read either.
 */
export function readFields<Schema extends z.ZodMiniType>(
  schema: Schema,
  data: Readonly<Record<string, unknown>>,
  name: string,
  onUnreadable: OnUnreadable,
): z.infer<Schema> | undefined {
  const decoded = schema.safeParse(data)
  if (decoded.success) return decoded.data
  const left = new Map(Object.entries(data))
  const leftOut = new Map<PropertyKey, Set<PropertyKey>>()
  for (const issue of decoded.error.issues) {
    const { path } = issue
    const [key = '', index] = path
    // Messages are not part of the light build of the schema library.
    const reason = issue.code === 'invalid_type' ? `expected ${issue.expected}` : 'unexpected value'
    onUnreadable({ field: fieldPath(name, path), reason })
    const value = data[String(key)]
    if (typeof index !== 'number' || !Array.isArray(value)) {
      left.delete(String(key))
      continue
    }
    const entries = leftOut.get(key) ?? new Set()
    leftOut.set(key, entries.add(index))
    left.set(
      String(key),
      value.filter((_, at) => !entries.has(at)),
    )
  }
  return schema.safeParse(Object.fromEntries(left)).data
}

function fieldPath(name: string, path: readonly PropertyKey[]): string {
  const parts = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
  return `${name}${parts.join('')}`.replace(/^\./, '')
}
