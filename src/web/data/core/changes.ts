import * as z from 'zod/mini'
import {
  changeEvent,
  changesPath,
  type ChangeTopic,
  changeTopics,
  LiveChange,
} from '../../../protocol/live-change.ts'
import { parsedJson } from '../../../protocol/parsed-text.ts'
import { type LiveSourceOptions, openSessionStream } from '../live/stream-source.ts'
import type { Tabs } from './session.ts'
import { createStore } from './store.ts'
import { joinTabs, type TabRole } from './tab-group.ts'

/** What somebody changed that all share, at whichever proxy. */
export interface Changes {
  /**
   * Calls back when something of a topic has changed: what it is now is to be fetched. Without a key
   * anything of it may have, as after each start of the connection. Returns what ends that.
   */
  readonly subscribe: (topic: ChangeTopic, listener: ChangeListener) => () => void
}

/** Gets the key of what has changed (protocol/live-change.ts). */
export type ChangeListener = (key: string | undefined) => void

export interface ChangesOptions extends LiveSourceOptions {
  /** With them one tab reads the stream for all. */
  readonly tabs: Tabs | undefined
  readonly page: PageVisibility
}

/** Whether the page is seen: a document is one. */
export interface PageVisibility {
  readonly visibilityState: string
  readonly addEventListener: (type: 'visibilitychange', listener: () => void) => void
  readonly removeEventListener: (type: 'visibilitychange', listener: () => void) => void
}

/** A page that is hidden for so long no longer follows, ms. */
const hiddenMs = 60_000
/** The stream outlives the last listener for so long, as pages change, ms. */
const graceMs = 5000
/** To be changed with the messages and the topics. */
const groupName = 'sightline-changes-1'

/**
 * One stream of changes for all tabs of a browser. It is closed while no page listens, and no longer
 * read for a page that is hidden for a minute: shown again, anything may have changed.
 */
export function createChanges(options: ChangesOptions): Changes {
  const { clock, page } = options
  const listeners = new Map<ChangeTopic, Set<ChangeListener>>()

  const emit = (changes: readonly LiveChange[]): void => {
    for (const { topic, key } of changes) {
      // Who comes meanwhile has what is there now.
      for (const listener of [...(listeners.get(topic) ?? [])]) listener(key)
    }
  }

  /** Follows while the page is seen. */
  const follow = (): (() => void) => {
    let leave: (() => void) | undefined = join(options, emit)
    let cancelLeaving = (): void => undefined
    const look = (): void => {
      cancelLeaving()
      if (page.visibilityState === 'hidden') {
        cancelLeaving = clock.after(hiddenMs, () => {
          leave?.()
          leave = undefined
        })
      } else if (leave === undefined) {
        leave = join(options, emit)
        emit(anything)
      }
    }
    page.addEventListener('visibilitychange', look)
    look()
    return () => {
      page.removeEventListener('visibilitychange', look)
      cancelLeaving()
      leave?.()
    }
  }
  const source = createStore(undefined, { clock, open: follow, graceMs })

  return {
    subscribe: (topic, listener) => {
      // An entry of its own, as the same function may listen twice.
      const entry: ChangeListener = (key) => {
        listener(key)
      }
      const known = listeners.get(topic) ?? new Set()
      listeners.set(topic, known.add(entry))
      const leave = source.subscribe(() => undefined)
      return () => {
        known.delete(entry)
        leave()
      }
    },
  }
}

const anything: readonly LiveChange[] = changeTopics.map((topic) => ({ topic }))

/** Reads the stream, or what the tab that does passes on; returns what ends that. */
function join(
  { tabs, page: _, ...options }: ChangesOptions,
  emit: (changes: readonly LiveChange[]) => void,
): () => void {
  const read = (take: (changes: readonly LiveChange[]) => void): (() => void) =>
    openSessionStream({ ...options, url: () => changesPath }, (event) => {
      // Between two connections anything may have happened.
      if (event.type === 'opened') take(anything)
      if (event.type === 'message' && event.message.event === changeEvent) {
        const { data } = z.safeParse(LiveChange, parsedJson(event.message.data))
        if (data !== undefined) take([data])
      }
    }).close
  if (tabs === undefined) return read(emit)
  return joinTabs<GroupMessage, TabRole<GroupMessage>>({
    ...tabs,
    clock: options.clock,
    name: groupName,
    read: (data) => z.safeParse(GroupMessage, data).data,
    lead: (post) => ({
      receive: () => undefined,
      close: read((changes) => {
        post({ changes: [...changes] })
        emit(changes)
      }),
    }),
    follow: () => ({
      receive: ({ changes }) => {
        emit(changes)
      },
      close: () => undefined,
    }),
    pulse: { changes: [] },
    isFromLeader: () => true,
  }).leave
}

/** What the tab that reads the stream sends the others. */
const GroupMessage = z.object({ changes: z.array(LiveChange) })
type GroupMessage = z.infer<typeof GroupMessage>
