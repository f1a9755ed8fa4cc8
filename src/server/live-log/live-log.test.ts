import pino from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Clock } from '../../protocol/clock.ts'
import { findPostgres, startPostgres } from '../store/throwaway-postgres.test-support.ts'
import {
  type Entry,
  type Lease,
  type LiveLog,
  type LogState,
  type NumberedEntry,
} from './live-log.ts'
import { openLiveLog } from './open-live-log.ts'
import { findRedis, startRedis } from './throwaway-redis.test-support.ts'

// What holds for every log, on real servers that are killed, stopped and cut off.

const clock: Clock = {
  now: () => Date.now(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms)
    return () => {
      clearTimeout(timer)
    }
  },
}

/** A server that this file may treat badly. */
interface Server {
  readonly url: string
  readonly emptyDatabase: () => Promise<string>
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
  readonly freeze: () => Promise<void>
  readonly thaw: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** A process of an installation, as far as the log goes: what its reader was given. */
interface Process {
  readonly log: LiveLog
  readonly given: NumberedEntry[]
  readonly states: LogState[]
  readonly lines: string[]
  /** How often it heard that it is caught up. */
  readonly caughtUp: () => number
}

const open: LiveLog[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((log) => log.close()))
})

function startProcess(url: string, fallback = false): Process {
  const given: NumberedEntry[] = []
  const states: LogState[] = []
  const lines: string[] = []
  let caughtUp = 0
  const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const log = openLiveLog({ url, fallback, clock, random: Math.random, logger })
  open.push(log)
  log.read({
    onEntries: (entries) => given.push(...entries),
    onCaughtUp: () => (caughtUp += 1),
    onState: (state) => states.push(state),
  })
  return { log, given, states, lines, caughtUp: () => caughtUp }
}

/** Waits for something that servers and processes do in their own time. */
async function until(what: string, isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!isSo()) {
    if (Date.now() > deadline) throw new Error(`not so after a minute: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

const never = new AbortController().signal

async function leaseOf(log: LiveLog, name = 'follower'): Promise<Lease> {
  const lease = await log.lease(name, never)
  if (lease === undefined) throw new Error('no lease')
  return lease
}

const build = (id: string): Entry => ({ kind: 'build', id, timestamp: 1, json: `{"id":"${id}"}` })
const factsOf = (id: string): Entry => ({ kind: 'facts', id, json: `{"of":"${id}"}` })
const textOf = ({ entry }: NumberedEntry): string =>
  entry.kind === 'gap' ? 'gap' : `${entry.kind} ${entry.id}`
function laws(newUrl: () => Promise<string>): void {
  test('every process is given the same entries in the order in which they were appended', async () => {
    const url = await newUrl()
    const [one, two] = [startProcess(url), startProcess(url)]
    const lease = await leaseOf(one.log)
    const entries = Array.from({ length: 50 }, (_, at) => `b${at}`).flatMap((id) => [
      build(id),
      factsOf(id),
    ])
    await Promise.all([
      one.log.append(entries.slice(0, 30), lease),
      one.log.append(entries.slice(30, 31), lease),
      one.log.append(entries.slice(31), lease),
    ])
    await one.log.append([{ kind: 'gap', json: '{"from":null,"oldest":null}' }], lease)
    await until('both have all', () => [one, two].every(({ given }) => given.length === 101))
    expect(one.given.map(({ entry }) => entry).slice(0, 100)).toEqual(entries)
    expect(textOf(one.given[100] ?? fail())).toBe('gap')
    expect(two.given).toEqual(one.given)
    expect(one.given.map(({ number }) => number)).toEqual(
      Array.from({ length: 101 }, (_, at) => at + 1),
    )
    expect([one.caughtUp(), two.caughtUp()]).toEqual([1, 1])
  })
}

function fail(): never {
  throw new Error('nothing there')
}

const servers: [string, string | undefined, (program: string) => Promise<Server>][] = [
  ['PostgreSQL', await findPostgres(), startPostgres],
  ['Redis', await findRedis(), startRedis],
]
for (const [name, program, start] of servers) {
  describe.skipIf(program === undefined)(
    program === undefined ? `${name}: LEFT OUT, it is not installed` : `in ${name}`,
    () => {
      let server: Server
      beforeAll(async () => {
        server = await start(program ?? '')
      })
      afterAll(() => server.stop())
      laws(() => server.emptyDatabase())
    },
  )
}
