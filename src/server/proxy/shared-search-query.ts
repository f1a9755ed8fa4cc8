import { problem, ProblemError } from '../../protocol/problem.ts'
import { check } from '../../search/check.ts'
import { format } from '../../search/format.ts'
import { parse } from '../../search/parse.ts'
import { toApiQuery } from '../../search/to-api.ts'

/**
 * The canonical form of a query, in which those that differ by their spelling alone meet, as the API
 * is asked; times without a zone are UTC. Throws a ProblemError 400 with `queryMistakes`, `{from, to,
 * message}` each, where the query has an error, and one where it is too long.
 */
export function readSharedQuery(text: string): string {
  const query = parse(text)
  const mistakes = check(query).filter(({ severity }) => severity === 'error')
  const [first] = mistakes
  if (first !== undefined) {
    throw new ProblemError(
      problem(400, 'bad-query', 'Query with an error', first.message, {
        queryMistakes: mistakes
          .slice(0, toldAtMost)
          .map(({ from, to, code, message }) => ({ from, to, code, message })),
      }),
    )
  }
  const canonical = toApiQuery(parse(format(query)), { timeZone: 'UTC' })
  // It goes upstream in an address, and servers refuse long ones.
  if (new URLSearchParams({ query: canonical }).toString().length > longestEncoded) throw tooLong()
  return canonical
}

const longestEncoded = 4000

function tooLong(): ProblemError {
  return new ProblemError(
    problem(
      400,
      'query-too-long',
      'Query too long',
      'The query is too long for a server to take: make it shorter.',
    ),
  )
}

const toldAtMost = 20
