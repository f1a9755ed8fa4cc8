import { z } from 'zod'
import { claimKinds, longestSleepDays, tileKey } from '../../../protocol/claim.ts'
import { problemError } from '../../../protocol/problem.ts'
import { claimsOfTile, listClaims, sayOfTile, takeBack } from '../../store/claims.ts'
import { checkedBody, readJsonBody, textUpTo, timeWithin } from '../read-request.ts'
import type { RouteHandler } from '../sessions.ts'
import { readSharedQuery } from '../shared-search/shared-search-list.ts'
import { originOf } from './audit.ts'
import type { HistoryOptions } from './history.ts'

/** `GET /history/claims`: who is on which tile, and which of them sleep, the newest first. */
export function claimList({ database, clock }: HistoryOptions): RouteHandler {
  return async (c) => c.json({ claims: await listClaims(database, clock.now()) })
}

/** `POST /history/claims`: answers 201 with what the user of the session says of a tile from now on. */
export function claimTile({ database, clock, changes }: HistoryOptions): RouteHandler {
  return async (c) => {
    const at = clock.now()
    const asked = checkedBody(await readJsonBody(c), newClaimAt(at), badClaim)
    const tile = tileKey(readSharedQuery(asked.query), asked.branch)
    const { kind, failingSince } = asked
    const sleep = asked.kind === 'sleep' ? asked : { reason: null, until: null }
    const { reason, until } = sleep
    const of = { tile, kind, failingSince, reason, until }
    const said = await sayOfTile(database, of, { ...originOf(c), at })
    changes.publish('claims', tile)
    return c.json(said, 201)
  }
}

/** `POST /history/claims/end`: answers 200, and 409 where it is over already, or somebody else has said it since. */
export function endClaim({ database, clock, changes }: HistoryOptions): RouteHandler {
  return async (c) => {
    const { query, branch, kind, createdAt } = checkedBody(await readJsonBody(c), ending, badClaim)
    const tile = tileKey(readSharedQuery(query), branch)
    const said = { tile, kind, createdAt }
    if (!(await takeBack(database, said, { ...originOf(c), at: clock.now() }))) {
      const newer = (await claimsOfTile(database, tile)).find((claim) => claim.kind === kind)
      if (newer !== undefined) {
        const what = kind === 'claim' ? 'has claimed this tile' : 'has let this tile sleep'
        throw problemError(
          409,
          'claim-is-newer',
          'Changed since',
          `${newer.by} ${what} since. Look again.`,
        )
      }
      const sentence =
        kind === 'claim' ? 'Nobody is on this tile any more.' : 'This tile is awake already.'
      throw problemError(409, 'claim-is-over', 'Already over', sentence)
    }
    changes.publish('claims', tile)
    return c.json({})
  }
}

const badClaim = { code: 'bad-claim', title: 'Bad claim' }

// Messages follow the name of their field.
const tile = {
  query: textUpTo(4_000).trim().min(1, 'is empty.'),
  branch: textUpTo(1_000).optional(),
}
const newTile = {
  ...tile,
  failingSince: z
    .int('must be a time in epoch milliseconds.')
    .nonnegative('must be a time in epoch milliseconds.')
    .optional(),
}
const newClaimAt = (now: number) =>
  z.discriminatedUnion(
    'kind',
    [
      z.object({ ...newTile, kind: z.literal('claim') }),
      z.object({
        ...newTile,
        kind: z.literal('sleep'),
        reason: textUpTo(500).trim().min(1, 'is empty.'),
        until: timeWithin(now, longestSleepDays),
      }),
    ],
    'must be claim, or sleep with a reason and until.',
  )
const ending = z.object(
  {
    ...tile,
    kind: z.enum(claimKinds, 'must be claim or sleep.'),
    createdAt: z.int('must be a time in epoch milliseconds.').optional(),
  },
  'The body must be a JSON object with query and kind.',
)
