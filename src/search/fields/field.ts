/** How the values of a field are written and compared (docs/services.md#advanced-search-syntax). */
export type FieldType = 'text' | 'pair' | 'duration' | 'instant' | 'boolean' | 'number' | 'size'

/** The tools whose builds have fields of their own (docs/services.md#tool-fields). */
export type SearchTool = 'gradle' | 'maven' | 'bazel' | 'sbt' | 'npm' | 'python'

export interface Field {
  /** As `Facts.fields` has it: settings of the server are `platformSettings`. */
  readonly name: string
  readonly type: FieldType
  /** The tool whose builds alone have it; undefined for a generic field. */
  readonly tool: SearchTool | undefined
  readonly meaning: string
  /** All its values, where they are known beforehand. */
  readonly values?: readonly string[]
  /** The release of the server that first has it, and the last one: `2024.1.1`. */
  readonly since?: string
  readonly until?: string
  readonly replacedBy?: string
}

/**
 * Which of two releases of the server came first, such as `2024.1.1` and `2024.2`: negative when `a`
 * did, 0 when they are the same. A part that is not written counts as 0 (`2024.2` is `2024.2.0`).
 * Undefined where one of them is no release number.
 */
export function compareReleases(a: string, b: string): number | undefined {
  if (!release.test(a) || !release.test(b)) return undefined
  const left = a.split('.')
  const right = b.split('.')
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = Number(left[i] ?? 0) - Number(right[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

const release = /^\d{1,9}(?:\.\d{1,9})*$/
