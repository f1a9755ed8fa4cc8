import type { Clock } from '../../../protocol/clock.ts'
import { type BoardEnding, type BoardRun, createBoardRun, type RunOptions } from './board-run.ts'

/** Asks for evaluations, of all boards together, as many at a time as the service takes. */
export interface BoardPool {
  /**
   * Begins a run; it tells of each cell until it told of all. The returned function ends it: nothing
   * more is asked, and what is in flight goes on to its end, so that the work is not lost.
   */
  readonly begin: (options: RunOptions) => () => void
}

/** An evaluation that somebody began. */
interface Begun {
  /** Epoch ms. */
  readonly at: number
  readonly ending: Promise<BoardEnding>
}

/** A service that takes less refuses the rest once; one that takes more is not kept idle at first. */
const startInFlight = 24
/** Over one service; a person may choose less. */
const mostInFlight = 64
/** For how long an ending is kept, ms: a page that loads again is back by then. */
const keptMs = 120_000
const longestHoldMs = 3_600_000
/** An evaluation without a response for so long keeps no other from its place, ms. */
const slowMs = 15_000

/** A pool before one service; runs take turns in it. `random` gives 0 up to 1. */
export function createBoardPool({
  clock,
  random,
}: {
  readonly clock: Clock
  readonly random: () => number
}): BoardPool {
  const window = createAdaptiveWindow({ start: startInFlight, most: mostInFlight })
  const begun = new Map<string, Begun>()
  let runs: readonly BoardRun[] = []
  let inFlight = 0
  let heldUntil = 0
  let stopHolding: (() => void) | undefined

  /** Starts what may start; called whenever anything changed. */
  function pump(): void {
    while (inFlight < window.size() && clock.now() >= heldUntil) {
      const run = runs.find((one) => one.canStart())
      if (run === undefined) break
      runs = [...runs.filter((one) => one !== run), run]
      run.start()
    }
    for (const run of runs) run.tellPace(window.size())
  }

  function hold(retryAfterMs: number | undefined): void {
    if (retryAfterMs === undefined) return
    const until = clock.now() + Math.min(retryAfterMs, longestHoldMs)
    if (until <= heldUntil) return
    heldUntil = until
    stopHolding?.()
    stopHolding = clock.after(until - clock.now(), pump)
  }

  async function evaluate(run: BoardRun, cell: number): Promise<void> {
    const { key, evaluate: ask } = run.task(cell)
    inFlight += 1
    const stopWaiting = clock.after(slowMs, () => {
      window.late(runs.some((one) => one.hasMore()))
      pump()
    })
    const ending = ask(() => {
      stopWaiting()
      window.accepted(runs.some((one) => one.hasMore()))
      run.reading(cell)
      pump()
    })
    const one: Begun = { at: clock.now(), ending }
    const forget = (): void => {
      if (begun.get(key) === one) begun.delete(key)
    }
    begun.set(key, one)
    const ended = await ending
    stopWaiting()
    inFlight -= 1
    if (ended.is === 'busy') {
      window.refused(inFlight)
      hold(ended.retryAfterMs)
    }
    // The reader may leave before it has read what it was told.
    if (ended.is === 'done') clock.after(keptMs, forget)
    else forget()
    run.ended(cell, ended)
    pump()
  }

  return {
    begin: (options) => {
      const { begunMsAgo } = options
      // What is begun from now on is as new as anybody wants it: another page of this user may ask
      // for the same, such as one whose connection broke and is not known to be gone yet.
      const since = begunMsAgo === undefined ? clock.now() + 1 : clock.now() - begunMsAgo
      const run = createBoardRun({
        ...options,
        clock,
        random,
        onReady: pump,
        evaluate: (cell) => {
          void evaluate(run, cell)
        },
        join: (cell) => {
          const one = begun.get(run.task(cell).key)
          if (one === undefined || one.at < since) return false
          void one.ending.then((ended) => {
            run.ended(cell, ended)
            pump()
          })
          return true
        },
        onOver: () => {
          runs = runs.filter((one) => one !== run)
        },
      })
      runs = [...runs, run]
      pump()
      return run.stop
    },
  }
}

/** How many requests may be in flight at a service whose limit nobody knows. */
interface AdaptiveWindow {
  readonly size: () => number
  /** The service took a request. `isWanted`: more wait than may be sent, so that growing is of use. */
  readonly accepted: (isWanted: boolean) => void
  /** A request has had no response for long: until the first refusal another one is sent beside it. */
  readonly late: (isWanted: boolean) => void
  /** The service is too busy (429, 503); `inFlight` of the others are still with it. */
  readonly refused: (inFlight: number) => void
}

/** Until the first refusal it grows by so much for each request that was taken. */
const firstGrowth = 3
/** The most windows that must pass whole before one more is tried. */
const longestPatience = 32

/**
 * Begins with `start` requests and finds the limit by trying: fast until the service refuses for the
 * first time, then one more at a time, the more seldom the more often that was refused. A refusal
 * takes it back to what the service still holds, so that one burst of refusals ends at the limit.
 * Never below 1, never over `most`.
 */
export function createAdaptiveWindow({
  start,
  most,
}: {
  readonly start: number
  readonly most: number
}): AdaptiveWindow {
  let size = Math.min(start, most)
  let wasRefused = false
  let taken = 0
  let patience = 1
  return {
    size: () => size,
    accepted: (isWanted) => {
      if (!isWanted || size === most) return
      if (!wasRefused) {
        size = Math.min(most, size + firstGrowth)
        return
      }
      taken += 1
      if (taken < size * patience) return
      taken = 0
      size += 1
    },
    late: (isWanted) => {
      if (isWanted && !wasRefused) size = Math.min(most, size + 1)
    },
    refused: (inFlight) => {
      patience = wasRefused ? Math.min(longestPatience, patience * 2) : 1
      wasRefused = true
      taken = 0
      size = Math.max(1, Math.min(size, inFlight))
    },
  }
}
