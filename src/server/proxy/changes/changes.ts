import { z } from 'zod'
import type { Clock } from '../../../protocol/clock.ts'
import {
  changeEvent,
  type ChangeTopic,
  changeTopics,
  LiveChange,
} from '../../../protocol/live-change.ts'
import { encodeSse } from '../../../protocol/sse.ts'
import type { Notices } from '../../live-log/live-log.ts'
import { type Block, createBlock, openLiveClient } from '../live/live-client.ts'
import type { LiveReader } from '../live/live-reader.ts'
import type { LiveEndpoint } from '../live/live-route.ts'
import { createReaderList, defaultHubSettings, refuseReader } from '../live/reader-list.ts'

/** Lets every browser know that something shared has changed, whichever proxy it is connected to. */
export type PublishChange = (topic: ChangeTopic, key?: string) => void

/** What has changed for everybody, and the browsers that follow it at `GET /live/changes`. */
export interface Changes extends Pick<LiveEndpoint, 'handle'> {
  /** Call it once the change is stored: whoever hears of it reads it there. Never throws. */
  readonly publish: PublishChange
  /** How many browsers follow. */
  readonly size: () => number
  /** Takes no more browsers and ends the present ones, spread over some seconds. */
  readonly close: () => Promise<void>
}

const noticeTopic = 'changes'
/** Changes are gathered for so long, so that a board of hundreds of cells is a few notices, ms. */
const gatherMs = 100
/** With more keys of a topic at once it is said of the whole topic. */
const mostKeys = 200

/**
 * Carries changes to all proxies by notices, and from there to their browsers. A browser that takes
 * nothing for a while, and every one after the notices were interrupted, hears of all topics without
 * a key.
 */
export function createChanges(options: {
  readonly log: Notices
  readonly clock: Clock
  /** 0 up to 1. */
  readonly random: () => number
  /** Hears what any proxy has published; of everything after the notices were interrupted. */
  readonly onChange?: (topic: ChangeTopic) => void
}): Changes {
  const { log, clock, random, onChange = () => undefined } = options
  const readers = createReaderList(clock, defaultHubSettings, () => undefined)
  let closing = false
  /** By topic: undefined among the keys stands for any of them. */
  let gathered = new Map<ChangeTopic, Set<string | undefined>>()
  let cancelGathering: (() => void) | undefined

  const notify = (): void => {
    cancelGathering = undefined
    const changes = [...gathered].flatMap(([topic, keys]): LiveChange[] =>
      keys.has(undefined) || keys.size > mostKeys
        ? [{ topic }]
        : [...keys].map((key) => ({ topic, key })),
    )
    gathered = new Map()
    log.notify(noticeTopic, changes)
  }

  /** Whom a message could not be written to, as their connection takes nothing. */
  const behind = new Set<LiveReader>()
  const screens = new WeakSet<LiveReader>()
  const send = (changes: readonly LiveChange[]): void => {
    for (const topic of new Set(changes.map((change) => change.topic))) onChange(topic)
    const forAll = blockOf(changes)
    const forScreens = blockOf(changes.filter(isForScreens))
    for (const reader of readers.readers) {
      const block = screens.has(reader) ? forScreens : forAll
      if (block === undefined) continue
      if (reader.client.ready()) reader.client.send(block)
      else behind.add(reader)
    }
  }

  const stops = [
    log.onNotice(noticeTopic, (value) => {
      send(readChanges(value))
    }),
    log.onReturn(() => {
      send(anything)
    }),
  ]

  return {
    publish: (topic, key) => {
      const keys = gathered.get(topic) ?? new Set()
      gathered.set(topic, keys.add(key))
      // Requests that still run change something, and what they recorded is written at the very end.
      if (closing) notify()
      else cancelGathering ??= clock.after(gatherMs, notify)
    },
    size: () => readers.readers.size,
    handle: (request, outgoing) => {
      if (outgoing.destroyed) return
      const full = closing ? 'closing' : readers.full(request.session.holder)
      if (full !== undefined) {
        refuseReader(outgoing, full)
        return
      }
      const lifetime = defaultHubSettings.lifetimeMs * (0.8 + 0.4 * random())
      const client = openLiveClient({
        request,
        outgoing,
        clock,
        gzip: request.gzip,
        endsAt: Math.min(clock.now() + lifetime, request.session.expiresAt),
        onReady: () => {
          reader.advance()
        },
        onGone: () => {
          behind.delete(reader)
          readers.remove(reader)
        },
      })
      const reader: LiveReader = {
        client,
        follower: () => undefined,
        advance: () => {
          const missed = screens.has(reader) ? everythingForScreens : everything
          if (behind.delete(reader) && missed !== undefined) client.send(missed)
        },
      }
      if (request.session.isScreen === true) screens.add(reader)
      readers.add(reader)
    },
    close: async () => {
      closing = true
      cancelGathering?.()
      if (cancelGathering !== undefined) notify()
      await readers.drain(random)
      for (const stop of stops) stop()
    },
  }
}

/** What another proxy sent; topics that only a newer version knows are left out. */
function readChanges(value: unknown): readonly LiveChange[] {
  const { data = [] } = z.array(z.unknown()).safeParse(value)
  return data.flatMap((item) => {
    const { data: change } = z.safeParse(LiveChange, item)
    return change === undefined ? [] : [change]
  })
}

function messageOf({ topic, key }: LiveChange): string {
  return encodeSse({ event: changeEvent, data: JSON.stringify({ topic, key }) })
}

/** Undefined where nothing has changed. */
function blockOf(changes: readonly LiveChange[]): Block | undefined {
  return changes.length === 0 ? undefined : createBlock(changes.map(messageOf).join(''))
}

/** Of all else a screen may not know that it exists. */
function isForScreens({ topic }: LiveChange): boolean {
  return topic === 'walls' || topic === 'claims'
}

const anything = changeTopics.map((topic): LiveChange => ({ topic }))
const everything = blockOf(anything)
const everythingForScreens = blockOf(anything.filter(isForScreens))
