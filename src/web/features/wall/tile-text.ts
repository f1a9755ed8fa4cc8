import type { TileState, TileStatus } from '../../../facts/tile-state.ts'
import { countText } from '../../../protocol/count.ts'
import type { SearchStanding } from '../../data/wall/wall-searches.ts'
import { durationText } from '../../ui/format.ts'
import type { StatusTone } from '../../ui/status-mark.tsx'

/** How the states of tiles look: colour and shape follow from the tone. */
export const tileTones: Record<TileStatus, StatusTone> = {
  failing: 'bad',
  flaky: 'waiting',
  healthy: 'good',
  unknown: 'none',
  empty: 'none',
}

/** And what they are called. */
export const tileNames: Record<TileStatus, string> = {
  failing: 'Failing',
  flaky: 'Flaky',
  healthy: 'Healthy',
  unknown: 'Outcome unknown',
  empty: 'No builds yet',
}

/** How many in a row: "3 failures in a row", "12 good in a row"; undefined where it says nothing. */
export function rowText({
  status,
  inARow,
  between,
  isOpen,
  isMore,
}: TileState): string | undefined {
  const more = isMore ? ' or more' : ''
  const isFirst = inARow === 1
  // What was before is not known.
  if (isFirst && isMore && between === 0) return undefined
  if (between > 0 && status !== 'unknown' && status !== 'empty') {
    const verb = status === 'failing' ? 'failed' : 'passed'
    if (isMore && !isOpen) return `${inARow} or more builds ${verb}`
    return `${inARow} of ${isOpen ? 'the last ' : ''}${inARow + between} builds ${verb}`
  }
  switch (status) {
    case 'failing':
      return isFirst ? 'first failure' : `${inARow}${more} failures in a row`
    case 'flaky':
    case 'healthy':
      return isFirst ? 'good again' : `${inARow}${more} good in a row`
    case 'unknown':
    case 'empty':
      return undefined
  }
}

/** Why it is so: "verify · main · alice" broke it, a test or a commit came out both ways, or fixed it. */
export function causeText(state: TileState): string | undefined {
  const { status, breaking, flaky, fixedBy, inARow } = state
  if (status === 'unknown') return 'No finished build of the default branch'
  if (flaky?.test !== undefined) return `${flaky.test} failed and passed`
  if (flaky?.commit !== undefined) return `Commit ${flaky.commit.slice(0, 8)} failed and passed`
  if (fixedBy !== undefined && inARow < newsFor) return `Fixed by commit ${fixedBy.slice(0, 8)}`
  if (breaking === undefined) return undefined
  const { requested, branch, user } = breaking
  const parts = [requested.slice(0, 2).join(' '), branch, user].filter(
    (part) => part !== undefined && part !== '',
  )
  return parts.length === 0 ? undefined : parts.join(' · ')
}

/** For so many builds it is news what fixed it. */
const newsFor = 10

/** Other branches that are failing: "2 branches failing"; undefined where there are none. */
export function branchesText({ failingBranches: { length } }: TileState): string | undefined {
  if (length === 0) return undefined
  return `${countText(length)} ${length === 1 ? 'branch' : 'branches'} failing`
}

/** The branch that a tile stands for, where that has to be said. */
export function branchText({ branch }: TileState): string | undefined {
  return branch === '*' ? 'all branches' : branch
}

/**
 * How long builds take, today's beside the usual: "1 min 12 s today, usually 58 s" where there is room
 * for two lines, "1 min 12 s, usually 58 s" on one, and in what others leave of one, only today's.
 */
export function durationsText(
  { durations }: TileState,
  room: 'lines' | 'line' | 'rest' = 'lines',
): string | undefined {
  const { medianMs, todayMs } = durations
  if (medianMs === undefined) return undefined
  const usual = unbroken(medianMs)
  if (todayMs === undefined) return `usually ${usual}`
  const today = unbroken(todayMs)
  if (room === 'rest') return `${today} today`
  if (today === usual) return `${today}, as usual`
  return `${today}${room === 'lines' ? ' today' : ''}, usually ${usual}`
}

/** With spaces at which no line ends: a number stays beside its unit. */
function unbroken(ms: number): string {
  return durationText(ms).replaceAll(' ', '\u00a0')
}

/**
 * What a tile has to say of the search: undefined while that answers. `since` is the time of day from
 * which on the feed has been watched.
 */
export function searchText(search: SearchStanding, since: string): string | undefined {
  switch (search.is) {
    case 'loading':
    case 'answered':
      return undefined
    case 'unsupported':
      return `The server can't search: watching since ${since}`
    case 'failed':
      return `Watching since ${since}. ${search.problem}`
  }
}
