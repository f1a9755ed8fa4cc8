import { setMaxListeners } from 'node:events'
import type { Logger } from 'pino'
import { factsFromAttributes } from '../../../facts/facts-from-attributes.ts'
import { factsFailure } from '../../../facts/insight/failure-text.ts'
import type { BuildMessage } from '../../../protocol/build-message.ts'
import { type Clock, wait } from '../../../protocol/clock.ts'
import type { BuildFailure, Facts } from '../../../protocol/facts.ts'
import type { LiveFacts } from '../../../protocol/live-feed.ts'
import { isRetryable, ProblemError } from '../../../protocol/problem.ts'
import type { InsightReader } from '../insight/insights.ts'
import type { UpstreamClient } from '../upstream/upstream-client.ts'
import type { OnLoss } from './build-reader.ts'
import {
  type AttributeFacts,
  attributeFacts,
  eventFacts,
  hasAttributes,
  testOutcomes,
} from './fetch-facts.ts'

/** Learns more of builds than their announcement says. */
export interface BuildFacts {
  /**
   * Asks for the facts of a build, or gives them again where they are known; older builds wait until
   * no new one does. Returns at once.
   */
  readonly want: (
    build: BuildMessage,
    how: { readonly previous: string | undefined; readonly isOld: boolean },
  ) => void
  readonly gauges: () => Record<string, number>
  readonly counters: () => Record<string, number>
  readonly close: () => Promise<void>
}

export interface BuildFactsOptions {
  readonly client: UpstreamClient
  readonly clock: Clock
  readonly random: () => number
  readonly logger: Logger
  readonly onLoss: OnLoss
  readonly known: KnownFacts
  /** Where it is read why builds failed; without it that is not learned. */
  readonly failures?: InsightReader<BuildFailure[]> | undefined
  /** Something became known, or that nothing more will: the JSON of a `Facts` message. */
  readonly onFacts: (buildId: string, json: string) => void
}

/** What is known of the newest builds, by id: the JSON of a `Facts` message. It does not change. */
export interface KnownFacts {
  readonly get: (buildId: string) => string | undefined
  readonly add: (buildId: string, json: string) => void
  readonly forget: (buildId: string) => void
  readonly size: () => number
}

/** Keeps the facts of so many builds. */
export function createKnownFacts(keep: number): KnownFacts {
  const known = new Map<string, string>()
  return {
    get: (buildId) => known.get(buildId),
    add: (buildId, json) => {
      known.set(buildId, json)
      if (known.size > keep) known.delete(known.keys().next().value ?? '')
    },
    forget: (buildId) => {
      known.delete(buildId)
    },
    size: () => known.size,
  }
}

/**
 * Learns facts from attributes, many builds per request, or where the server gives none from each
 * build's own events, and then how its tests ended and why it failed while there is budget for it.
 * Asks again a few times, as a build may still be stored when it is announced; then says that nothing is known.
 * Never throws.
 */
export function createBuildFacts(options: BuildFactsOptions): BuildFacts {
  const { clock, logger } = options
  const closing = new AbortController()
  const { signal } = closing
  // Every build that is waited for listens to it; so many are no leak.
  setMaxListeners(0, signal)
  /** While the server seems to have no attributes, it is asked for events; until then, epoch ms. */
  let eventsUntil = -Infinity
  // A request for each build of a long history would be too many.
  const queue = createFactsQueue(5000, () => (clock.now() < eventsUntil ? 1000 : 10_000))
  const pending = new Set<string>()
  const running = new Set<Promise<void>>()
  const counts = { learned: 0, unknown: 0, requests: 0 }
  let attributesWork = false
  let gathering = false

  const emit = (facts: Facts): void => {
    const { buildId } = facts
    const message: LiveFacts = { buildId, facts }
    const json = JSON.stringify(message)
    options.known.add(buildId, json)
    options.onFacts(buildId, json)
  }
  const learn = (facts: Facts): void => {
    pending.delete(facts.buildId)
    counts.learned++
    emit(facts)
  }
  /** Nobody waits any longer: they are told what the build announced. Announced again, it is asked for again. */
  const giveUp = ({ build }: WantedFacts): void => {
    pending.delete(build.buildId)
    counts.unknown++
    const message: LiveFacts = { buildId: build.buildId, facts: factsFromAttributes(build, {}) }
    options.onFacts(build.buildId, JSON.stringify(message))
  }
  const add = (wanted: WantedFacts): void => {
    const out = queue.add(wanted)
    if (out !== undefined) giveUp(out)
  }
  /** Asks again after a while: together if nothing was answered, else each on its own. */
  const later = (batch: readonly WantedFacts[], retryAfterMs = 0): void => {
    const again = batch.filter((wanted) => wanted.failures < maxFailures)
    for (const wanted of batch) if (!again.includes(wanted)) giveUp(wanted)
    const failures = 1 + Math.max(0, ...again.map((wanted) => wanted.failures))
    const delay = Math.min(30_000, 1000 * 2 ** failures) * (0.5 + options.random() / 2)
    void wait(clock, Math.max(delay, retryAfterMs), signal).then(() => {
      if (signal.aborted) return
      const together = again.length > 1 && failures === 1
      for (const wanted of again) {
        add({ ...wanted, failures, previous: together ? wanted.previous : undefined })
      }
      work()
    })
  }

  const settle = (wanted: WantedFacts, answer: AttributeFacts | undefined): void => {
    if (answer === undefined || answer === 'later') {
      later([wanted])
    } else if (answer === 'none') {
      if (!attributesWork) eventsUntil = clock.now() + probeMs
      add({ ...wanted, byEvents: true })
    } else {
      attributesWork = true
      learn(answer)
      wantFailure(answer)
    }
  }

  const askAttributes = async (batch: readonly WantedFacts[]): Promise<void> => {
    const builds = batch.map(({ build }) => build)
    try {
      const answers = await attributeFacts(options, builds, batch[0]?.previous, signal)
      for (const wanted of batch) settle(wanted, answers.get(wanted.build.buildId))
    } catch (error) {
      const status = error instanceof ProblemError ? error.status : 502
      const retryAfterMs = error instanceof ProblemError ? error.retryAfterMs : undefined
      if (isRetryable(status)) {
        later(batch, retryAfterMs)
        return
      }
      for (const wanted of batch) {
        if (batch.length > 1) add({ ...wanted, previous: undefined })
        else settle(wanted, 'none')
      }
    }
  }

  const budget = createByteBudget(clock)
  /** Once it is known how a build ended, which of its tests did how: nobody waits for that. */
  const learnTests = async (facts: Facts, build: BuildMessage): Promise<Facts> => {
    if (build.toolType !== 'gradle' || (facts.outcome ?? null) === null) return facts
    const most = budget.take(mostTestBytes)
    if (most <= 0) return facts
    try {
      counts.requests++
      const { tests, bytes } = await testOutcomes(options, build, most, signal)
      budget.giveBack(most - bytes)
      if (tests === undefined) return facts
      emit({ ...facts, tests })
      return { ...facts, tests }
    } catch {
      logger.debug('reading the tests of a build failed')
      return facts
    }
  }

  /** Failed builds of which it is not known why: one is read at a time, the newest first. */
  let failed: readonly Facts[] = []
  let readingFailures: Promise<void> | undefined
  const wantFailure = (facts: Facts): void => {
    if (facts.outcome !== 'failed' || facts.failure !== undefined) return
    if (options.failures === undefined || !toolsWithFailures.has(facts.buildTool)) return
    failed = [...failed, facts].toSorted((a, b) => a.receivedAt - b.receivedAt).slice(-mostFailed)
    readingFailures ??= readFailures(options.failures).finally(() => {
      readingFailures = undefined
    })
  }
  const readFailures = async (reader: InsightReader<BuildFailure[]>): Promise<void> => {
    for (let facts = failed.at(-1); facts !== undefined; facts = failed.at(-1)) {
      const most = budget.take(mostFailureBytes)
      if (most < mostFailureBytes) {
        budget.giveBack(most)
        await wait(clock, budgetPauseMs, signal)
      } else {
        failed = failed.slice(0, -1)
        for await (const insight of reader.read([facts.buildId], signal)) {
          const { result, bytes } = 'result' in insight ? insight : nothingRead
          budget.giveBack(most - bytes)
          const [failure] = result
          if (failure !== undefined) emit({ ...facts, failure: factsFailure(failure) })
        }
      }
      if (signal.aborted) return
    }
  }

  const askEvents = async (wanted: WantedFacts): Promise<void> => {
    try {
      const facts = await eventFacts(options, wanted.build, signal)
      if (facts === undefined) {
        giveUp(wanted)
        return
      }
      learn(facts)
      wantFailure(await learnTests(facts, wanted.build))
    } catch (error) {
      if (error instanceof ProblemError && isRetryable(error.status)) {
        later([wanted], error.retryAfterMs)
      } else {
        logger.debug('reading the facts of a build from its events failed')
        giveUp(wanted)
      }
    }
  }

  const ask = async (batch: readonly WantedFacts[]): Promise<void> => {
    counts.requests++
    const [first] = batch
    if (first === undefined) return
    await (isByEvents(first) || clock.now() < eventsUntil ? askEvents(first) : askAttributes(batch))
  }

  const work = (): void => {
    while (running.size < concurrency && queue.size() > 0 && !signal.aborted) {
      const task = ask(queue.take(clock.now() < eventsUntil ? 1 : batchSize)).then(() => {
        running.delete(task)
        work()
      })
      running.add(task)
    }
  }

  /** Builds arrive in bursts: a short wait lets them be asked for together. */
  const workSoon = (): void => {
    if (gathering) return
    gathering = true
    void wait(clock, gatherMs, signal).then(() => {
      gathering = false
      work()
    })
  }

  return {
    want: (build, { previous, isOld }) => {
      const json = options.known.get(build.buildId)
      if (json !== undefined) {
        options.onFacts(build.buildId, json)
        return
      }
      if (pending.has(build.buildId)) return
      pending.add(build.buildId)
      add({ build, previous, isOld, failures: 0, byEvents: false })
      workSoon()
    },
    gauges: () => ({ facts_waiting: pending.size }),
    counters: () => ({
      facts_learned: counts.learned,
      facts_unknown: counts.unknown,
      facts_requests: counts.requests,
    }),
    close: async () => {
      closing.abort()
      await Promise.all([...running, readingFailures])
    },
  }
}

/** Of which events say why a build failed. */
export const toolsWithFailures: ReadonlySet<string> = new Set(['gradle', 'maven'])
/** So many failed builds wait at most, the newest. */
const mostFailed = 500
/** Set aside while a build is read. */
const mostFailureBytes = 4 * 1024 * 1024
const budgetPauseMs = 5000
const nothingRead = { result: [], bytes: 0 }

/** For a proxy that asks nothing about builds. */
export const noFacts: BuildFacts = {
  want: () => undefined,
  gauges: () => ({}),
  counters: () => ({}),
  close: () => Promise.resolve(),
}

/** Of the tests of one build so much is read, some 10,000 tests; and of all builds so much a minute. */
const mostTestBytes = 4 * 1024 * 1024
const testBytesPerMinute = 32 * 1024 * 1024

/** What may be read within a minute of the clock. */
export function createByteBudget(clock: Pick<Clock, 'now'>) {
  let minute = 0
  let left = 0
  return {
    /** As many of these bytes as are left. */
    take: (wanted: number): number => {
      const now = Math.floor(clock.now() / 60_000)
      if (now !== minute) left = testBytesPerMinute
      minute = now
      const taken = Math.min(wanted, left)
      left -= taken
      return taken
    },
    giveBack: (unused: number): void => {
      left = Math.min(testBytesPerMinute, left + Math.max(0, unused))
    },
  }
}

const concurrency = 6
const batchSize = 100
const gatherMs = 100
const maxFailures = 12
/** How long a server without attributes is taken at its word. */
const probeMs = 600_000

/** A build of which more is to be learned. */
interface WantedFacts {
  readonly build: BuildMessage
  /** The build before it in the upstream's order, if known. */
  readonly previous: string | undefined
  /** Comes from the history: what has just arrived goes first. */
  readonly isOld: boolean
  /** How often it was asked for in vain. */
  readonly failures: number
  /** Attributes were tried: its own events are next. */
  readonly byEvents: boolean
}

/** Builds that wait for their facts, new ones before old ones; holds so many at most. */
export interface FactsQueue {
  /** Adds a build; the one that gives way because the queue is full comes back. */
  readonly add: (wanted: WantedFacts) => WantedFacts | undefined
  /** Takes builds that can be asked for together: they follow one another upstream. */
  readonly take: (most: number) => readonly WantedFacts[]
  readonly size: () => number
}

/**
 * Makes an empty queue. The newest builds are what people look at: when it is full the oldest gives
 * way, and of the old ones the newest are taken first. `mostOld` may change over time.
 */
function createFactsQueue(mostNew: number, mostOld: () => number): FactsQueue {
  const fresh: WantedFacts[] = []
  const old: WantedFacts[] = []
  return {
    size: () => fresh.length + old.length,
    add: (wanted) => {
      const queue = wanted.isOld ? old : fresh
      queue.push(wanted)
      return queue.length > (wanted.isOld ? mostOld() : mostNew) ? queue.shift() : undefined
    },
    take: (most) => {
      if (fresh.length > 0) {
        let end = 1
        while (end < Math.min(most, fresh.length) && isNext(fresh[end - 1], fresh[end])) end++
        return fresh.splice(0, end)
      }
      let start = Math.max(0, old.length - 1)
      while (old.length - start < most && isNext(old[start - 1], old[start])) start--
      return old.splice(start)
    },
  }
}

/** Builds can be asked for together when it is known what comes before the first of them. */
function isNext(one: WantedFacts | undefined, next: WantedFacts | undefined): boolean {
  if (one === undefined || next === undefined || isByEvents(one) || isByEvents(next)) return false
  return next.previous === one.build.buildId && one.previous !== undefined
}

/** Events are read of one build at a time. */
function isByEvents({ byEvents, build }: WantedFacts): boolean {
  return byEvents || !hasAttributes(build)
}
