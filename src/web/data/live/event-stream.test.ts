import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { beginStream } from '../../../../e2e/hostile-stream-server.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import { readEventSource } from '../core/event-source.ts'
import { endOf } from './event-stream.ts'
import { attemptOn, hiddenTab, read, serve, watchForLeaks } from './stream-reading.test-support.ts'

/** The letters are the rows of the table of traps that the library was found to have. */

watchForLeaks()

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
    await reading.passWait()
    await reading.next('message', 2)
    expect(reading.server.requests.map(({ headers }) => headers['last-event-id'])).toEqual([
      undefined,
      'A',
    ])
    expect(reading.texts()).toEqual(['one', 'two'])
  })

  test('E: a handler that throws is counted, and the stream goes on after its message', async () => {
    const reading = await read(
      (response) => {
        beginStream(response, 'id: A\ndata: one\n\nid: B\ndata: two\n\n')
      },
      {},
      (event) => {
        if (event.type === 'message' && event.message.data === 'one') throw new Error('no')
      },
    )
    await reading.next('message', 2)
    expect(reading.texts()).toEqual(['one', 'two'])
    expect(reading.told.filter(({ type }) => type === 'fault')).toHaveLength(1)
    expect(reading.server.requests).toHaveLength(1)
  })

  test('O: nothing is emitted after the stream is closed, also inside one chunk', async () => {
    const hundred = Array.from({ length: 100 }, (_, index) => `data: ${index}\n\n`).join('')
    const reading = await read(
      (response) => {
        beginStream(response, hundred)
      },
      {},
      (event, stream) => {
        if (event.type === 'message') stream.close()
      },
    )
    await reading.next('message')
    await reading.server.quiet()
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
    expect((await reading.next('waiting')).reason).toContain('larger than 100000 bytes')
    await reading.server.quiet()
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
    await reading.passWait()
    await reading.next('message', 3)
    expect(reading.server.requests[1]?.headers['last-event-id']).toBe('A')
  })
})

describe('what is sent', () => {
  test('J, K: one authorization, one accept, and the id to resume after in lower case', async () => {
    const reading = await read(
      (response) => {
        beginStream(response, 'data: one\n\n')
      },
      { lastId: () => 'Z' },
    )
    await reading.next('message')
    const headers = reading.server.requests[0]?.headers
    expect(headers?.authorization).toBe('Bearer token-0')
    expect(headers?.accept).toBe('text/event-stream')
    expect(headers?.['last-event-id']).toBe('Z')
  })

  test('R: each attempt gets the token anew', async () => {
    let count = 0
    const reading = await read(
      (response) => {
        beginStream(response, 'data: one\n\n')
        response.end()
      },
      { token: () => Promise.resolve(`t${String((count += 1))}`) },
    )
    await reading.passWait()
    await reading.next('message', 2)
    expect(reading.server.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer t1',
      'Bearer t2',
    ])
  })
})

describe('what is left behind', () => {
  test('O: an attempt that is aborted within a chunk delivers nothing more of it', async () => {
    const server = await serve((response) => {
      beginStream(response, 'data: one\n\ndata: two\n\n')
    })
    const leaving = new AbortController()
    const texts: string[] = []
    const onMessage = ({ data }: { data: string }): void => {
      texts.push(data)
      leaving.abort()
    }
    await readEventSource({ ...attemptOn(server), onMessage }, leaving.signal)
    expect(texts).toEqual(['one'])
  })

  test('G: a stream that is closed at once connects to nothing', async () => {
    const server = await serve((response) => {
      beginStream(response)
    })
    const aborted = AbortSignal.abort()
    await readEventSource(attemptOn(server), aborted)
    expect(server.requests).toHaveLength(0)
  })

  test('H, I: the library never watches whether the tab is hidden', async () => {
    const reading = await read((response) => {
      beginStream(response, 'data: one\n\n')
    })
    await reading.next('message')
    expect(hiddenTab.addEventListener).not.toHaveBeenCalled()
  })

  test('P: fifty attempts leave no listener on a signal that outlives them, and no timer', async () => {
    const server = await serve((response) => {
      beginStream(response, 'data: one\n\n')
      response.end()
    })
    const { signal } = new AbortController()
    const clock = createManualClock()
    let delivered = 0
    const onMessage = (): void => {
      delivered += 1
    }
    for (let count = 0; count < 50; count++) {
      await readEventSource({ ...attemptOn(server), clock, onMessage }, signal)
    }
    expect(delivered).toBe(50)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    expect(clock.pending()).toBe(0)
  })

  test('a closed stream leaves no timer and no connection', async () => {
    const reading = await read((response) => {
      beginStream(response, 'data: one\n\n')
    })
    await reading.next('message')
    reading.stream.close()
    await reading.server.quiet()
    expect(reading.clock.pending()).toBe(0)
  })
})

const fault = (status: number, code = 'x'): ProblemError =>
  new ProblemError(problem(status, code, 'Title', 'A sentence.'))

test.each([408, 425, 429, 500, 502, 503, 504])('%i is tried again', (status) => {
  expect(endOf(fault(status))).toBeUndefined()
})

test.each([400, 403, 404, 405, 406, 410, 413, 421])('%i is final', (status) => {
  expect(endOf(fault(status))).toEqual({ type: 'refused', reason: 'A sentence.' })
})

test('204 completes the stream, and 401 means signed out', () => {
  expect(endOf(fault(204))).toEqual({ type: 'complete' })
  expect(endOf(fault(401))).toEqual({ type: 'signed-out', reason: 'A sentence.' })
})
