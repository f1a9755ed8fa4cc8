import type { ServerResponse } from 'node:http'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  beginStream,
  type HostileServer,
  startHostileServer,
} from '../../../../e2e/hostile-stream-server.ts'
import { positions, runs } from '../../../property-runs.test-support.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { encodeSse } from '../../../protocol/sse.ts'
import { createFeed } from './feed-store.ts'
import { createLiveSource, type StreamSource } from './stream-source.ts'
import { createSession } from '../core/session.ts'

/** A stream that breaks anywhere, over a socket and all the way into the feed. */

const begin = 1_780_000_000_000

beforeAll(() => {
  vi.stubGlobal('window', { setTimeout, clearTimeout })
  vi.stubGlobal('document', { removeEventListener: () => undefined })
})
afterAll(() => {
  vi.unstubAllGlobals()
})

const ids = Array.from(
  { length: 26 },
  (_, index) => `build0000000${String.fromCharCode(97 + index)}`,
)

function build(index: number): Record<string, unknown> {
  return {
    buildId: ids[index],
    timestamp: begin - 1000 + index,
    toolType: 'npm',
    toolVersion: '9é',
    agentVersion: '4',
  }
}

/** Twenty messages: single builds, a batch, heartbeats, a status, facts; with all line ends. */
function sample(after: number): string {
  const messages: string[] = []
  for (let index = after + 1; index < ids.length; index++) {
    if (index === 5 || index === 12) {
      // A batch of four, or what is left of it after the id within it.
      const end = Math.min(index + 3, ids.length - 1)
      const builds = Array.from({ length: end - index + 1 }, (_, offset) => build(index + offset))
      messages.push(encodeSse({ id: ids[end], event: 'Builds', data: JSON.stringify(builds) }))
      index = end
    } else {
      messages.push(
        encodeSse({ id: ids[index], event: 'Build', data: JSON.stringify(build(index)) }),
      )
    }
    if (index % 7 === 3) messages.push(': hb\n\n')
    if (index % 6 === 1) messages.push(encodeSse({ event: 'Weather', data: 'sunny\nand dry' }))
  }
  return messages
    .map((text, index) => (index % 5 === 4 ? text.replaceAll('\n', '\r\n') : text))
    .join('')
}

/** Where a stream begins that resumes after `lastId`. */
function resumed(lastId: string | string[] | undefined): number {
  return typeof lastId === 'string' ? ids.indexOf(lastId) : -1
}

type Serve = (response: ServerResponse, after: number, attempt: number, token: string) => void

/** One proxy for many runs, as starting one takes longer than a run. */
let proxy: HostileServer
let serve: Serve
let attempts = 0
let sessions = 0
const clock = createManualClock(begin)

beforeAll(async () => {
  proxy = await startHostileServer((response, { url, headers }) => {
    if (url === '/session') {
      response.setHeader('content-type', 'application/json')
      response.setHeader('date', new Date(clock.now()).toUTCString())
      const token = `token-${(sessions += 1)}`
      const expiresAt = clock.now() + 600_000
      response.end(JSON.stringify({ token, expiresAt, user: { name: 'ann', roles: ['viewer'] } }))
      return
    }
    serve(response, resumed(headers['last-event-id']), (attempts += 1), headers.authorization ?? '')
  })
})
afterAll(async () => {
  await proxy.stop()
})

// With `error`, Node forgets the signal once garbage was collected while a body is read.
const send: typeof fetch = (input, init) =>
  fetch(new URL(input instanceof Request ? input.url : input, proxy.origin), {
    ...init,
    redirect: 'follow',
  })
const isOnline = (): boolean => true
const session = createSession({ fetch: send, clock, isOnline })

/**
 * Lets a feed read what `how` answers until it has all builds, and gives their ids as they arrived.
 * Waits between attempts are not waited for: the clock is moved on instead.
 */
async function run(how: Serve): Promise<(string | undefined)[]> {
  serve = how
  attempts = 0
  let wake = (): void => undefined
  const live = createLiveSource({ fetch: send, clock, random: () => 0, isOnline, session })
  const source: StreamSource = (sink) =>
    live({
      ...sink,
      emit: (event) => {
        sink.emit(event)
        wake()
        if (event.type !== 'waiting') return
        setImmediate(() => {
          clock.advance(event.nextAttemptAt - clock.now())
        })
      },
    })
  const feed = createFeed({ clock, source, graceMs: 0, flushMs: 0, limit: 100 })
  const leave = feed.subscribe(() => undefined)
  const arrived = (): (string | undefined)[] => {
    clock.advance(0)
    const { oldest, newest, row } = feed.getSnapshot()
    const count = newest - oldest + 1
    return Array.from({ length: count }, (_, index) => row(oldest + index)?.build.buildId)
  }
  while (arrived().length < ids.length) {
    await new Promise<void>((resolve) => {
      wake = resolve
    })
  }
  leave()
  clock.advance(0)
  await proxy.quiet()
  return arrived()
}

const whole = Buffer.from(sample(-1))

type Ending = 'end' | 'leave' | 'destroy'

/** Sends a part and then ends the answer properly, closes the connection, or resets it. */
function cutAfter(response: ServerResponse, text: string, bytes: number, ending: Ending): void {
  beginStream(response)
  response.write(Buffer.from(text).subarray(0, bytes), () => {
    if (ending === 'end') response.end()
    else if (ending === 'leave') response.socket?.end()
    else response.destroy()
  })
}

const fault = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('cut' as const),
      at: fc.nat(whole.length),
      ending: fc.constantFrom<Ending>('end', 'leave', 'destroy'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('busy', 'expired', 'page') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('refuse', 'silent', 'asleep') }) },
)

describe('every build arrives exactly once and in order', () => {
  test(
    `when the stream is cut once, at any of its ${whole.length} bytes`,
    { timeout: 300_000 },
    async () => {
      for (const at of positions(whole.length)) {
        const arrived = await run((response, after, attempt) => {
          if (attempt === 1) cutAfter(response, sample(after), at, at % 2 === 0 ? 'end' : 'leave')
          else beginStream(response, sample(after))
        })
        expect(arrived, `cut at byte ${at}`).toEqual(ids)
      }
      expect(proxy.peak()).toBe(1)
    },
  )

  test(
    'at random: cuts, restarts, expired tokens, silence and sleep',
    { timeout: 300_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fault, { maxLength: 5 }), async (faults) => {
          let expiredBefore = false
          const arrived = await run((response, after, attempt) => {
            const now = faults[attempt - 1]
            // A new session that is refused at once is the end, and rightly so.
            const expired = now?.kind === 'expired' && !expiredBefore
            expiredBefore = expired
            if (now === undefined) beginStream(response, sample(after))
            else if (now.kind === 'cut') cutAfter(response, sample(after), now.at, now.ending)
            else if (expired) response.writeHead(401).end()
            else if (now.kind === 'page') response.end('<html>')
            else if (now.kind === 'refuse') response.socket?.destroy()
            else if (now.kind === 'busy') response.writeHead(503, { 'retry-after': '5' }).end()
            else {
              if (now.kind === 'asleep') beginStream(response, sample(after).slice(0, 500))
              setImmediate(() => {
                clock.advance(now.kind === 'asleep' ? 3_600_000 : 40_000)
              })
            }
          })
          expect(arrived).toEqual(ids)
        }),
        { numRuns: runs(1000) },
      )
      expect(proxy.peak()).toBe(1)
    },
  )
})

test('what comes in place of a history that cannot be read is replaced by all of it, which is requested from the beginning', async () => {
  const gap = { from: null, oldest: ids[20], again: true }
  const resumedAfter: number[] = []
  const arrived = await run((response, after, attempt) => {
    resumedAfter.push(after)
    if (attempt > 1) beginStream(response, sample(after))
    else {
      beginStream(response, encodeSse({ event: 'Gap', data: JSON.stringify(gap) }) + sample(19))
      response.end()
    }
  })
  expect(resumedAfter).toEqual([-1, -1])
  expect(arrived).toEqual(ids)
})
