import type { Context } from 'hono'
import { z } from 'zod'
import { dayMs } from '../../protocol/clock.ts'
import { parsedJson } from '../../protocol/parsed-text.ts'
import { type ProblemError, problemError } from '../../protocol/problem.ts'
import type { ProxyEnv } from './sessions.ts'

/** The largest request body that is taken, bytes: a decision on 10,000 results has three million. */
export const maxRequestBytes = 4 * 1024 * 1024

/**
 * The whole body of a request; empty where there is none. It is held so that nothing is sent on
 * before it is known to be complete and small enough. Throws a ProblemError 413 past
 * 4 MiB: by its length header at once, else as soon as it is passed.
 */
export async function readRequestBody(request: Request): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > maxRequestBytes) throw tooLarge()
  if (request.body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let held = 0
  const reader = request.body.getReader()
  for (;;) {
    const next = await reader.read()
    if (next.done) return Buffer.concat(chunks)
    held += next.value.length
    // The rest is left unread, not cancelled: that would take the connection and the answer with it.
    if (held > maxRequestBytes) throw tooLarge()
    chunks.push(next.value)
  }
}

/**
 * The same of a request that must send JSON. Throws a ProblemError 415 where it doesn't say so, and 400 for the character U+0000,
 * which no PostgreSQL database stores.
 */
export async function readJsonBody({ req }: Context): Promise<Uint8Array> {
  if (!/^application\/json(?:;|$)/i.test(req.header('content-type') ?? '')) {
    throw problemError(
      415,
      'unsupported-body',
      'Unsupported media type',
      'The body must be application/json.',
    )
  }
  const body = await readRequestBody(req.raw)
  if (!/(?<!\\)(?:\\\\)*\\u0000/.test(new TextDecoder().decode(body))) return body
  throw problemError(400, 'bad-character', 'Bad request', "The character U+0000 can't be stored.")
}

function tooLarge(): ProblemError {
  return problemError(
    413,
    'body-too-large',
    'Content too large',
    `The request body is larger than ${maxRequestBytes / 1024 / 1024} MiB.`,
  )
}

/** What stands in a body as JSON; undefined where it is none. */
export function jsonIn(body: Uint8Array): unknown {
  return parsedJson(new TextDecoder().decode(body))
}

/** What is wrong with a field, in a sentence. */
export interface FieldMistake {
  readonly field: string
  readonly mistake: string
}

/** As which problem a body with mistakes is refused. */
export interface Refusal {
  readonly code: string
  readonly title: string
}

/**
 * A body that was read by its schema, whose messages follow the name of their field. Throws a ProblemError
 * 400 with a sentence for each mistake, which `mistakeOf` makes.
 */
export function checkedBody<Body>(
  body: Uint8Array,
  schema: z.ZodType<Body>,
  refusal: Refusal,
  mistakeOf: (issue: z.core.$ZodIssue) => FieldMistake = mistakeOfIssue,
): Body {
  const read = schema.safeParse(jsonIn(body))
  if (read.success) return read.data
  // What is wrong with a field twice is said once.
  const issues = new Map(read.error.issues.toReversed().map((issue) => [issue.path.join(), issue]))
  throw badFields(refusal, [...issues.values()].toReversed().map(mistakeOf))
}

/** A ProblemError 400 with a sentence for each mistake, of which the first 20 are named. */
export function badFields({ code, title }: Refusal, all: readonly FieldMistake[]): ProblemError {
  const mistakes = all.slice(0, mostMistakes)
  const detail = mistakes.map(({ mistake }) => mistake).join(' ')
  return problemError(400, code, title, detail, { mistakes })
}

const mostMistakes = 20

function mistakeOfIssue({ path, message }: z.core.$ZodIssue): FieldMistake {
  return {
    field: String(path[0] ?? 'body'),
    mistake: path.length === 0 ? message : `${path.join('.')} ${message}`,
  }
}

/** A field of text. */
export const anyText = z.string('must be text.')

/** A text with so many characters at most, counted after what is done to `text`. */
export function textUpTo(most: number, text = anyText): z.ZodString {
  return text.max(most, `has more than ${most} characters.`)
}

/** A field with a time (epoch ms) after `now`, by so many days at most. */
export function timeWithin(now: number, days: number): z.ZodInt {
  return z
    .int('must be a time in milliseconds since 1970.')
    .gt(now, 'must be in the future.')
    .lte(now + days * dayMs, `must be within ${days} days.`)
}

/** The longest value of a query key, characters. */
const longestValue = 2048

/**
 * The values of the query keys that a list knows. Throws a ProblemError 400 that names a key which is
 * unknown, repeated or too long.
 */
export function readListQuery<const K extends string>(
  c: Context<ProxyEnv>,
  known: readonly K[],
): Partial<Record<K, string>> {
  const values: Partial<Record<K, string>> = {}
  for (const [key, value] of new URL(c.req.url).searchParams) {
    const name = known.find((one) => one === key)
    if (name === undefined) {
      throw badQuery(
        `Unknown query parameter "${key.slice(0, 40)}". Known parameters: ${known.join(', ')}.`,
      )
    }
    if (values[name] !== undefined) {
      throw badQuery(`The query parameter "${key}" may be given only once.`)
    }
    if (value.length > longestValue) {
      throw badQuery(
        `The value of the query parameter "${key}" is longer than ${longestValue} characters.`,
      )
    }
    values[name] = value
  }
  return values
}

const mostAtOnce = 500

/** How many rows a page may have: 100 unless told. Throws a ProblemError 400 for what is no number. */
export function readLimit(text = '100'): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= mostAtOnce) return limit
  throw badQuery(`"limit" must be a whole number from 1 to ${mostAtOnce}.`)
}

/** One of these values, or nothing where none is given. Throws a ProblemError 400 for another one. */
export function readChoice<const T extends string>(
  key: string,
  text: string | undefined,
  choices: readonly T[],
): T | undefined {
  if (text === undefined) return undefined
  const choice = choices.find((one) => one === text)
  if (choice === undefined) throw badQuery(`"${key}" must be one of: ${choices.join(', ')}.`)
  return choice
}

/** A page of rows of which one more was read than is shown, to know whether there are more. */
export function pageOf<T extends { readonly id: string }>(
  rows: readonly T[],
  limit: number,
): { readonly rows: readonly T[]; readonly next: string | null } {
  const shown = rows.slice(0, limit)
  return { rows: shown, next: rows.length > limit ? (shown.at(-1)?.id ?? null) : null }
}

/** A ProblemError 400 about the query. */
export function badQuery(detail: string): ProblemError {
  return problemError(400, 'bad-query', 'Bad query', detail)
}
