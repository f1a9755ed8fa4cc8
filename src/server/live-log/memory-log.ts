import { aborted, type Clock } from '../../protocol/clock.ts'
import { type Entry, LeaseLost, type LiveLog, type LogReader } from './live-log.ts'

/**
 * The log of a single process: nothing is kept beside what the readers keep, so a reader that comes
 * after the first entry gets only what comes. A lease waits for the one before it to be released.
 */
export function createMemoryLog(clock: Pick<Clock, 'now'>): LiveLog {
  const readers: LogReader[] = []
  const listeners = new Map<string, Set<(value: unknown) => void>>()
  const held = new Map<string, Promise<void>>()
  const state = {
    kind: 'memory',
    isReachable: true,
    since: clock.now(),
    message: undefined,
  } as const
  const closing = new AbortController()
  const builds = new Set<string>()
  let newestBuild: string | undefined
  let head = 0

  const isNew = (entry: Entry): boolean => {
    if (entry.kind !== 'build') return true
    if (builds.has(entry.id)) return false
    builds.add(entry.id)
    newestBuild = entry.id
    if (builds.size > rememberedBuilds) builds.delete(builds.values().next().value ?? '')
    return true
  }

  return {
    append: (entries, { lost }) => {
      if (lost.aborted) return Promise.reject(new LeaseLost())
      const added = entries.filter(isNew).map((entry) => ({ number: ++head, entry }))
      if (added.length > 0) for (const reader of readers) reader.onEntries(added)
      return Promise.resolve()
    },
    read: (reader) => {
      readers.push(reader)
      reader.onState(state)
      reader.onCaughtUp()
    },
    lease: async (name, asked) => {
      const signal = AbortSignal.any([asked, closing.signal])
      while (held.has(name) && !signal.aborted) {
        await Promise.race([held.get(name), aborted(signal)])
      }
      if (signal.aborted) return undefined
      const end = new AbortController()
      closing.signal.addEventListener('abort', () => {
        end.abort()
      })
      let free: () => void = () => undefined
      held.set(
        name,
        new Promise((resolve) => {
          free = resolve
        }),
      )
      return {
        resumeAfter: newestBuild,
        lost: end.signal,
        release: () => {
          if (!end.signal.aborted) {
            end.abort()
            held.delete(name)
            free()
          }
          return Promise.resolve()
        },
      }
    },
    notify: (topic, value) => {
      // As it would come from elsewhere: later, and as JSON says it.
      const json = JSON.stringify(value)
      queueMicrotask(() => {
        for (const listener of listeners.get(topic) ?? []) listener(JSON.parse(json))
      })
    },
    onNotice: (topic, listener) => {
      const known = listeners.get(topic) ?? new Set()
      listeners.set(topic, known.add(listener))
      return () => {
        known.delete(listener)
      }
    },
    onReturn: () => () => undefined,
    state: () => state,
    close: () => {
      closing.abort()
      return Promise.resolve()
    },
  }
}

/** Twice what readers keep: a build that is still kept by one is known here. */
const rememberedBuilds = 20_000
