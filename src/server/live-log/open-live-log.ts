import type { Logger } from 'pino'
import { aborted, type Clock } from '../../protocol/clock.ts'
import { createEngineLog, faultOf } from './engine-log.ts'
import type { Lease, LiveLog, LogReader, LogState, NumberedEntry } from './live-log.ts'
import { createMemoryLog } from './memory-log.ts'
import { createPostgresEngine } from './postgres-log.ts'
import { createRedisEngine } from './redis-log.ts'

export interface OpenLiveLogOptions {
  /** `memory`, `postgres://…`, `redis://…` or `rediss://…`, checked with the settings. */
  readonly url: string
  /** Whether a log in memory stands in until the server is reached for the first time. */
  readonly fallback: boolean
  readonly clock: Clock
  readonly random: () => number
  readonly logger: Pick<Logger, 'warn' | 'info'>
}

/** Opens the live log at an address. Never waits for a server and never throws: `state` says how it stands. */
export function openLiveLog(options: OpenLiveLogOptions): LiveLog {
  const { url, clock, fallback } = options
  if (url === 'memory') return createMemoryLog(clock)
  const engine = /^rediss?:/.test(url)
    ? createRedisEngine(url, clock)
    : createPostgresEngine(url, clock)
  const log = createEngineLog({ ...options, engine })
  return fallback ? untilReached(log, createMemoryLog(clock), clock) : log
}

/** Whether the Redis of a live log responds and takes what is written, asked once; what is wrong otherwise, in a sentence. Stores nothing. */
export async function checkRedisLog(url: string, clock: Clock): Promise<string | undefined> {
  const engine = createRedisEngine(url, clock)
  let step = 'reach'
  try {
    await engine.open()
    step = 'write to'
    await engine.tryWrite()
    return undefined
  } catch (error) {
    return `Can't ${step} the live log in ${engine.place}: ${faultOf(error)}. Check SIGHTLINE_LIVE_LOG_URL.`
  } finally {
    engine.drop()
    await engine.close()
  }
}

/**
 * A log that a log in memory stands in for until it is reached for the first time, from two seconds
 * after the start: a process that was told to serves its readers alone rather than not at all. On
 * the change leases are lost, and builds that the memory gave are left out of what the log gives.
 */
function untilReached(log: LiveLog, memory: LiveLog, clock: Clock): LiveLog {
  const reached = new AbortController()
  const builds = new Set<string>()
  const ofMemory = new Set<Lease>()
  let reader: LogReader | undefined
  let isCaughtUp = false
  let standsIn = false
  let decide: () => void = () => undefined
  const decided = new Promise<void>((resolve) => {
    decide = resolve
  })

  const state = (): LogState => {
    const now = log.state()
    if (!standsIn || now.message === undefined) return now
    return { ...now, message: `${now.message} Until then this process reads builds by itself.` }
  }
  const caughtUp = (): void => {
    if (!isCaughtUp) reader?.onCaughtUp()
    isCaughtUp = reader !== undefined
  }
  const forgetDecision = clock.after(patienceMs, () => {
    standsIn = true
    decide()
    reader?.onState(state())
    caughtUp()
  })
  log.onReturn(() => {
    if (reached.signal.aborted) return
    forgetDecision()
    standsIn = false
    reached.abort()
    decide()
    for (const lease of ofMemory) void lease.release()
  })

  const isOfMemory = ({ entry }: NumberedEntry): boolean =>
    entry.kind === 'build' && builds.has(entry.id)

  return {
    append: (entries, lease) => (ofMemory.has(lease) ? memory : log).append(entries, lease),
    read: (added) => {
      reader = added
      memory.read({
        onEntries: (entries) => {
          for (const { entry } of entries) if (entry.kind === 'build') builds.add(entry.id)
          added.onEntries(entries)
        },
        onCaughtUp: () => undefined,
        onState: () => undefined,
      })
      log.read({
        onEntries: (entries) => {
          const others = entries.filter((entry) => !isOfMemory(entry))
          if (others.length > 0) added.onEntries(others)
        },
        onCaughtUp: caughtUp,
        onState: () => {
          added.onState(state())
        },
      })
      if (standsIn) caughtUp()
    },
    lease: async (name, signal) => {
      await Promise.race([decided, aborted(signal)])
      if (standsIn) {
        const lease = await memory.lease(name, AbortSignal.any([signal, reached.signal]))
        if (lease !== undefined && !reached.signal.aborted) {
          ofMemory.add(lease)
          return lease
        }
        await lease?.release()
      }
      return log.lease(name, signal)
    },
    notify: (topic, value) => {
      ;(standsIn ? memory : log).notify(topic, value)
    },
    onNotice: (topic, listener) => {
      const ends = [log.onNotice(topic, listener), memory.onNotice(topic, listener)]
      return () => {
        for (const end of ends) end()
      }
    },
    onReturn: log.onReturn,
    state,
    close: async () => {
      forgetDecision()
      decide()
      await Promise.all([log.close(), memory.close()])
    },
  }
}

/** A server that starts together with this process is there by then. */
const patienceMs = 2000
