import { z } from 'zod'
import type { ProblemDetail } from '../../../protocol/problem.ts'

/** Where a server found a mistake in a query: offsets in the text that was sent to it. */
const QueryMistake = z.looseObject({
  from: z.number().int().nonnegative(),
  to: z.number().int().nonnegative(),
  message: z.string().min(1),
})
export type QueryMistake = z.infer<typeof QueryMistake>

const WithMistakes = z.looseObject({ queryMistakes: z.array(QueryMistake).min(1) })

/** The mistakes that a refusal names, undefined where it names none. */
export function mistakesIn(problem: ProblemDetail): readonly QueryMistake[] | undefined {
  return WithMistakes.safeParse(problem).data?.queryMistakes
}
