import { z } from 'zod'
import {
  attributesModel,
  cacheModel,
  toolsWithAttributes,
  type ToolWithAttributes,
  toolsWithCache,
  type ToolWithCache,
} from '../../protocol/build-data.ts'
import { buildGroupings } from '../../protocol/insight.ts'
import { check } from '../../search/check.ts'
import type { Diagnostic } from '../../search/diagnostic.ts'
import { parse } from '../../search/parse.ts'
import type { Query } from '../../search/tree.ts'
import { invalidQuery, invalidRequest } from './api-problem.ts'

/** A parameter that may be given once. */
const once = z.tuple([z.string()], { error: 'The parameter is given more than once' })

/** The last instant that a date of JavaScript has, epoch ms. */
const lastInstant = 8_640_000_000_000_000

/** A whole number, given once. */
function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER) {
  return decimalNumber.pipe(z.number().int().min(min).max(max))
}

/** A number, given once. */
export const decimalNumber = once
  .transform(([text]) => text)
  .pipe(z.string().refine(isNumber, { error: 'The value is not a number' }))
  .transform(Number)

/** true or false, given once. */
const flag = once
  .transform(([text]) => text)
  .pipe(z.enum(['true', 'false'], { error: 'The value must be true or false' }))
  .transform((text) => text === 'true')

/** A text, given once. */
const text = once.transform(([value]) => value)

/** Texts, separated by commas or in repeated parameters (docs/services.md#access-tokens). */
export const texts = z
  .array(z.string())
  .transform((lists) => lists.flatMap((list) => list.split(',')).filter((item) => item !== ''))

/**
 * Reads query parameters; unknown ones are left aside. Throws a 400 ProblemError that names the
 * parameter and what was found, worded as real servers do (docs/services.md#build-list-parameters).
 */
export function readQuery<Schema extends z.ZodType>(
  schema: Schema,
  queries: Readonly<Record<string, string[]>>,
): z.infer<Schema> {
  const result = schema.safeParse(queries)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const name = String(issue?.path[0] ?? '')
  const found = queries[name]?.join(', ') ?? ''
  throw invalidRequest(`${mistake(issue, found)} (Additional info: Query parameter: ${name}).`)
}

function mistake(issue: z.core.$ZodIssue | undefined, found: string): string {
  if (issue?.code === 'too_small') {
    return `Numeric instance is lower than the required minimum (minimum: ${issue.minimum}, found: ${found})`
  }
  if (issue?.code === 'too_big' && issue.origin === 'number') {
    return `Numeric instance is greater than the required maximum (maximum: ${issue.maximum}, found: ${found})`
  }
  return `${issue?.message ?? "Can't read the value"} (found: ${found})`
}

function isNumber(value: string): boolean {
  return value.trim() === value && value !== '' && Number.isFinite(Number(value))
}

const modelNames: ReadonlySet<string> = new Set([
  ...toolsWithAttributes.map(attributesModel),
  ...toolsWithCache.map(cacheModel),
])

const models = z
  .array(
    z.string().refine((name) => modelNames.has(name), {
      error: `Available models: ${[...modelNames].join(', ')}`,
    }),
  )
  .transform((names) => ({
    attributes: toolsWithAttributes.filter((tool) => names.includes(attributesModel(tool))),
    caches: toolsWithCache.filter((tool) => names.includes(cacheModel(tool))),
  }))

/** Which models are requested with a build. */
const modelParameters = {
  models: models.default({ attributes: [], caches: [] }),
  allModels: flag.default(false),
  skipUnavailableModels: flag.default(false),
}

/** Which models are requested, once read. */
export interface RequestedModels {
  readonly models: {
    readonly attributes: readonly ToolWithAttributes[]
    /** Those of what the build cache saved. */
    readonly caches: readonly ToolWithCache[]
  }
  readonly allModels: boolean
  readonly skipUnavailableModels: boolean
}

/**
 * The parameters of `GET /api/builds` that the oldest servers know (docs/services.md#build-list).
 */
export const PlainBuildList = z.object({
  since: wholeNumber(0).optional(),
  maxBuilds: wholeNumber(0, 1000).default(100),
})

/** All parameters of `GET /api/builds` (docs/services.md#build-list-parameters). */
export const BuildList = PlainBuildList.extend({
  ...modelParameters,
  sinceBuild: text.optional(),
  fromInstant: wholeNumber(0).optional(),
  fromBuild: text.optional(),
  reverse: flag.default(false),
  maxWaitSecs: wholeNumber(1, 20).default(3),
  query: text.optional(),
})
export type BuildList = z.infer<typeof BuildList>

const query = text.default('')

/** The parameters of `GET /api/builds/groups` (docs/services.md#build-groups). */
export const GroupsParameters = z.object({
  query,
  by: text.pipe(
    z.enum(buildGroupings, { error: `The value must be one of ${buildGroupings.join(', ')}` }),
  ),
})

/** The parameters of `GET /api/builds/trends` (docs/services.md#build-trends). */
export const TrendsParameters = z.object({
  query,
  by: text
    .pipe(z.enum(['project', 'branch'], { error: 'The value must be project or branch' }))
    .optional(),
  from: wholeNumber(0, lastInstant).optional(),
  to: wholeNumber(0, lastInstant).optional(),
})

/** The parameters of `GET /api/builds/{id}/{model}`. */
export const OneModel = z.object({
  availabilityWaitTimeoutSecs: wholeNumber(0, 60).default(0),
})

/** The parameters of `GET /api/builds/{id}`. */
export const OneBuild = OneModel.extend(modelParameters)

/** As many mistakes are put in words. */
const mostInWords = 5
/** And as many by their positions. */
const mostMistakes = 100

/**
 * A query in the advanced search language (docs/services.md#advanced-search-syntax). Throws a
 * ProblemError (400) that says in words what is wrong and where, and has every mistake as a member
 * of `queryMistakes`: `{from, to, code, message}`, with offsets in the text as it was received, in
 * UTF-16 code units. What is merely doubtful passes.
 */
export function readSearch(text: string): Query {
  const query = parse(text)
  const mistakes = check(query).filter(({ severity }) => severity === 'error')
  if (mistakes.length === 0) return query
  const words = mistakes.slice(0, mostInWords).map((mistake) => inWords(mistake, text))
  if (mistakes.length > mostInWords)
    words.push(`And ${mistakes.length - mostInWords} more problems.`)
  throw invalidQuery(
    `Query: ${words.join(' ')}`,
    mistakes
      .slice(0, mostMistakes)
      .map(({ from, to, code, message }) => ({ from, to, code, message })),
  )
}

function inWords({ from, to, message }: Diagnostic, text: string): string {
  return `${message} (${place(from, to, text)})`
}

/** Counted from 1, as people do. */
function place(from: number, to: number, text: string): string {
  if (from >= text.length) return 'at the end'
  return to - from <= 1 ? `character ${from + 1}` : `characters ${from + 1} to ${to}`
}
