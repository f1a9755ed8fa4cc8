import type { Logger } from 'pino'
import { type Clock, wait } from '../protocol/clock.ts'
import {
  buildsBetween,
  type CompanyPace,
  type RecordedBuild,
} from '../server/embedded/content/history.ts'
import type { Embedded } from '../server/embedded/embedded.ts'
import type { Database } from '../server/store/database.ts'
import { pruneBuilds } from '../server/store/retention.ts'

/** What the demo's builds are made of and go to. */
export interface DemoBuildsOptions {
  readonly embedded: Pick<Embedded, 'addAll'>
  readonly database: Database
  readonly clock: Clock
  readonly logger: Pick<Logger, 'error'>
  readonly pace: CompanyPace
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Stored before anything is answered: what the first screen shows. */
const firstMs = 8 * minuteMs
/** As many past builds as `npm start` makes unless told. */
const pastBuilds = 2900
/** Pages have this long to load before the past is made, and then half of the time, ms. */
const headStartMs = 2_000
/** So many builds have every project among them. */
const enoughBuilds = 600
const atOnce = 10
const turnMs = 1_000
/** What a machine that slept for longer has missed is not made up for, ms. */
const longestGapMs = hourMs
const keepBuilds = 10_000
const pruneEvery = 500

/**
 * Fills an empty database with the builds of the made-up company: resolves with the newest ones
 * stored, goes on with the past behind them, newest first, and lets builds arrive. `enough` resolves
 * once every project has builds.
 */
export async function startDemoBuilds({
  embedded,
  database,
  clock,
  logger,
  pace,
}: DemoBuildsOptions): Promise<{ readonly enough: Promise<void> }> {
  const from = clock.now() - firstMs
  const newest = [...buildsBetween(pace, from, clock.now())]
  let upto = clock.now()
  // Positions before them stay free for the past.
  let first = 2 * pastBuilds
  await embedded.addAll(newest, first)
  let sincePruned = 0
  let isEnough = (): void => undefined
  const enough = new Promise<void>((resolve) => {
    isEnough = resolve
  })
  clock.after(turnMs, () => void turn())
  clock.after(headStartMs, () => void past().finally(isEnough))
  return { enough }

  async function turn(): Promise<void> {
    const now = clock.now()
    const due = [...buildsBetween(pace, Math.max(upto, now - longestGapMs), now)]
    upto = now
    try {
      await embedded.addAll(due)
      sincePruned += due.length
      if (sincePruned >= pruneEvery) {
        sincePruned = 0
        await pruneBuilds(database, keepBuilds)
      }
    } catch (error) {
      logger.error({ err: error }, 'storing new builds failed')
    }
    clock.after(turnMs, () => void turn())
  }

  async function past(): Promise<void> {
    let left = pastBuilds - newest.length
    try {
      for (const builds of stretchesBefore(pace, from)) {
        for (let end = builds.length; end > 0; end -= atOnce) {
          const begun = clock.now()
          const some = builds.slice(Math.max(0, end - atOnce), end)
          first -= some.length
          await embedded.addAll(some, first)
          left -= some.length
          if (left <= 0) return
          if (pastBuilds - left >= enoughBuilds) isEnough()
          await wait(clock, clock.now() - begun)
        }
      }
    } catch (error) {
      logger.error({ err: error }, 'storing the past failed')
    }
  }
}

/** Ever earlier builds, some minutes or an hour at a time. */
function* stretchesBefore(
  pace: CompanyPace,
  end: number,
): Generator<readonly RecordedBuild[], void, undefined> {
  for (let to = end; to > 0;) {
    const from = to > pace.begun ? Math.max(pace.begun, to - minuteMs) : to - hourMs
    yield [...buildsBetween(pace, from, to)]
    to = from
  }
}
