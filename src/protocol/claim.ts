import * as z from 'zod/mini'
import { EpochMs } from './build-message.ts'
import { foldCase } from './parsed-text.ts'

/**
 * Who looks after tiles that fail, and which of them sleep: `GET` for all of it, `POST` to claim a tile or let it sleep,
 * `POST …/end` to release or wake it (docs/wall.md#people).
 */
export const claimsPath = '/history/claims'
export const claimEndPath = `${claimsPath}/end`

/** As many days ahead a tile may sleep at most, and as many claims are listed, the newest. */
export const longestSleepDays = 30
export const mostClaims = 2_000

/** Somebody is on it, or it sleeps: a tile has each once at most. */
export const claimKinds = ['claim', 'sleep'] as const
export type ClaimKind = (typeof claimKinds)[number]

/** What somebody said of a tile. It counts while the failure lasts that it was said of (`holds`, facts/tile-claim.ts). */
export const TileClaim = z.looseObject({
  /** `tileKey` of its canonical query. */
  tile: z.string(),
  kind: z.enum(claimKinds),
  /** The user of the session, and when. */
  by: z.string(),
  createdAt: EpochMs,
  /** Since when it had been failing, as the tile said, by the build server's clock, epoch ms; null where nobody said so. */
  failingSince: z.nullish(EpochMs),
  /** Why it sleeps, and until when, epoch ms; null of a claim. */
  reason: z.nullable(z.string()),
  until: z.nullable(EpochMs),
})
export type TileClaim = z.infer<typeof TileClaim>

/** The tile that is meant: a query as anybody writes it, and the branch that the tile stands for. */
export interface ClaimedTile {
  readonly query: string
  readonly branch?: string | undefined
  /** Since when it has been failing, as it says. */
  readonly failingSince?: number | undefined
}

/**
 * What somebody asks for. It replaces what is there of the same kind; with `inPlaceOf` only what was said at that time (epoch ms;
 * null: nothing), unless they said it themselves or of an earlier failure.
 */
export type NewClaim = ClaimedTile & { readonly inPlaceOf?: number | null | undefined } & (
    | { readonly kind: 'claim' }
    | { readonly kind: 'sleep'; readonly reason: string; readonly until: number }
  )

/** The answer of `GET /history/claims`, the newest first; without what has slept out. */
export const ClaimList = z.looseObject({ claims: z.array(TileClaim) })
export type ClaimList = z.infer<typeof ClaimList>

/**
 * What tiles are told apart by: a canonical query (search/to-api.ts), that of a project in no case of letters, as all of its
 * spellings find the same builds; of different branches they are different tiles.
 */
export function tileKey(query: string, branch: string | undefined): string {
  const key = ofProject.test(query) ? foldCase(query) : query
  return branch === undefined ? key : `${key}\n${branch}`
}

const ofProject = /^project:(?:"(?:[^"\\]|\\.)*"|[^\s"()]+)$/
