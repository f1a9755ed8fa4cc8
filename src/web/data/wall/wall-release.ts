import { type Clock, dayMs } from '../../../protocol/clock.ts'
import { withTimeLimit } from '../core/response.ts'

/** The address of the module that a page of this program begins with; undefined where there is none. */
export function entryScript(html: string): string | undefined {
  return /<script\b(?=[^>]*\btype="module")[^>]*\bsrc="([^"]+)"/.exec(html)?.[1]
}

export interface WallReleaseOptions {
  readonly fetch: typeof fetch
  readonly clock: Clock
  /** What this page began with. */
  readonly running: string | undefined
  /** The hour of day here, 0 to 23. */
  readonly hour: () => number
  /** Whether nobody minds right now: nothing is red, nobody is typing. */
  readonly isQuiet: () => boolean
  /** Whether somebody would lose what they do. */
  readonly isInUse: () => boolean
  readonly reload: () => void
}

export interface ReleaseWatch {
  /** The proxy was away and is back: another release is taken at once, as everything on the wall is drawn anew anyway. */
  readonly lookNow: () => void
  readonly end: () => void
}

/** So long a new release waits for a minute in which nothing is red, ms. */
const patienceMs = 7_200_000
const askEveryMs = 120_000
const firstAskMs = 30_000
/** The hour of the night at which a page that is old is begun anew, and how old that is, ms. */
const quietHour = 4
const oldMs = dayMs / 2
const askLimitMs = 10_000

/**
 * Reloads a page that nobody stands in front of: when the proxy serves another release of it, and
 * once a day at a quiet minute, in case something has leaked. A release is not kept waiting for more than two
 * hours by what is red. Only when the proxy answers, so that never a good page is given for none.
 */
export function watchRelease(options: WallReleaseOptions): ReleaseWatch {
  const { clock, running } = options
  const startedAt = clock.now()
  let cancel = clock.after(firstAskMs, look)
  let isOver = false
  let otherSince: number | undefined

  function look(isBack = false): void {
    cancel()
    void served().then((script) => {
      if (isOver) return
      cancel()
      cancel = clock.after(askEveryMs, look)
      if (script === undefined || options.isInUse()) return
      const isOther = running !== undefined && script !== running
      otherSince = isOther ? (otherSince ?? clock.now()) : undefined
      const isLate = otherSince !== undefined && clock.now() - otherSince >= patienceMs
      if ((options.isQuiet() && isDue(script)) || isLate || (isBack && isOther)) options.reload()
    })
  }

  /** No earlier than minutes after the start: two proxies of different releases take turns. */
  function isDue(script: string): boolean {
    const age = clock.now() - startedAt
    if (running !== undefined && script !== running) return true
    return (age > oldMs && options.hour() === quietHour) || age > dayMs * 1.5
  }

  async function served(): Promise<string | undefined> {
    try {
      return await withTimeLimit(clock, askLimitMs, undefined, async (signal) => {
        const response = await options.fetch('/', {
          signal,
          cache: 'no-store',
          headers: { accept: 'text/html' },
        })
        return response.ok ? entryScript(await response.text()) : undefined
      })
    } catch {
      // The proxy does not answer: there is nothing to load.
      return undefined
    }
  }

  return {
    lookNow: () => {
      look(true)
    },
    end: () => {
      isOver = true
      cancel()
    },
  }
}
