import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { describe, expect, test } from 'vitest'
import { beginStream } from '../../../../e2e/hostile-stream-server.ts'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import type { StreamEvent } from './event-stream.ts'
import { read, watchForLeaks } from './stream-reading.test-support.ts'

/** The letters are the rows of the table of traps that the library was found to have. */

watchForLeaks()

describe('how an attempt ends', () => {
  test('C: 204 is the end of a complete stream', async () => {
    const reading = await read((response) => response.writeHead(204).end())
    await reading.next('complete')
    expect(reading.clock.pending()).toBe(0)
    expect(reading.server.requests).toHaveLength(1)
  })

  test.each([400, 403, 404, 405, 410])('D1: %i is reported and final', async (status) => {
    const reading = await read((response) => response.writeHead(status).end())
    expect((await reading.next('refused')).reason).not.toBe('')
    expect(reading.clock.pending()).toBe(0)
    expect(reading.server.requests).toHaveLength(1)
  })

  test('an error is reported in the words of the problem detail', async () => {
    const reading = await read((response) => {
      response.writeHead(403, { 'content-type': 'application/problem+json' })
      response.end(JSON.stringify(problem(403, 'x', 'No', 'The role viewer is needed.')))
    })
    expect((await reading.next('refused')).reason).toBe('The role viewer is needed.')
  })

  test('D1: after a 401 the session is renewed once, and a second one is reported and final', async () => {
    const reading = await read((response) => response.writeHead(401).end())
    await reading.next('signed-out')
    expect(reading.server.requests.map(({ headers }) => headers.authorization)).toEqual([
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
      await reading.passWait(round)
    }
    await reading.next('message', 4)
    expect(reading.texts()).toEqual(['1', '3', '5', '7'])
  })

  test('no session at all is reported as signed out, without a request for the stream', async () => {
    const reading = await read((response) => response.end(), {
      token: () =>
        Promise.reject(
          new ProblemError(problem(401, 'signed-out', 'Signed out', 'Sign in again.')),
        ),
    })
    expect((await reading.next('signed-out')).reason).toBe('Sign in again.')
    expect(reading.server.requests).toHaveLength(0)
  })

  test('D2: the body of a 500 is no stream, whatever its type is', async () => {
    const reading = await read((response) => {
      response.writeHead(500, { 'content-type': 'text/event-stream' })
      response.write('data: wrong\n\n')
    })
    await reading.next('waiting')
    await reading.server.quiet()
    expect(reading.texts()).toEqual([])
  })

  test('F: an endless answer of another type is let go of and reported', async () => {
    const reading = await read((response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      response.write('<html>')
    })
    expect((await reading.next('waiting')).reason).toContain('text/html')
    await reading.server.quiet()
  })

  test('N: a stream that the proxy ends is opened again', async () => {
    const reading = await read((response, _request, index) => {
      beginStream(response, `id: ${index}\ndata: ${index}\n\n`)
      if (index === 0) response.end()
    })
    await reading.passWait()
    await reading.next('message', 2)
    expect(reading.texts()).toEqual(['0', '1'])
  })

  test('a stream that ends with its token goes on with the next one after the last message, which is no event', async () => {
    let token = 'first'
    let end = (): void => undefined
    const reading = await read(
      (response, _request, index) => {
        beginStream(response, `id: ${index}\ndata: ${index}\n\n`)
        end = () => response.end()
      },
      { token: () => Promise.resolve(token) },
    )
    await reading.next('message')
    reading.clock.advance(30_000)
    token = 'second'
    end()
    await reading.next('message', 2)
    expect(reading.texts()).toEqual(['0', '1'])
    expect(
      reading.server.requests.map(({ headers }) => [
        headers.authorization,
        headers['last-event-id'],
      ]),
    ).toEqual([
      ['Bearer first', undefined],
      ['Bearer second', '0'],
    ])
    expect(reading.told.filter(({ type }) => ['attempt', 'waiting'].includes(type))).toHaveLength(1)
  })

  test('a stream that its server ends goes on after the time that it asks for, which is no event', async () => {
    let end = (): void => undefined
    let tokens = 0
    const reading = await read(
      (response, _request, index) => {
        beginStream(response, `id: ${index}\ndata: ${index}\n\n`)
        end = () => response.end('retry: 1250\n\n')
      },
      {
        token: () => {
          tokens += 1
          return Promise.resolve('the only one')
        },
      },
    )
    const isEvent = ({ type }: StreamEvent): boolean => ['attempt', 'waiting'].includes(type)
    await reading.next('message')
    reading.clock.advance(30_000)
    end()
    // One for the connection and one for its end: then nothing but the wait is left.
    await expect.poll(() => [tokens, reading.clock.pending()]).toEqual([2, 1])
    reading.clock.advance(1249)
    expect(reading.server.requests).toHaveLength(1)
    reading.clock.advance(1)
    await reading.next('message', 2)
    expect(reading.server.requests[1]?.headers['last-event-id']).toBe('0')
    expect(reading.told.filter(isEvent)).toHaveLength(1)
  })

  test('a stream that goes on at a server that ends as well goes on once more, which is no event', async () => {
    let end = (): void => undefined
    let tokens = 0
    const reading = await read(
      (response, _request, index) => {
        beginStream(response, `retry: 1000\nid: ${index}\ndata: ${index}\n\n`)
        if (index === 0) end = () => response.end()
        else response.end()
      },
      {
        token: () => {
          tokens += 1
          return Promise.resolve('the only one')
        },
      },
    )
    await reading.next('message')
    reading.clock.advance(30_000)
    end()
    for (const ends of [1, 2]) {
      // One for each connection and one for its end: then nothing but the wait is left.
      await expect.poll(() => [tokens, reading.clock.pending()]).toEqual([2 * ends, 1])
      reading.clock.advance(1000)
    }
    await reading.next('message', 3)
    expect(reading.texts()).toEqual(['0', '1', '2'])
    // The third time it is lost.
    await reading.next('waiting')
    expect(reading.told.filter(({ type }) => type === 'attempt')).toHaveLength(1)
  })

  test('a sign-in page in front of Sightline is waited for, not taken for the end', async () => {
    const reading = await read((response, _request, index) => {
      if (index === 0) response.writeHead(403, { 'content-type': 'text/html' }).end('<p>Sign in')
      else beginStream(response, 'data: one\n\n')
    })
    expect((await reading.next('waiting')).reason).toContain('A sign-in page in front of Sightline')
    await reading.passWait()
    await reading.next('message')
  })

  test('a redirect is not followed', async () => {
    const reading = await read((response) => {
      response.writeHead(302, { location: '/elsewhere' }).end()
    })
    await reading.next('waiting')
    expect(reading.server.requests.map(({ url }) => url)).toEqual(['/live/builds'])
  })

  test('a server that accepts and never answers is given up on', async () => {
    const reading = await read(() => undefined)
    await reading.server.asked(1)
    reading.clock.advance(37_501)
    expect((await reading.next('waiting')).reason).toContain('No data from the Sightline server')
    await reading.server.quiet()
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
    expect(reading.server.requests).toHaveLength(1)
    reading.clock.advance(37_501)
    await reading.next('waiting')
    await reading.server.quiet()
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
      expect(reading.server.requests).toHaveLength(1)
    },
  )

  test('failures in a row back off, and a delivered message starts anew', async () => {
    const reading = await read((response, _request, index) => {
      if (index === 4) {
        beginStream(response, 'data: one\n\n')
        response.end()
      } else response.destroy()
    })
    const waits: number[] = []
    for (let round = 1; round <= 6; round++) {
      const wait = (await reading.next('waiting', round)).nextAttemptAt - reading.clock.now()
      waits.push(wait)
      reading.clock.advance(wait)
    }
    expect(waits).toEqual([1500, 2500, 4500, 8500, 1500, 2500])
  })

  test('Retry-After is honoured', async () => {
    const reading = await read((response) => response.writeHead(503, { 'retry-after': '90' }).end())
    const { nextAttemptAt } = await reading.next('waiting')
    expect(nextAttemptAt - reading.clock.now()).toBe(90_000)
  })

  test('S: a token that cannot be had is requested with back-off', async () => {
    const reading = await read((response) => response.end(), {
      token: () => Promise.reject(new TypeError('fetch failed')),
    })
    expect((await reading.next('waiting')).reason).toBe("Can't reach the Sightline server.")
    expect(reading.told).toHaveLength(2)
  })

  test('reconnect cuts a wait short, and makes an end begin anew', async () => {
    const reading = await read((response, _request, index) => {
      if (index < 2) response.writeHead(index === 0 ? 503 : 403).end()
      else beginStream(response, 'data: one\n\n')
    })
    await reading.next('waiting')
    reading.stream.reconnect()
    reading.clock.advance(1000)
    await reading.next('refused')
    reading.stream.reconnect()
    reading.clock.advance(1000)
    await reading.next('message')
    expect(reading.server.requests).toHaveLength(3)
  })

  test('reconnect waits no longer where the clock was ahead when the connection was made', async () => {
    const clock = createManualClock(1_000_000)
    let aheadMs = 3_600_000
    const set = { after: clock.after, now: () => clock.now() + aheadMs }
    const reading = await read(
      (response, _request, index) => {
        beginStream(response, `data: ${index}\n\n`)
      },
      { clock: set },
    )
    await reading.next('message')
    aheadMs = 0
    reading.stream.reconnect()
    await reading.server.quiet()
    clock.advance(1000)
    await reading.next('message', 2)
  })

  test('reconnect replaces an open connection, and mashing it makes one attempt a second', async () => {
    const reading = await read((response, _request, index) => {
      beginStream(response, `data: ${index}\n\n`)
    })
    await reading.next('message')
    for (let press = 0; press < 50; press++) reading.stream.reconnect()
    await reading.server.quiet()
    reading.clock.advance(1000)
    await reading.next('message', 2)
    expect(reading.server.requests).toHaveLength(2)
  })
})
