import pino from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest'
import type { Clock } from '../../protocol/clock.ts'
import { findPostgres, startPostgres } from '../store/throwaway-postgres.test-support.ts'
import { realClock } from '../real-clock.test-support.ts'
import {
  type Entry,
  type Lease,
  LeaseLost,
  type LiveLog,
  type LogState,
  type NumberedEntry,
} from './live-log.ts'
import { openLiveLog } from './open-live-log.ts'
import { findRedis, startRedis } from './throwaway-redis.test-support.ts'

/** A real server that a test may treat badly. */
export interface LogServer {
  readonly kind: 'postgres' | 'redis'
  readonly url: string
  readonly emptyDatabase: () => Promise<string>
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
  readonly freeze: () => Promise<void>
  readonly thaw: () => Promise<void>
  readonly stop: () => Promise<void>
}

const programs = { postgres: await findPostgres(), redis: await findRedis() }

/** Runs a suite on a PostgreSQL and on a Redis of its own, as far as they are installed. */
export function onEachServer(suite: (server: () => LogServer) => void): void {
  for (const kind of ['postgres', 'redis'] as const) {
    const program = programs[kind]
    describe.skipIf(program === undefined)(
      program === undefined ? `${kind}: LEFT OUT, it is not installed` : `on ${kind}`,
      () => {
        let server: LogServer | undefined
        beforeAll(async () => {
          const start = kind === 'postgres' ? startPostgres : startRedis
          server = { kind, ...(await start(program ?? '')) }
        })
        afterAll(() => server?.stop())
        suite(() => there(server))
      },
    )
  }
}

/** A process of an installation, as far as the log goes, and what its reader was given. */
export interface LogProcess {
  readonly log: LiveLog
  readonly given: NumberedEntry[]
  readonly states: LogState[]
  /** What it wrote to its own log. */
  readonly lines: string[]
  readonly caughtUp: () => number
}

const started: LogProcess[] = []
afterEach(async () => {
  const ended = started.splice(0)
  await Promise.all(ended.map(({ log }) => log.close()))
  // Of the throw-away servers; nothing that a person or a file gets may hold it.
  const said = ended.map(({ states, lines }) => [states, lines])
  expect(JSON.stringify(said)).not.toContain('throw-away')
})

/** Starts one; it ends with the test. */
export function startProcess(
  url: string,
  { fallback = false, clock = realClock }: { fallback?: boolean; clock?: Clock } = {},
): LogProcess {
  const given: NumberedEntry[] = []
  const states: LogState[] = []
  const lines: string[] = []
  let caughtUp = 0
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const log = openLiveLog({ url, fallback, clock, random: Math.random, logger })
  log.read({
    onEntries: (entries) => {
      given.push(...entries)
    },
    onCaughtUp: () => {
      caughtUp += 1
    },
    onState: (state) => {
      states.push(state)
    },
  })
  const process = { log, given, states, lines, caughtUp: () => caughtUp }
  started.push(process)
  return process
}

/** Waits for what servers and processes do in their own time. */
export async function until(what: string, isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!isSo()) {
    if (Date.now() > deadline) throw new Error(`not within a minute: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Nobody gives up waiting. */
export const never = new AbortController().signal

export async function leaseOf(log: LiveLog): Promise<Lease> {
  return there(await log.lease('follower', never))
}

/** What whoever holds the lease does: appends what the log has not, and begins anew after a loss. */
export async function appendAll(log: LiveLog, wanted: readonly string[], size = 7): Promise<void> {
  for (;;) {
    const lease = await leaseOf(log)
    let at = wanted.indexOf(lease.resumeAfter ?? '') + 1
    try {
      for (; at < wanted.length; at += size) {
        await log.append(wanted.slice(at, at + size).map(build), lease)
      }
      await lease.release()
      return
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error
    }
  }
}

/** Appends under a lease of its own, whatever becomes of the ones before. */
export async function appendOnce(log: LiveLog, entries: readonly Entry[]): Promise<void> {
  for (;;) {
    const lease = await leaseOf(log)
    try {
      await log.append(entries, lease)
      await lease.release()
      return
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error
    }
  }
}

export const build = (id: string): Entry => ({
  kind: 'build',
  id,
  timestamp: 1_700_000_000_123,
  json: `{"buildId":"${id}","text":"Grün \\u0000 'x' $1"}`,
})
export const factsOf = (id: string): Entry => ({ kind: 'facts', id, json: `{"of":"${id}"}` })

/** `b1`, `b2` and so on. */
export const ids = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, at) => `b${from + at}`)

export const buildsOf = ({ given }: LogProcess): string[] =>
  given.flatMap(({ entry }) => (entry.kind === 'build' ? [entry.id] : []))

/** What has to be there. */
export function there<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('nothing there')
  return value
}
