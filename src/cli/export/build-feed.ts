import { z } from 'zod'
import { factsFromAttributes } from '../../facts/facts-from-attributes.ts'
import { backOffMs } from '../../protocol/back-off.ts'
import {
  attributesKey,
  attributesModel,
  buildListPath,
  type BuildListQuery,
  readListedBuild,
  toBuildMessage,
  toolsWithAttributes,
} from '../../protocol/build-data.ts'
import { wait } from '../../protocol/clock.ts'
import { isRetryable, problemError, ProblemError } from '../../protocol/problem.ts'
import { durationWords } from '../duration.ts'
import { connectionProblem, tooSlow } from '../read-response.ts'
import { decoded, factsOfEvents } from '../server-request.ts'
import type { ExportBuild } from './export-line.ts'
import {
  createOrder,
  type FeedOptions,
  type Order,
  type Portion,
  type Position,
} from './feed-order.ts'
import { liveBuilds, type Waiting } from './live-builds.ts'

/**
 * Every build from a position on exactly once, in the order of the build server: old ones page by page from its build list,
 * with their attributes, then those of the live feed by their ids. Reads no further than the builds are taken. Throws a
 * ProblemError where the server refuses, or fails for longer than it may; ends when the signal aborts.
 */
export async function* buildFeed(options: FeedOptions): AsyncGenerator<Portion, void, undefined> {
  const { clock, signal, follow, until } = options
  const order = createOrder(options.from, options.handled)
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
        if (portion.isOver || (news.isQuiet && clock.now() > until + lateMs)) return
      }
      if (isAborted(signal)) return
      failures += 1
      const pauseMs = backOffMs({
        failures,
        retryMs: undefined,
        retryAfterMs: undefined,
        random: options.random,
      })
      options.log(
        `The connection to ${options.server.who} ended. Retrying in ${durationWords(pauseMs)}.`,
      )
      await wait(clock, pauseMs, signal)
    } catch (error) {
      if (isAborted(signal)) return
      const { fault, status } = asRefused(connectionProblem(error, options.server.who))
      if (listNext && follow && isListMissing(status)) {
        options.log(
          `The build list can't be read, so facts of older builds may be missing: ${fault.sentence}`,
        )
        isListRefused = true
        continue
      }
      if (!isRetryable(status)) throw fault
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

/**
 * A fault with its status; where the build server refuses Sightline's user, which Sightline passes on as a 502, that of
 * the build server, and what its user lacks.
 */
function asRefused(fault: ProblemError): { readonly fault: ProblemError; readonly status: number } {
  const { upstreamStatus } = fault.problem
  if (upstreamStatus !== 401 && upstreamStatus !== 403) return { fault, status: fault.status }
  const detail =
    "The build server doesn't allow Sightline's user to list builds. Ask its administrator to grant the permission “Access build data via the API”."
  return {
    fault: upstreamStatus === 403 ? new ProblemError({ ...fault.problem, detail }) : fault,
    status: upstreamStatus,
  }
}

/** The server has no such list, or the credential may not read it. */
function isListMissing(status: number): boolean {
  return status === 403 || status === 404 || status === 405 || status === 501
}

/** With attributes, so large an answer comes soon. */
const pageSize = 250

/** Builds so young may still be on their way into the list: the live feed has them, ms. */
const youngMs = 60_000

/**
 * The builds of the build list (docs/services.md#build-list) that weren't handled yet, page by page, with the facts that their
 * attributes say. Ends with the list, and where it follows, before builds that the live feed knows better: those of the
 * last minute, and those that are still being stored. Throws a ProblemError.
 */
async function* listedBuilds(
  options: FeedOptions,
  order: Order,
  onHeard: () => void,
): AsyncGenerator<readonly ExportBuild[], void, undefined> {
  const { clock, signal, follow } = options
  let cursor = order.position()
  const cursors = new Set<string>()
  let unstoredSince: number | undefined
  while (!signal.aborted) {
    const { page, now } = await readPage(options, cursor)
    onHeard()
    const fresh = page.filter(({ build }) => !order.isHandled(build.buildId, build.timestamp))
    const end = fresh.findIndex(
      ({ build, isStored }) => !isStored || (follow && build.timestamp > now - youngMs),
    )
    const isTooLate = unstoredSince !== undefined && clock.now() - unstoredSince > options.factsMs
    const taken = end === -1 ? fresh : fresh.slice(0, end === 0 && isTooLate ? 1 : end)
    if (taken.length > 0) {
      unstoredSince = undefined
      yield taken
    }
    if (end !== -1) {
      if (follow) return
      unstoredSince ??= clock.now()
      await wait(clock, storingMs, signal)
    }
    const last = end === -1 ? page.at(-1)?.build : taken.at(-1)?.build
    if (last === undefined) {
      if (page.length === 0) return
      continue
    }
    // Where a server doesn't know its own builds, their time leads back to where it was.
    if (taken.length === 0 && cursors.has(last.buildId)) {
      if (page.length < pageSize) return
      throw problemError(
        409,
        'too-many-at-once',
        'Too many builds at once',
        `More builds were received at ${new Date(last.timestamp).toISOString()} than the build server lists at once, and it can't go on after one of them. Later builds are left out: export them with --since a later time.`,
      )
    }
    cursors.add(last.buildId)
    cursor = { kind: 'after', id: last.buildId, receivedAt: last.timestamp }
  }
}

/** How often it is looked whether a build is stored, ms. */
const storingMs = 2000

interface ListedBuild extends ExportBuild {
  readonly isStored: boolean
}

/** A page of the list, and when it was sent by the clock that the times of its builds are by, epoch ms. */
async function readPage(
  { server, signal, log, clock, patienceMs }: FeedOptions,
  cursor: Position,
): Promise<{ readonly page: readonly ListedBuild[]; readonly now: number }> {
  // Each request has a signal of its own: fetch keeps listeners for long.
  const own = new AbortController()
  const end = (): void => {
    own.abort()
  }
  signal.addEventListener('abort', end)
  const cancel = clock.after(patienceMs, () => {
    own.abort(tooSlow(server.who, patienceMs))
  })
  let fault: unknown
  try {
    for (const query of formsOf(cursor)) {
      try {
        const response = await server.ask(
          `/upstream/build-data${buildListPath(query)}`,
          {},
          own.signal,
        )
        const items = await decoded(response, z.array(z.unknown()))
        const summaries = items.flatMap((item) => {
          const summary = readListedBuild(item, (_, isLost) => {
            if (isLost) log("An entry of the build list can't be read.")
          })
          return summary ?? []
        })
        const bare = summaries.filter(({ models }) => models === undefined).map(({ id }) => id)
        const known = await factsOfEvents((path, init) => server.ask(path, init, own.signal), bare)
        const sentAt = Date.parse(response.headers.get('date') ?? '')
        const page = summaries.map((summary) => {
          const build = toBuildMessage(summary)
          const tool = toolsWithAttributes.find((one) => one === build.toolType)
          const own = tool === undefined ? undefined : summary.models?.[attributesKey(tool)]
          const facts =
            own?.model === undefined
              ? known.get(build.buildId)
              : factsFromAttributes(build, summary.models ?? {})
          return { build, facts, isStored: facts !== undefined || own?.problem?.status !== 503 }
        })
        return { page, now: Number.isNaN(sentAt) ? clock.now() : sentAt }
      } catch (error) {
        if (!(error instanceof ProblemError) || !isUnknown(error.status)) throw error
        fault = error
      }
    }
    throw fault
  } finally {
    cancel()
    signal.removeEventListener('abort', end)
  }
}

/** The build is not known any more, or the parameter isn't: its time is tried then. */
function isUnknown(status: number): boolean {
  return status === 400 || status === 404
}

/** Best first; the oldest servers know `since` alone, and all others prefer the rest. */
function formsOf(cursor: Position): readonly BuildListQuery[] {
  if (cursor.kind === 'now') return []
  const time = Math.max(0, (cursor.kind === 'after' ? cursor.receivedAt : cursor.at) - 1)
  const more = {
    maxBuilds: pageSize,
    maxWaitSecs: 1,
    models: toolsWithAttributes.map(attributesModel),
  }
  const byTime = { fromInstant: time, since: time, ...more }
  const plain = { since: time, maxBuilds: pageSize }
  return cursor.kind === 'after'
    ? [{ fromBuild: cursor.id, since: time, ...more }, byTime, plain]
    : [byTime, plain]
}
