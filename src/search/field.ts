/** How the values of a field are written and compared (docs/services.md#advanced-search-syntax). */
export type FieldType = 'text' | 'pair' | 'duration' | 'instant' | 'boolean' | 'number' | 'size'

/** The tools whose builds have fields of their own (docs/services.md#tool-fields). */
export type SearchTool = 'gradle' | 'maven' | 'bazel' | 'sbt' | 'npm' | 'python'

/** A field of the search language. */
export interface Field {
  /** As `Facts.fields` has it: settings of the server are `platformSettings`. */
  readonly name: string
  readonly type: FieldType
  /** The tool whose builds alone have it; undefined for a generic field. */
  readonly tool: SearchTool | undefined
  /** One line: what it is. */
  readonly meaning: string
  /** All its values, where they are known beforehand. */
  readonly values?: readonly string[]
  /** The release of the server that first has it, and the last one: `2024.1.1`. */
  readonly since?: string
  readonly until?: string
  /** The name of the field that took its place. */
  readonly replacedBy?: string
}
