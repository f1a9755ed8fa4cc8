/** A calendar day as the instants that it has, epoch ms: `from` is the first, `to` the first after it. */
export interface LocalDay {
  readonly from: number
  readonly to: number
}

/**
 * The day that an instant (epoch ms) is of in a zone (IANA). Throws RangeError where there is no such
 * zone. Found by asking for the dates around it, which is right wherever a day has 23 or 25 hours;
 * asked again on the same day it costs nothing.
 */
export function localDay(instant: number, timeZone: string): LocalDay {
  const last = latest.get(timeZone)
  if (last && instant >= last.from && instant < last.to) return last
  const dateOf = datesIn(timeZone)
  const date = dateOf(instant)
  const isSame = (at: number): boolean => dateOf(at) === date
  const day = {
    from: boundary(instant - longestDayMs, instant, isSame),
    to: boundary(instant, instant + longestDayMs, (at) => !isSame(at)),
  }
  latest.set(timeZone, day)
  return day
}

/** The day that was asked for last in each zone. */
const latest = new Map<string, LocalDay>()

/** No day is longer than 25 hours. */
const longestDayMs = 26 * 60 * 60 * 1000

function datesIn(timeZone: string): (at: number) => string {
  const numbers = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, ...numbers })
  return (at) => format.format(at)
}

/** The first instant after `before`, for which it is not yet so, for which `isSo`; `after` at the latest. */
function boundary(before: number, after: number, isSo: (at: number) => boolean): number {
  let low = before
  let high = after
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (isSo(middle)) high = middle
    else low = middle
  }
  return high
}
