import type { ClaimKind, TileClaim } from '../protocol/claim.ts'
import type { TileState } from './tile-state.ts'

export interface TilePeople {
  readonly claim?: TileClaim
  readonly sleep?: TileClaim
}

const nobody: TilePeople = {}

/**
 * Whether what was said of a tile holds at `now` (epoch ms): while that failure lasts of which it was said, or, where that is not
 * known, that was there when it was said. A success ends it, whoever sees it; what sleeps wakes at its time, too.
 */
function holds(
  { createdAt, failingSince, until }: TileClaim,
  { status, since = Infinity, isOpen }: Pick<TileState, 'status' | 'since' | 'isOpen'>,
  now: number,
): boolean {
  if (status !== 'failing' || (until !== null && until <= now)) return false
  // Where the beginning of the failures is no longer known, it was earlier than what is.
  return isOpen || since <= (failingSince ?? createdAt)
}

/** What holds of a tile, by all that was said of it, at most once of each kind. */
export function peopleOf(
  claims: readonly TileClaim[],
  state: Pick<TileState, 'status' | 'since' | 'isOpen'>,
  now: number,
): TilePeople {
  const of = (kind: ClaimKind): TileClaim | undefined =>
    claims.find((one) => one.kind === kind && holds(one, state, now))
  const [claim, sleep] = [of('claim'), of('sleep')]
  if (claim === undefined && sleep === undefined) return nobody
  return { ...(claim && { claim }), ...(sleep && { sleep }) }
}
