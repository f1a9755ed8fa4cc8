import { z } from 'zod'
import {
  type ClaimKind,
  claimKinds,
  longestSleepDays,
  type TileClaim,
  tileKey,
} from '../../../protocol/claim.ts'
import { type ProblemError, problemError } from '../../../protocol/problem.ts'
import { claimsOfTile, listClaims, sayOfTile, takeBack } from '../../store/claims.ts'
import type { Database } from '../../store/database.ts'
import { checkedBody, readJsonBody, textUpTo, timeWithin } from '../read-request.ts'
import type { RouteHandler } from '../sessions.ts'
import { readSharedQuery } from '../shared-search/shared-search-list.ts'
import { originOf } from './audit.ts'
import type { HistoryOptions } from './history.ts'

/** `GET /history/claims`: who is on which tile, and which of them sleep, the newest first. */
export function claimList({ database, clock }: HistoryOptions): RouteHandler {
  return async (c) => c.json({ claims: await listClaims(database, clock.now()) })
}

/** `POST /history/claims`: answers 201 with what the user of the session says of a tile from now on, 409 where somebody was faster. */
export function claimTile({ database, clock, changes }: HistoryOptions): RouteHandler {
  return async (c) => {
    const at = clock.now()
    const asked = checkedBody(await readJsonBody(c), newClaimAt(at), badClaim)
    const tile = tileKey(readSharedQuery(asked.query), asked.branch)
    const { kind, failingSince, inPlaceOf } = asked
    const sleep = asked.kind === 'sleep' ? asked : { reason: null, until: null }
    const { reason, until } = sleep
    const of = { tile, kind, failingSince, inPlaceOf, reason, until }
    const said = await sayOfTile(database, of, { ...originOf(c), at })
    if (said === undefined) throw (await newerClaim(database, of)) ?? isOver(kind)
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
      throw (await newerClaim(database, said)) ?? isOver(kind)
    }
    changes.publish('claims', tile)
    return c.json({})
  }
}

/** A ProblemError 409 that names who has said something of a tile meanwhile; undefined where nothing is said. */
async function newerClaim(
  database: Database,
  { tile, kind }: Pick<TileClaim, 'tile' | 'kind'>,
): Promise<ProblemError | undefined> {
  const newer = (await claimsOfTile(database, tile)).find((claim) => claim.kind === kind)
  if (newer === undefined) return undefined
  const what = kind === 'claim' ? 'has claimed this tile' : 'has let this tile sleep'
  return problemError(
    409,
    'claim-is-newer',
    'Changed since',
    `${newer.by} ${what} since. Look again.`,
  )
}

function isOver(kind: ClaimKind): ProblemError {
  const sentence =
    kind === 'claim' ? 'Nobody is on this tile any more.' : 'This tile is awake already.'
  return problemError(409, 'claim-is-over', 'Already over', sentence)
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
  inPlaceOf: z.int('must be a time in epoch milliseconds, or null.').nullish(),
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
