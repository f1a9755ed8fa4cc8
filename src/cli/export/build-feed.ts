import { wait } from '../../protocol/clock.ts'
import { backOffMs } from '../../protocol/back-off.ts'
import { isRetryable } from '../../protocol/problem.ts'
import { durationWords } from '../duration.ts'
import { connectionProblem } from '../read-response.ts'
import { listedBuilds } from './build-list.ts'
import { createOrder, type FeedOptions, type Portion } from './feed-order.ts'
import { liveBuilds, type Waiting } from './live-builds.ts'

/**
 * Every build from a position on exactly once, in the order of the build server: old ones page by page from its build list,
 * with their attributes, then those of the live feed by their ids. Reads no further than the builds are taken. Throws a
 * ProblemError where the server refuses, or fails for longer than it may; ends when the signal aborts.
 */
export async function* buildFeed(options: FeedOptions): AsyncGenerator<Portion, void, undefined> {
  const { clock, signal, follow, until } = options
  const order = createOrder(options.from)
  const waiting = new Map<string, Waiting>()
  let failures = 0
  let failingSince: number | undefined
  let isListRefused = false
  let listNext = options.from.kind !== 'now'
  const heard = (): void => {
    failures = 0
    failingSince = undefined
  }
  while (!signal.aborted) {
    try {
      if (listNext && !isListRefused) {
        for await (const builds of listedBuilds(options, order, heard)) {
          const portion = order.take(builds, until)
          yield portion
          if (portion.isOver) return
        }
      }
      if (isAborted(signal) || !follow) return
      listNext = false
      for await (const news of liveBuilds(options, order, waiting, heard)) {
        if (news === 'gap') {
          order.forgetId()
          listNext = true
          break
        }
        const portion = order.take(news.builds, until, news.start)
        yield portion
        if (portion.isOver || (news.builds.length === 0 && clock.now() > until + lateMs)) return
      }
      failures += 1
      await wait(
        clock,
        backOffMs({
          failures,
          retryMs: undefined,
          retryAfterMs: undefined,
          random: options.random,
        }),
        signal,
      )
    } catch (error) {
      if (isAborted(signal)) return
      const fault = connectionProblem(error, options.server.who)
      if (listNext && follow && isListMissing(fault.status)) {
        options.log(
          `The build list can't be read, so facts of older builds may be missing: ${fault.sentence}`,
        )
        isListRefused = true
        continue
      }
      if (!isRetryable(fault.status)) throw fault
      failures += 1
      failingSince ??= clock.now()
      const ms = backOffMs({
        failures,
        retryMs: undefined,
        retryAfterMs: fault.retryAfterMs,
        random: options.random,
      })
      if (!follow && clock.now() + ms - failingSince > options.patienceMs) throw fault
      options.log(`${fault.sentence} Retrying in ${durationWords(ms)}.`)
      await wait(clock, ms, signal)
      // Much may have been built meanwhile.
      listNext ||= failures > 3 && order.position().kind !== 'now'
    }
  }
}

/** Asked anew after each wait: a signal changes behind the compiler's back. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted
}

/** Builds may reach the live feed so long after the build server received them, ms. */
const lateMs = 60_000

/** The server has no such list, or the credential may not read it. */
function isListMissing(status: number): boolean {
  return status === 403 || status === 404 || status === 405 || status === 501
}
