import type { Context } from 'hono'
import type { ProblemError } from '../../../protocol/problem.ts'
import { problemError } from '../../../protocol/problem.ts'
import type { ProxyEnv } from '../sessions.ts'

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
