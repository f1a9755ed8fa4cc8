import type { Clock } from '../../../protocol/clock.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { createFeed } from './feed-store.ts'
import type { Feed } from './feed-state.ts'
import type { Locks } from '../core/session.ts'
import { createSharedSource } from './shared-stream.ts'
import type { StreamSink } from './stream-source.ts'

const begin = 1_780_000_000_000
/** The id of the nth build. */
export const idOf = (number: number): string => number.toString(36).padStart(13, '0')

/** The proxy's journal: builds, and facts of builds that came before. */
interface Entry {
  readonly id: string
  readonly event: 'Build' | 'Facts'
  readonly data: string
}

interface Connection {
  readonly sink: StreamSink
  /** How many entries of the journal it has been sent. */
  sent: number
}

/** A tab with a feed. */
export interface Tab {
  readonly feed: Feed
  readonly leave: () => void
  readonly inbox: (() => void)[]
  /** Frozen tabs do nothing until they thaw, those that were left or crashed never again. */
  state: 'awake' | 'frozen' | 'left' | 'crashed'
  connection: Connection | undefined
}

/**
 * Tabs that share a stream, with what the browser does in small: locks, and channels whose messages
 * are under way until a tab takes them. The real ones are in e2e/live-stream.spec.ts.
 */
export class Browser {
  readonly clock = createManualClock(begin)
  readonly journal: Entry[] = []
  readonly tabs: Tab[] = []
  readonly #channels = new Map<Tab, (data: unknown) => void>()
  #queue: { readonly tab: Tab; readonly grant: () => void }[] = []
  #holder: { readonly tab: Tab; readonly rob: () => void } | undefined

  build(number: number): void {
    const id = idOf(number)
    const words = { toolType: 'npm', toolVersion: '1', agentVersion: '1' }
    const data = JSON.stringify({ buildId: id, timestamp: begin, ...words })
    this.journal.push({ id, event: 'Build', data })
  }

  facts(number: number, user: string): void {
    const id = idOf(number)
    const words = { buildTool: 'npm', buildToolVersion: '1', agentVersion: '1' }
    const facts = { buildId: id, receivedAt: begin, user, ...words }
    this.journal.push({ id, event: 'Facts', data: JSON.stringify({ buildId: id, facts }) })
  }

  hasFacts(number: number): boolean {
    return this.journal.some(({ id, event }) => event === 'Facts' && id === idOf(number))
  }

  open(): Tab {
    const inbox: (() => void)[] = []
    let leave = (): void => undefined
    const feed = createFeed({
      clock: this.#clockOf(() => tab),
      graceMs: 0,
      limit: 10_000,
      source: (sink) =>
        createSharedSource({
          own: (own) => {
            const connection = { sink: own, sent: this.#placeAfter(own.start().lastId) }
            tab.connection = connection
            return {
              reconnect: () => undefined,
              skipToNow: () => undefined,
              close: () => {
                if (tab.connection === connection) tab.connection = undefined
              },
            }
          },
          locks: this.#locksOf(() => tab),
          openChannel: () => ({
            postMessage: (data) => {
              this.#broadcast(tab, structuredClone(data))
            },
            addEventListener: (_type, listener) => {
              this.#channels.set(tab, (data) => {
                listener({ data })
              })
            },
            close: () => {
              this.#channels.delete(tab)
            },
          }),
          clock: this.#clockOf(() => tab),
          tabId: `tab ${this.tabs.length}`,
        })(sink),
    })
    const tab: Tab = {
      feed,
      inbox,
      state: 'awake',
      connection: undefined,
      leave: () => {
        leave()
        this.clock.advance(0)
        tab.state = 'left'
      },
    }
    this.tabs.push(tab)
    leave = feed.subscribe(() => undefined)
    return tab
  }

  crash(tab: Tab): void {
    tab.state = 'crashed'
    tab.connection = undefined
    this.#channels.delete(tab)
    if (this.#holder?.tab === tab) this.#holder = undefined
    this.#passOn()
  }

  /** The proxy sends what it has; only a tab that is awake reads. */
  wire(): void {
    for (const { state, connection } of this.tabs) {
      if (state !== 'awake' || connection === undefined) continue
      const { sink } = connection
      for (const { id, event, data } of this.journal.slice(connection.sent)) {
        const message = { id: event === 'Build' ? id : '', event, data }
        sink.emit({ type: 'message', message, at: this.clock.now() })
      }
      connection.sent = this.journal.length
    }
  }

  /** One tab takes the next message that is under way to it. */
  take(tab: Tab): void {
    if (tab.state === 'awake') tab.inbox.shift()?.()
  }

  /** All that is under way arrives, and enough time passes for every silence to be noticed. */
  async settle(seconds = 100): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      this.wire()
      for (const tab of this.tabs)
        while (tab.state === 'awake' && tab.inbox.length > 0) this.take(tab)
      this.clock.advance(1000)
      await new Promise(setImmediate)
    }
  }

  #placeAfter(id: string | undefined): number {
    return 1 + this.journal.findIndex((entry) => entry.event === 'Build' && entry.id === id)
  }

  #broadcast(from: Tab, data: unknown): void {
    for (const [tab, listener] of this.#channels) {
      if (tab !== from) {
        tab.inbox.push(() => {
          listener(data)
        })
      }
    }
  }

  /** The timers of a frozen tab come when it thaws. */
  #clockOf(tab: () => Tab): Clock {
    return {
      now: this.clock.now,
      after: (ms, callback) =>
        this.clock.after(ms, () => {
          if (tab().state === 'awake') callback()
          if (tab().state === 'frozen') tab().inbox.push(callback)
        }),
    }
  }

  /** As Web Locks have it: one holder, the others in a queue, thieves at once. */
  #locksOf(tabOf: () => Tab): Locks {
    return {
      request: (_name, { steal = false, signal }, callback) =>
        new Promise((resolve, reject) => {
          const tab = tabOf()
          const robbed = (): void => {
            reject(new DOMException('robbed', 'AbortError'))
          }
          const grant = (): void => {
            const holder = {
              tab,
              rob: () => {
                if (tab.state === 'frozen') tab.inbox.unshift(robbed)
                else robbed()
              },
            }
            this.#holder = holder
            void callback().then(() => {
              if (this.#holder === holder) this.#holder = undefined
              resolve()
              this.#passOn()
            })
          }
          if (steal) {
            this.#holder?.rob()
            grant()
            return
          }
          const waiting = { tab, grant }
          this.#queue.push(waiting)
          signal?.addEventListener('abort', () => {
            this.#queue = this.#queue.filter((other) => other !== waiting)
            reject(new DOMException('aborted', 'AbortError'))
          })
          this.#passOn()
        }),
    }
  }

  #passOn(): void {
    if (this.#holder !== undefined) return
    this.#queue = this.#queue.filter(({ tab }) => tab.state !== 'crashed')
    this.#queue.shift()?.grant()
  }
}
