import * as z from 'zod/mini'
import { EpochMs } from './build-message.ts'
import { Facts } from './facts.ts'
import { ProblemDetail } from './problem.ts'

/** Where screens ask for the newest builds of a query; the proxy asks the server once for all of them. */
export const sharedSearchPath = '/live/search'

/** The address of the shared search of a query, in docs/services.md#advanced-search-syntax. */
export function sharedSearchAddress(query: string): string {
  return `${sharedSearchPath}?${new URLSearchParams({ query }).toString()}`
}

/** How many builds a shared search holds at most. */
export const sharedSearchBuilds = 50

/**
 * The answer of `GET /live/search?query=…`: always a picture, perhaps an old one. A query with an
 * error is refused with 400 and `queryMistakes`, `{from, to, message}` each, offsets in what was
 * asked; more distinct queries than the proxy holds are refused with 429 and Retry-After.
 */
export const SharedSearch = z.looseObject({
  /** The form in which equal queries meet. */
  query: z.string(),
  /** The newest builds that match, the newest first; of some, more may become known later. */
  builds: z.array(Facts),
  /** When the server answered so, epoch ms of the proxy's clock; null while it never has. */
  askedAt: z.nullable(EpochMs),
  /** How old the picture was when this was sent, ms. */
  ageMs: z.nullable(z.number().check(z.nonnegative())),
  /** How soon there may be something new: earlier, the same answer would come again. */
  pollMs: z.number().check(z.nonnegative()),
  /**
   * Whether the build server searches. `unsupported`: it knows no queries, so `builds` is empty and the
   * feed alone can answer; `unknown`: it has not answered yet.
   */
  search: z.enum(['supported', 'unsupported', 'unknown']),
  /** Why the newest try failed, while the picture before it is still shown; else null. */
  problem: z.nullable(ProblemDetail),
})
export type SharedSearch = z.infer<typeof SharedSearch>
