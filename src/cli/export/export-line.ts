import { z } from 'zod'
import { factsOfMessage } from '../../facts/merged-facts.ts'
import type { BuildMessage } from '../../protocol/build-message.ts'
import { BuildId } from '../../protocol/build-message.ts'
import { Facts } from '../../protocol/facts.ts'
import type { Answer } from '../../search/match.ts'

/** The version of the shape of a line; it rises when a field changes its meaning or goes. */
export const lineVersion = 1

const utcTime = z.iso.datetime({ precision: 3 })

/** One line of the export: a build (docs/export.md#the-line). */
export const ExportLine = z.object({
  version: z.literal(lineVersion),
  id: BuildId,
  /** When the build server had received the build, UTC. */
  receivedAt: utcTime,
  /** When the build itself began and ended, UTC; null where that isn't known. */
  startedAt: z.nullable(utcTime),
  finishedAt: z.nullable(utcTime),
  /** `unknown`: what is known of the build doesn't decide the query. */
  matches: z.enum(['yes', 'unknown']),
  /** False where no more than the announcement of the build was known in time. */
  complete: z.boolean(),
  facts: Facts,
})
export type ExportLine = z.infer<typeof ExportLine>

/** A build with what is known of it; without facts where they didn't become known in time. */
export interface ExportBuild {
  readonly build: BuildMessage
  readonly facts: Facts | undefined
}

/** The line of a build, with its line break. */
export function lineOf({ build, facts }: ExportBuild, matches: Exclude<Answer, 'no'>): string {
  const announced = factsOfMessage(build)
  const known = facts ?? announced
  const { startTime, durationMs } = known
  const line: ExportLine = {
    version: lineVersion,
    id: build.buildId,
    receivedAt: utc(build.timestamp),
    startedAt: typeof startTime === 'number' ? utc(startTime) : null,
    finishedAt:
      typeof startTime === 'number' && typeof durationMs === 'number'
        ? utc(startTime + durationMs)
        : null,
    matches,
    complete: Object.keys(known).some((key) => !(key in announced)),
    facts: known,
  }
  return `${JSON.stringify(line)}\n`
}

function utc(ms: number): string {
  return new Date(Math.min(ms, latestMs)).toISOString()
}

/** Later years have six digits and a sign (ECMA-262 section 21.4.1.32). */
const latestMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** What `--schema` prints. */
export const lineSchemas = {
  // As a reader may take it: new fields may come, and are none of its errors.
  json: () => z.toJSONSchema(ExportLine, { io: 'input' }),
  bigquery: () => columnsOf(JsonSchema.parse(z.toJSONSchema(ExportLine))),
} as const satisfies Readonly<Record<string, () => unknown>>
export type LineSchema = keyof typeof lineSchemas

/** As much of a JSON Schema as the line's own uses. */
interface JsonSchema {
  /** Many where a value may be of any of them. */
  readonly type?: string | readonly string[] | undefined
  readonly format?: string | undefined
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, JsonSchema>> | undefined
  readonly required?: readonly string[] | undefined
  readonly items?: JsonSchema | undefined
  readonly anyOf?: readonly JsonSchema[] | undefined
}

const JsonSchema: z.ZodType<JsonSchema> = z.lazy(() =>
  z.object({
    type: z.union([z.string(), z.array(z.string())]).optional(),
    format: z.string().optional(),
    const: z.unknown().optional(),
    properties: z.record(z.string(), JsonSchema).optional(),
    required: z.array(z.string()).optional(),
    items: JsonSchema.optional(),
    anyOf: z.array(JsonSchema).optional(),
  }),
)

/** A column of a BigQuery table schema. */
interface Column {
  readonly name: string
  readonly type: 'STRING' | 'INTEGER' | 'FLOAT' | 'BOOLEAN' | 'TIMESTAMP' | 'RECORD' | 'JSON'
  readonly mode: 'REQUIRED' | 'NULLABLE' | 'REPEATED'
  readonly fields?: readonly Column[]
}

function columnsOf({ properties = {}, required = [] }: JsonSchema): Column[] {
  return Object.entries(properties).map(([name, given]) => {
    const { schema, isNullable } = withoutNull(given)
    const isRequired = required.includes(name) && !isNullable
    if (schema.type === 'array') return { name, ...typeOf(schema.items ?? {}), mode: 'REPEATED' }
    return { name, ...typeOf(schema), mode: isRequired ? 'REQUIRED' : 'NULLABLE' }
  })
}

function typeOf(schema: JsonSchema): Pick<Column, 'type' | 'fields'> {
  const { type, format, properties } = schema
  if (type === 'object') {
    // Names with dots can't be columns: what has any names is one JSON value.
    return properties === undefined
      ? { type: 'JSON' }
      : { type: 'RECORD', fields: columnsOf(schema) }
  }
  if (type === 'integer' || typeof schema.const === 'number') return { type: 'INTEGER' }
  if (type === 'number') return { type: 'FLOAT' }
  if (type === 'boolean') return { type: 'BOOLEAN' }
  return { type: format === 'date-time' ? 'TIMESTAMP' : 'STRING' }
}

function withoutNull(schema: JsonSchema): { schema: JsonSchema; isNullable: boolean } {
  const { type, anyOf } = schema
  const kinds: readonly JsonSchema[] =
    anyOf ??
    (typeof type === 'string' ? [schema] : (type ?? []).map((one) => ({ ...schema, type: one })))
  const known = kinds.filter((one) => one.type !== 'null')
  const [only] = known
  return {
    schema: known.length === 1 && only !== undefined ? only : {},
    isNullable: known.length < kinds.length,
  }
}
