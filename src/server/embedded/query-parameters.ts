import { z } from 'zod'
import { invalidRequest } from './api-problem.ts'

/** A parameter that may be given once. */
const once = z.tuple([z.string()], { error: 'The parameter is given more than once' })

/** A whole number, given once. */
export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER) {
  return decimalNumber.pipe(z.number().int().min(min).max(max))
}

/** A number, given once. */
export const decimalNumber = once
  .transform(([text]) => text)
  .pipe(z.string().refine(isNumber, { error: 'The value is not a number' }))
  .transform(Number)

/** true or false, given once. */
export const flag = once
  .transform(([text]) => text)
  .pipe(z.enum(['true', 'false'], { error: 'The value is neither true nor false' }))
  .transform((text) => text === 'true')

/** A text, given once. */
export const text = once.transform(([value]) => value)

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
  return `${issue?.message ?? 'The value cannot be read'} (found: ${found})`
}

function isNumber(value: string): boolean {
  return value.trim() === value && value !== '' && Number.isFinite(Number(value))
}
