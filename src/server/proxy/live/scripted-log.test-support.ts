import { type Clock, wait } from '../../../protocol/clock.ts'
import {
  type Lease,
  LeaseLost,
  type LiveLog,
  type LogReader,
  type LogState,
  type NumberedEntry,
} from '../../live-log/live-log.ts'

/** A log as an engine keeps it, with a connection for each process that the test can harm. */
export interface ScriptedLog {
  readonly entries: readonly NumberedEntry[]
  readonly connect: () => ScriptedConnection
}

/** The log as one process has it. */
export interface ScriptedConnection {
  readonly log: LiveLog
  /** The process is gone without a word: nothing of it reaches the engine any more. */
  readonly kill: () => void
  /** Nothing gets through, and the process knows; or it is frozen, and does not know. */
  readonly cut: (how: 'away' | 'frozen') => void
  /** All gets through again. */
  readonly mend: () => void
}

/**
 * Makes an empty log. What it is sent takes a moment; a lease runs out 1.2 s after its holder was last
 * heard, and an append under an old one is refused.
 */
export function createScriptedLog(clock: Clock): ScriptedLog {
  const entries: NumberedEntry[] = []
  const builds = new Set<string>()
  const connections = new Set<Connection>()
  let held: { readonly by: Connection; readonly term: number } | undefined
  let term = 0
  let newestBuild: string | undefined

  /** Takes the lease from whoever has not been heard of. */
  const runOut = (from: Connection): void => {
    if (held?.by === from) held = undefined
  }

  interface Connection {
    readonly deliver: () => void
    readonly hear: (topic: string, value: unknown) => void
  }

  const connect = (): ScriptedConnection => {
    let mode: 'open' | 'away' | 'frozen' | 'dead' = 'open'
    let reader: LogReader | undefined
    let given = 0
    let since = clock.now()
    let lost: AbortController | undefined
    const listeners = new Map<string, Set<(value: unknown) => void>>()
    const returns = new Set<() => void>()
    const closing = new AbortController()

    const state = (): LogState => ({
      kind: 'redis',
      isReachable: mode !== 'away',
      since,
      message: mode === 'away' ? 'The live log is away.' : undefined,
    })
    const deliver = (): void => {
      setImmediate(() => {
        if (mode !== 'open' || reader === undefined) return
        const fresh = entries.slice(given)
        given = entries.length
        if (fresh.length > 0) reader.onEntries(fresh)
      })
    }
    const self: Connection = {
      deliver,
      hear: (topic, value) => {
        const json = JSON.stringify(value)
        setImmediate(() => {
          if (mode !== 'open') return
          for (const listener of listeners.get(topic) ?? []) listener(JSON.parse(json))
        })
      },
    }
    connections.add(self)
    const isMine = (own: number): boolean => held?.by === self && held.term === own
    const loseLease = (): void => {
      lost?.abort()
      lost = undefined
    }
    /** What the engine and the process do when they do not hear of each other. */
    const silence = (): void => {
      clock.after(leaseMs, () => {
        if (mode === 'open') return
        runOut(self)
        // A frozen process does not look at the clock.
        if (mode === 'away') loseLease()
      })
    }
    const untilOpen = async (signal: AbortSignal): Promise<void> => {
      while (mode !== 'open' && !signal.aborted) await wait(clock, 10, signal)
    }

    const log: LiveLog = {
      append: async (added, lease) => {
        const own = terms.get(lease)
        await untilOpen(lease.lost)
        if (lease.lost.aborted || own === undefined || !isMine(own)) throw new LeaseLost()
        for (const entry of added) {
          if (entry.kind === 'build' && builds.has(entry.id)) continue
          if (entry.kind === 'build') {
            builds.add(entry.id)
            newestBuild = entry.id
          }
          entries.push({ number: entries.length + 1, entry })
        }
        for (const connection of connections) connection.deliver()
        await new Promise(setImmediate)
      },
      read: (added) => {
        reader = added
        setImmediate(() => {
          const fresh = entries.slice(given)
          given = entries.length
          added.onEntries(fresh)
          added.onCaughtUp()
        })
      },
      lease: async (_, signal) => {
        const over = AbortSignal.any([signal, closing.signal])
        while (!over.aborted) {
          await untilOpen(over)
          if (held === undefined && reader !== undefined && !isAborted(over)) {
            held = { by: self, term: ++term }
            const own = term
            // All that was appended before is given first.
            deliver()
            await new Promise(setImmediate)
            await new Promise(setImmediate)
            const end = new AbortController()
            lost = end
            const lease: Lease = {
              resumeAfter: newestBuild,
              lost: end.signal,
              release: () => {
                end.abort()
                if (mode === 'open' && isMine(own)) held = undefined
                return Promise.resolve()
              },
            }
            terms.set(lease, own)
            return lease
          }
          await wait(clock, 50, over)
        }
        return undefined
      },
      notify: (topic, value) => {
        if (mode !== 'open') return
        for (const connection of connections) connection.hear(topic, value)
      },
      onNotice: (topic, listener) => {
        const known = listeners.get(topic) ?? new Set()
        listeners.set(topic, known.add(listener))
        return () => known.delete(listener)
      },
      onReturn: (listener) => {
        returns.add(listener)
        return () => returns.delete(listener)
      },
      state,
      close: () => {
        closing.abort()
        return Promise.resolve()
      },
    }
    return {
      log,
      kill: () => {
        mode = 'dead'
        connections.delete(self)
        closing.abort()
        silence()
      },
      cut: (how) => {
        mode = how
        since = clock.now()
        reader?.onState(state())
        silence()
      },
      mend: () => {
        mode = 'open'
        since = clock.now()
        reader?.onState(state())
        if (lost !== undefined && held?.by !== self) loseLease()
        deliver()
        for (const listener of returns) listener()
      },
    }
  }
  return { entries, connect }
}

const terms = new WeakMap<Lease, number>()
const leaseMs = 1200

/** Asked anew after each wait: a signal changes behind the compiler's back. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted
}
