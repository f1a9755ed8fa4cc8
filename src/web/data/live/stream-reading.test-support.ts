import { afterEach, beforeEach, expect, vi } from 'vitest'
import {
  type Answer,
  type HostileServer,
  startHostileServer,
} from '../../../../e2e/hostile-stream-server.ts'
import { createManualClock, type ManualClock } from '../../../protocol/manual-clock.test-support.ts'
import {
  type EventStream,
  type EventStreamOptions,
  openEventStream,
  type StreamEvent,
} from './event-stream.ts'
import type { EventSourceOptions } from '../core/event-source.ts'

/** What the library asks of a browser, which Node is not: a tab that is hidden. */
export const hiddenTab = { hidden: true, addEventListener: vi.fn(), removeEventListener: vi.fn() }

let server: HostileServer | undefined
let stream: EventStream | undefined

/**
 * Before each test a hidden tab; after it the stream is closed, and there must be no connection
 * left and never have been two.
 */
export function watchForLeaks(): void {
  beforeEach(() => {
    vi.stubGlobal('window', { setTimeout, clearTimeout })
    vi.stubGlobal('document', hiddenTab)
  })
  afterEach(async () => {
    stream?.close()
    await server?.quiet()
    await server?.stop()
    expect(server?.peak(), 'at most one connection at any time').toBeLessThanOrEqual(1)
    vi.unstubAllGlobals()
  })
}

/** Starts the server of a test. */
export async function serve(answer: Answer): Promise<HostileServer> {
  server = await startHostileServer(answer)
  return server
}

/** A stream that is being read. */
export interface Reading {
  readonly clock: ManualClock
  readonly server: HostileServer
  readonly stream: EventStream
  readonly told: StreamEvent[]
  /** Resolves with the nth event of a type, counted from 1. */
  readonly next: <T extends StreamEvent['type']>(
    type: T,
    nth?: number,
  ) => Promise<Extract<StreamEvent, { type: T }>>
  /** Lets the nth wait between attempts pass; gives how long it was, ms. */
  readonly passWait: (nth?: number) => Promise<number>
  readonly texts: () => string[]
  readonly discarded: string[]
}

/** Opens a stream on a server that answers so; time stands still but for what the test lets pass. */
export async function read(
  answer: Answer,
  options: Partial<EventStreamOptions> = {},
  onTold: (event: StreamEvent, stream: EventStream) => void = () => undefined,
): Promise<Reading> {
  const started = await serve(answer)
  const clock = createManualClock(1_000_000)
  const told: StreamEvent[] = []
  const discarded: string[] = []
  const waiting: (() => void)[] = []
  const opened = openEventStream(
    {
      fetch,
      clock,
      random: () => 0.5,
      isOnline: () => true,
      url: () => `${started.origin}/live/builds`,
      token: () => Promise.resolve(`token-${discarded.length}`),
      discard: (token) => discarded.push(token),
      ...options,
    },
    (event) => {
      told.push(event)
      for (const wake of waiting.splice(0)) wake()
      if (event.type !== 'attempt') onTold(event, opened)
    },
  )
  stream = opened
  const next: Reading['next'] = async (type, nth = 1) => {
    for (;;) {
      const found = told.filter(is(type))[nth - 1]
      if (found !== undefined) return found
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
  }
  return {
    clock,
    server: started,
    stream: opened,
    told,
    discarded,
    next,
    texts: () => told.filter(is('message')).map(({ message }) => message.data),
    passWait: async (nth) => {
      const ms = (await next('waiting', nth)).nextAttemptAt - clock.now()
      clock.advance(ms)
      return ms
    },
  }
}

/** What one attempt is made with, where a test makes it itself. */
export function attemptOn({ origin }: HostileServer): EventSourceOptions {
  return {
    fetch,
    clock: createManualClock(),
    isOnline: () => true,
    url: `${origin}/`,
    token: 'token',
    lastId: undefined,
    maxLineBytes: 1_000_000,
    silenceLimitMs: 37_500,
    onOpen: () => undefined,
    onBytes: () => undefined,
    onMessage: () => undefined,
    onRetry: () => undefined,
  }
}

function is<T extends StreamEvent['type']>(type: T) {
  return (event: StreamEvent): event is Extract<StreamEvent, { type: T }> => event.type === type
}
