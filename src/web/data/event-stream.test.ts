import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type Answer,
  beginStream,
  type HostileServer,
  startHostileServer,
} from '../../../e2e/hostile-stream-server.ts'
import { createManualClock, type ManualClock } from '../../protocol/manual-clock.ts'
import { problem, ProblemError } from '../../protocol/problem.ts'
import { type EventStream, type EventStreamOptions, openEventStream } from './event-stream.ts'
import { attemptStream } from './stream-attempt.ts'
import type { StreamHappening } from './stream-happening.ts'

/** The letters are the rows of the table of traps that the library was found to have. */

const hiddenTab = { hidden: true, addEventListener: vi.fn(), removeEventListener: vi.fn() }
let server: HostileServer
let stream: EventStream | undefined

beforeEach(() => {
  vi.stubGlobal('window', { setTimeout, clearTimeout })
  vi.stubGlobal('document', hiddenTab)
})

afterEach(async () => {
  stream?.close()
  await server.quiet()
  await server.stop()
  expect(server.peak(), 'at most one connection at any time').toBeLessThanOrEqual(1)
  vi.unstubAllGlobals()
})

interface Reading {
  readonly clock: ManualClock
  readonly told: StreamHappening[]
  /** Resolves with the nth happening of a type, counted from 1. */
  readonly next: <T extends StreamHappening['type']>(
    type: T,
    nth?: number,
  ) => Promise<Extract<StreamHappening, { type: T }>>
  readonly texts: () => string[]
  readonly discarded: string[]
}

async function read(
  answer: Answer,
  options: Partial<EventStreamOptions> = {},
  onTold: (happening: StreamHappening) => void = () => undefined,
): Promise<Reading> {
  server = await startHostileServer(answer)
  const clock = createManualClock(1_000_000)
  const told: StreamHappening[] = []
  const discarded: string[] = []
  const waiting: (() => void)[] = []
  stream = openEventStream(
    {
      fetch,
      clock,
      random: () => 0.5,
      isOnline: () => true,
      url: () => `${server.origin}/live/builds`,
      token: () => Promise.resolve(`token-${discarded.length}`),
      discard: (token) => discarded.push(token),
      ...options,
    },
    (happening) => {
      told.push(happening)
      for (const wake of waiting.splice(0)) wake()
      onTold(happening)
    },
  )
  const is =
    <T extends StreamHappening['type']>(type: T) =>
    (happening: StreamHappening): happening is Extract<StreamHappening, { type: T }> =>
      happening.type === type
  return {
    clock,
    told,
    discarded,
    texts: () => told.filter(is('message')).map(({ message }) => message.data),
    next: async (type, nth = 1) => {
      for (;;) {
        const found = told.filter(is(type))[nth - 1]
        if (found !== undefined) return found
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
    },
  }
}

describe('what is delivered', () => {
  test('A: heartbeats and messages without data are not delivered and end nothing', async () => {
    const reading = await read((response) => {
      beginStream(response, ': hb\n\n', 'event: Build\n\n', 'id: A\ndata: one\n\n')
    })
    await reading.next('message')
    expect(reading.texts()).toEqual(['one'])
    expect(reading.told.map(({ type }) => type)).toEqual(['attempt', 'opened', 'heard', 'message'])
  })

  test('B: a message cut before its blank line is not the one that is resumed after', async () => {
    const reading = await read((response, _request, index) => {
      beginStream(
        response,
        index === 0 ? 'id: A\ndata: one\n\nid: B\ndata: tw' : 'id: B\ndata: two\n\n',
      )
      if (index === 0) response.end()
    })
    reading.clock.advance((await reading.next('waiting')).nextAttemptAt - reading.clock.now())
    await reading.next('message', 2)
    expect(server.requests.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'A'])
    expect(reading.texts()).toEqual(['one', 'two'])
  })

  test('E: a handler that throws is counted, and the stream goes on after its message', async () => {
    const reading = await read(
      (response) => {
        beginStream(response, 'id: A\ndata: one\n\nid: B\ndata: two\n\n')
      },
      {},
      (happening) => {
        if (happening.type === 'message' && happening.message.data === 'one') throw new Error('no')
      },
    )
    await reading.next('message', 2)
    expect(reading.texts()).toEqual(['one', 'two'])
    expect(reading.told.filter(({ type }) => type === 'fault')).toHaveLength(1)
    expect(server.requests).toHaveLength(1)
  })

  test('O: nothing is told after the stream is closed, also inside one chunk', async () => {
    const hundred = Array.from({ length: 100 }, (_, index) => `data: ${index}\n\n`).join('')
    const reading = await read(
      (response) => {
        beginStream(response, hundred)
      },
      {},
      (happening) => {
        if (happening.type === 'message') stream?.close()
      },
    )
    await reading.next('message')
    await server.quiet()
    expect(reading.texts()).toEqual(['0'])
    expect(reading.told.at(-1)?.type).toBe('message')
  })

  test('Q: a line over the limit is refused, in whatever pieces it comes', async () => {
    const reading = await read(
      (response) => {
        beginStream(response, 'data: ok\n\ndata: ')
        const pour = (): void => {
          while (!response.destroyed && response.write('x'.repeat(16_384)));
        }
        response.on('drain', pour)
        pour()
      },
      { maxLineBytes: 100_000 },
    )
    expect((await reading.next('waiting')).reason).toContain('more than 100000 bytes')
    await server.quiet()
    expect(reading.texts()).toEqual(['ok'])
  })

  test('an id that no header could carry is not resumed after', async () => {
    const reading = await read((response, _request, index) => {
      beginStream(
        response,
        index === 0 ? 'id: A\ndata: one\n\nid: ☃\ndata: two\n\n' : 'data: three\n\n',
      )
      if (index === 0) response.end()
    })
    reading.clock.advance((await reading.next('waiting')).nextAttemptAt - reading.clock.now())
    await reading.next('message', 3)
    expect(server.requests[1]?.headers['last-event-id']).toBe('A')
  })
})

describe('how an attempt ends', () => {
  test('C: 204 is the end of a complete stream', async () => {
    const reading = await read((response) => response.writeHead(204).end())
    await reading.next('complete')
    expect(reading.clock.pending()).toBe(0)
    expect(server.requests).toHaveLength(1)
  })

  test.each([400, 403, 404, 405, 410])('D1: %i is told and final', async (status) => {
    const reading = await read((response) => response.writeHead(status).end())
    expect((await reading.next('refused')).reason).not.toBe('')
    expect(reading.clock.pending()).toBe(0)
    expect(server.requests).toHaveLength(1)
  })

  test('D1: a refusal is told in the words of the problem detail', async () => {
    const reading = await read((response) => {
      response.writeHead(403, { 'content-type': 'application/problem+json' })
      response.end(JSON.stringify(problem(403, 'x', 'No', 'The role viewer is needed.')))
    })
    expect((await reading.next('refused')).reason).toBe('The role viewer is needed.')
  })

  test('D1: after a 401 the session is renewed once, and a second one is told and final', async () => {
    const reading = await read((response) => response.writeHead(401).end())
    await reading.next('signed-out')
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer token-0',
      'Bearer token-1',
    ])
    expect(reading.discarded).toEqual(['token-0', 'token-1'])
  })

  test('D1: a 401 each time that a token has run out is renewed each time', async () => {
    const reading = await read((response, _request, index) => {
      if (index % 2 === 0) response.writeHead(401).end()
      else {
        beginStream(response, `id: ${index}\ndata: ${index}\n\n`)
        response.end()
      }
    })
    for (let round = 1; round <= 3; round++) {
      reading.clock.advance(
        (await reading.next('waiting', round)).nextAttemptAt - reading.clock.now(),
      )
    }
    await reading.next('message', 4)
    expect(reading.texts()).toEqual(['1', '3', '5', '7'])
  })

  test('no session at all is told as signed out, without asking for the stream', async () => {
    const reading = await read((response) => response.end(), {
      token: () =>
        Promise.reject(
          new ProblemError(problem(401, 'signed-out', 'Signed out', 'Sign in again.')),
        ),
    })
    expect((await reading.next('signed-out')).reason).toBe('Sign in again.')
    expect(server.requests).toHaveLength(0)
  })

  test('D2: the body of a 500 is no stream, whatever its type says', async () => {
    const reading = await read((response) => {
      response.writeHead(500, { 'content-type': 'text/event-stream' })
      response.write('data: wrong\n\n')
    })
    await reading.next('waiting')
    await server.quiet()
    expect(reading.texts()).toEqual([])
  })

  test('F: an endless answer of another type is let go of and told', async () => {
    const reading = await read((response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      response.write('<html>')
    })
    expect((await reading.next('waiting')).reason).toContain('text/html')
    await server.quiet()
  })

  test('N: a stream that the proxy ends is opened again', async () => {
    const reading = await read((response, _request, index) => {
      beginStream(response, `id: ${index}\ndata: ${index}\n\n`)
      if (index === 0) response.end()
    })
    reading.clock.advance((await reading.next('waiting')).nextAttemptAt - reading.clock.now())
    await reading.next('message', 2)
    expect(reading.texts()).toEqual(['0', '1'])
  })

  test('a redirect is not followed', async () => {
    const reading = await read((response) => {
      response.writeHead(302, { location: '/elsewhere' }).end()
    })
    await reading.next('waiting')
    expect(server.requests.map(({ url }) => url)).toEqual(['/live/builds'])
  })

  test('a server that accepts and never answers is given up on', async () => {
    const reading = await read(() => undefined)
    await server.asked(1)
    reading.clock.advance(37_501)
    expect((await reading.next('waiting')).reason).toContain('Nothing was heard')
    await server.quiet()
  })

  test('a half-open stream is found by its silence, and heartbeats keep a quiet one open', async () => {
    let heartbeat = (): void => undefined
    const reading = await read((response) => {
      beginStream(response, 'data: one\n\n')
      heartbeat = () => {
        response.write(': hb\n\n')
      }
    })
    await reading.next('message')
    for (let beat = 2; beat < 10; beat++) {
      reading.clock.advance(15_000)
      heartbeat()
      await reading.next('heard', beat)
    }
    expect(server.requests).toHaveLength(1)
    reading.clock.advance(37_501)
    await reading.next('waiting')
    await server.quiet()
  })
})

describe('when the next attempt is made', () => {
  test.each(['0', '-5', '12abc', '999999999'])(
    'L: retry: %s stays within 1 to 30 s',
    async (retry) => {
      const reading = await read((response) => {
        beginStream(response, `retry: ${retry}\ndata: one\n\n`)
        response.end()
      })
      const wait = (await reading.next('waiting')).nextAttemptAt - reading.clock.now()
      expect(wait).toBeGreaterThanOrEqual(1000)
      expect(wait).toBeLessThanOrEqual(30_000)
      reading.clock.advance(wait - 1)
      expect(server.requests).toHaveLength(1)
    },
  )

  test('failures in a row back off, and a delivered message starts anew', async () => {
    const reading = await read((response, _request, index) => {
      if (index === 4) beginStream(response, 'data: one\n\n')
      response.destroy()
    })
    const waits: number[] = []
    for (let round = 1; round <= 6; round++) {
      const wait = (await reading.next('waiting', round)).nextAttemptAt - reading.clock.now()
      waits.push(wait)
      reading.clock.advance(wait)
    }
    expect(waits.slice(0, 4)).toEqual([1500, 2500, 4500, 8500])
    expect(waits[5]).toBeGreaterThan(1000)
  })

  test('Retry-After is honoured', async () => {
    const reading = await read((response) => response.writeHead(503, { 'retry-after': '90' }).end())
    const { nextAttemptAt } = await reading.next('waiting')
    expect(nextAttemptAt - reading.clock.now()).toBe(90_000)
  })

  test('S: a token that cannot be had is asked for with back-off', async () => {
    const reading = await read((response) => response.end(), {
      token: () => Promise.reject(new TypeError('fetch failed')),
    })
    expect((await reading.next('waiting')).reason).toBe('The proxy cannot be reached.')
    expect(reading.told).toHaveLength(2)
  })

  test('reconnect cuts a wait short, and makes an end begin anew', async () => {
    const reading = await read((response, _request, index) => {
      if (index < 2) response.writeHead(index === 0 ? 503 : 403).end()
      else beginStream(response, 'data: one\n\n')
    })
    await reading.next('waiting')
    stream?.reconnect()
    reading.clock.advance(1000)
    await reading.next('refused')
    stream?.reconnect()
    reading.clock.advance(1000)
    await reading.next('message')
    expect(server.requests).toHaveLength(3)
  })

  test('reconnect replaces an open connection, and mashing it makes one attempt a second', async () => {
    const reading = await read((response, _request, index) => {
      beginStream(response, `data: ${index}\n\n`)
    })
    await reading.next('message')
    for (let press = 0; press < 50; press++) stream?.reconnect()
    await server.quiet()
    reading.clock.advance(1000)
    await reading.next('message', 2)
    expect(server.requests).toHaveLength(2)
  })
})

describe('what is sent', () => {
  test('J, K: one authorization, one accept, and the id to resume after in lower case', async () => {
    const reading = await read(
      (response) => {
        beginStream(response, 'data: one\n\n')
      },
      { lastId: 'Z' },
    )
    await reading.next('message')
    const headers = server.requests[0]?.headers
    expect(headers?.authorization).toBe('Bearer token-0')
    expect(headers?.accept).toBe('text/event-stream')
    expect(headers?.['last-event-id']).toBe('Z')
  })

  test('R: each attempt asks for the token anew', async () => {
    let count = 0
    const reading = await read(
      (response) => {
        beginStream(response, 'data: one\n\n')
        response.end()
      },
      { token: () => Promise.resolve(`t${String((count += 1))}`) },
    )
    reading.clock.advance((await reading.next('waiting')).nextAttemptAt - reading.clock.now())
    await reading.next('message', 2)
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer t1',
      'Bearer t2',
    ])
  })
})

describe('what is left behind', () => {
  test('G: a stream that is closed at once connects to nothing', async () => {
    server = await startHostileServer((response) => {
      beginStream(response)
    })
    const aborted = AbortSignal.abort()
    const end = await attemptStream(attemptOf(server), aborted)
    expect(end.opened).toBe(false)
    expect(server.requests).toHaveLength(0)
  })

  test('H, I: the library is never told to watch whether the tab is hidden', async () => {
    const reading = await read((response) => {
      beginStream(response, 'data: one\n\n')
    })
    await reading.next('message')
    expect(hiddenTab.addEventListener).not.toHaveBeenCalled()
  })

  test('P: fifty attempts leave no listener on a signal that outlives them, and no timer', async () => {
    server = await startHostileServer((response) => {
      beginStream(response, 'data: one\n\n')
      response.end()
    })
    const { signal } = new AbortController()
    const clock = createManualClock()
    for (let count = 0; count < 50; count++) {
      expect((await attemptStream({ ...attemptOf(server), clock }, signal)).delivered).toBe(true)
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    expect(clock.pending()).toBe(0)
  })

  test('a closed stream leaves no timer and no connection', async () => {
    const reading = await read((response) => {
      beginStream(response, 'data: one\n\n')
    })
    await reading.next('message')
    stream?.close()
    await server.quiet()
    expect(reading.clock.pending()).toBe(0)
  })
})

function attemptOf({ origin }: HostileServer): Parameters<typeof attemptStream>[0] {
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
  }
}
