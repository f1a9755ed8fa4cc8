import type { Context } from 'hono'
import { z } from 'zod'
import { claimKinds, longestSleepDays, tileKey } from '../../../protocol/claim.ts'
import { problemError } from '../../../protocol/problem.ts'
import { listClaims, sayOfTile, takeBack } from '../../store/claims.ts'
import { readJsonBody } from '../read-request.ts'
import type { ProxyEnv } from '../sessions.ts'
import { readSharedQuery } from '../shared-search/shared-search-list.ts'
import { originOf } from './audit.ts'
import { dayMs, type HistoryOptions } from './history.ts'

type Answer = (c: Context<ProxyEnv>) => Promise<Response>

/** `GET /history/claims`: who is on which tile, and which of them sleep, the newest first. */
export function claimList({ database, clock }: HistoryOptions): Answer {
  return async (c) => c.json({ claims: await listClaims(database, clock.now()) })
}

/** `POST /history/claims`: answers 201 with what the user of the session says of a tile from now on. */
export function claimTile({ database, clock, changes }: HistoryOptions): Answer {
  return async (c) => {
    const at = clock.now()
    const asked = readBody(newClaimAt(at), await readJsonBody(c))
    const tile = tileKey(readSharedQuery(asked.query), asked.branch)
    const { kind } = asked
    const sleep = asked.kind === 'sleep' ? asked : { reason: null, until: null }
    const { reason, until } = sleep
    const said = await sayOfTile(database, { tile, kind, reason, until }, { ...originOf(c), at })
    changes.publish('claims', tile)
    return c.json(said, 201)
  }
}

/** `POST /history/claims/end`: answers 200, and 409 where it is over already. */
export function endClaim({ database, clock, changes }: HistoryOptions): Answer {
  return async (c) => {
    const { query, branch, kind } = readBody(ending, await readJsonBody(c))
    const tile = tileKey(readSharedQuery(query), branch)
    if (!(await takeBack(database, { tile, kind }, { ...originOf(c), at: clock.now() }))) {
      const sentence =
        kind === 'claim' ? 'Nobody is on this tile any more.' : 'This tile is awake already.'
      throw problemError(409, 'claim-is-over', 'Already over', sentence)
    }
    changes.publish('claims', tile)
    return c.json({})
  }
}

/** Throws a ProblemError 400 with a sentence for each mistake. */
function readBody<Body>(schema: z.ZodType<Body>, body: Uint8Array): Body {
  const read = schema.safeParse(parsed(body))
  if (read.success) return read.data
  const mistakes = read.error.issues.slice(0, 20).map(({ path, message }) => ({
    field: String(path[0] ?? 'body'),
    mistake: path.length === 0 ? message : `${path.join('.')} ${message}`,
  }))
  const detail = mistakes.map(({ mistake }) => mistake).join(' ')
  throw problemError(400, 'bad-claim', 'Bad claim', detail, { mistakes })
}

const textUpTo = (most: number) =>
  z.string('must be text.').max(most, `has more than ${most} characters.`)

// Messages follow the name of their field.
const tile = {
  query: textUpTo(4_000).trim().min(1, 'is empty.'),
  branch: textUpTo(1_000).optional(),
}
const newClaimAt = (now: number) =>
  z.discriminatedUnion(
    'kind',
    [
      z.object({ ...tile, kind: z.literal('claim') }),
      z.object({
        ...tile,
        kind: z.literal('sleep'),
        reason: textUpTo(500).trim().min(1, 'is empty.'),
        until: z
          .int('must be a time in milliseconds since 1970.')
          .gt(now, 'must be in the future.')
          .lte(now + longestSleepDays * dayMs, `must be within ${longestSleepDays} days.`),
      }),
    ],
    'must be claim, or sleep with a reason and until.',
  )
const ending = z.object(
  { ...tile, kind: z.enum(claimKinds, 'must be claim or sleep.') },
  'The body must be a JSON object with query and kind.',
)

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}
