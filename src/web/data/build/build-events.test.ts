import { afterEach, describe, expect, test } from 'vitest'
import {
  type Answer,
  type HostileServer,
  startHostileServer,
} from '../../../../e2e/hostile-stream-server.ts'
import { createManualClock, type ManualClock } from '../../../protocol/manual-clock.test-support.ts'
import {
  buildId,
  messages,
  resumedAfter,
  startWorker,
  stream,
  tasks,
} from './build-events.test-support.ts'
import { type BuildEvents, createBuildEventsPool, type OpenBuildEvents } from './build-events.ts'
import type { PartState } from './build-part-loader.ts'

const whole = messages.join('')

let server: HostileServer
let left: (() => void)[] = []

afterEach(async () => {
  for (const leave of left) leave()
  left = []
  await server.quiet()
  await server.stop()
})

interface Reading {
  readonly clock: ManualClock
  readonly open: OpenBuildEvents
  readonly events: BuildEvents
  /** Resolves with the state of the executions when they are in one of these states. */
  readonly until: (...states: readonly PartState['state'][]) => Promise<PartState>
  readonly discarded: string[]
}

async function read(answer: Answer): Promise<Reading> {
  server = await startHostileServer(answer)
  const clock = createManualClock(1_000_000)
  const discarded: string[] = []
  const open = createBuildEventsPool({
    fetch: (path, init) =>
      fetch(`${server.origin}${path instanceof Request ? path.url : String(path)}`, init),
    session: {
      current: () =>
        Promise.resolve({
          token: `token${discarded.length}`,
          expiresAt: 0,
          user: { name: 'a', roles: [] },
        }),
      discard: (token) => discarded.push(token),
    },
    clock,
    random: () => 0.5,
    isOnline: () => true,
    startWorker,
  })
  const events = open(buildId)
  const until: Reading['until'] = (...states) =>
    new Promise((resolve) => {
      const look = (): void => {
        const state = events.getSnapshot().parts.executions
        if (!states.includes(state.state)) return
        leave()
        resolve(state)
      }
      const stay = events.subscribe(() => undefined)
      left.push(stay)
      const leave = events.subscribe(look)
      look()
    })
  return { clock, open, events, until, discarded }
}

async function countsOf(events: BuildEvents) {
  const { counts } = await events.query({ kind: 'executions' })
  return counts.task
}

describe('the events of a build', () => {
  test('are requested by type and answered from', async () => {
    const { events, until } = await read(stream)
    events.load('executions')
    expect(await until('complete')).toMatchObject({ events: 2 * tasks + 2, malformed: 0 })
    expect(server.requests).toHaveLength(1)
    const [{ url, headers } = { url: '', headers: {} }] = server.requests
    expect(url).toMatch(
      /^\/upstream\/build-data\/build-export\/v2\/build\/a{13}\/events\?eventTypes=\S*TaskFinished/,
    )
    expect(headers).toMatchObject({ authorization: 'Bearer token0' })
    expect(await countsOf(events)).toEqual({ succeeded: tasks })
    const view = { order: 'start', search: 'É7' } as const
    const { total, rows } = await events.query({ kind: 'rows', view, from: 0, count: 5 })
    expect([total, rows[0]?.path]).toEqual([1, ':é7'])
  })

  test('are found by their keys, wherever they stand in a list', async () => {
    const { events, until } = await read(stream)
    events.load('executions')
    await until('complete')
    const seek = async (row: string, search = '') => {
      const view = { order: 'start', search } as const
      const found = await events.query({ kind: 'rows', view, from: 0, count: 2, row })
      return [found.from, found.total, ...found.rows.map(({ path }) => path)]
    }
    expect(await seek('task-18')).toEqual([18, tasks, ':é18', ':é19'])
    expect(await seek('task-18', 'é18')).toEqual([0, 1, ':é18'])
    expect(await seek('task-18', 'é7')).toEqual([-1, 1])
    expect(await seek('test-18')).toEqual([-1, tasks])
  })

  test('are waited for while the build is being stored, as long as the server wants', async () => {
    const { events, until, clock } = await read((response, request, index) => {
      if (index === 0) response.writeHead(503, { 'retry-after': '7' }).end()
      else if (index === 1) response.writeHead(429).end()
      else stream(response, request, index)
    })
    events.load('executions')
    const waiting = await until('waiting')
    expect(waiting).toMatchObject({ attempt: 2, nextAttemptAt: clock.now() + 7000 })
    clock.advance(7000)
    await server.asked(2)
    await until('loading').then(() => until('waiting'))
    clock.advance(30_000)
    await until('complete')
    expect(await countsOf(events)).toEqual({ succeeded: tasks })
  })

  test('that break off are kept and gone on from, wherever they break', async () => {
    const bytes = new TextEncoder().encode(whole)
    for (let cut = 1; cut < bytes.length; cut += 97) {
      const { events, until } = await read((response, request, index) => {
        if (index > 0) {
          stream(response, request, index)
          return
        }
        response.writeHead(200, {
          'content-type': 'text/event-stream',
          'content-length': bytes.length,
        })
        response.write(bytes.subarray(0, cut), () => response.destroy())
      })
      events.load('executions')
      const stopped = await until('stopped', 'refused')
      if (stopped.state === 'stopped') {
        expect(stopped.because?.message).toBe('The connection was lost before the last event.')
        const kept = await countsOf(events)
        expect((kept.succeeded ?? 0) + (kept.unfinished ?? 0)).toBeLessThanOrEqual(tasks)
      }
      events.load('executions')
      expect(await until('complete')).toMatchObject({ events: 2 * tasks + 2 })
      expect(await countsOf(events)).toEqual({ succeeded: tasks })
      for (const leave of left) leave()
      await server.quiet()
      await server.stop()
    }
    server = await startHostileServer(stream)
  })

  test('that end before the build does are gone on with until the server has no more', async () => {
    const { events, until } = await read((response, request, index) => {
      if (index === 0) {
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end(messages.slice(0, 9).join(''))
      } else if (index === 1) {
        expect(resumedAfter(request)).toBe(9)
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end(messages.slice(9, 12).join(''))
      } else response.writeHead(204).end()
    })
    events.load('executions')
    expect(await until('complete')).toMatchObject({ events: 11 })
    expect(server.requests).toHaveLength(3)
  })

  test('come once from a server that cannot resume', async () => {
    const { events, until } = await read((response, _request, index) => {
      const end = index === 0 ? 9 : messages.length
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(messages.slice(0, end).join(''))
    })
    events.load('executions')
    expect(await until('complete')).toMatchObject({ events: 2 * tasks + 2 })
    expect(await countsOf(events)).toEqual({ succeeded: tasks })
    expect(server.requests).toHaveLength(2)
  })

  test('begin again at a second Build message in their stream', async () => {
    const { events, until } = await read((response) => {
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(messages.slice(0, 12).join('') + whole)
    })
    events.load('executions')
    expect(await until('complete')).toMatchObject({ events: 2 * tasks + 2 })
    expect(await countsOf(events)).toEqual({ succeeded: tasks })
  })

  test.each([whole.length - 40, 2000])(
    'whose last message is cut off at %i are not taken for all of them',
    async (cut) => {
      const { events, until } = await read((response, request, index) => {
        if (index > 1) stream(response, request, index)
        else
          response
            .writeHead(200, { 'content-type': 'text/event-stream' })
            .end(new TextEncoder().encode(whole).subarray(0, cut))
      })
      events.load('executions')
      const stopped = await until('stopped')
      expect(stopped.state === 'stopped' && stopped.because?.message).toBe(
        'The connection was lost before the last event.',
      )
      events.load('executions')
      expect(await until('complete')).toMatchObject({ events: 2 * tasks + 2 })
      expect(await countsOf(events)).toEqual({ succeeded: tasks })
    },
  )

  test('that are cancelled stay as they are until they are gone on with', async () => {
    let held: (() => void) | undefined
    const { events, until } = await read((response, request, index) => {
      if (index > 0) {
        stream(response, request, index)
        return
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(messages.slice(0, 8).join(''), () => held?.())
    })
    const came = new Promise<void>((resolve) => (held = resolve))
    events.load('executions')
    await came
    await until('loading')
    while ((await countsOf(events).catch(() => ({ succeeded: 0 }))).succeeded !== 3) {
      await new Promise(setImmediate)
    }
    events.cancel('executions')
    expect(await until('stopped')).toMatchObject({ because: null, events: 7 })
    events.load('executions')
    await until('complete')
    expect(await countsOf(events)).toEqual({ succeeded: tasks })
    expect(resumedAfter(server.requests[1] ?? { url: '', headers: {} })).toBe(8)
  })
})

describe('an error answer', () => {
  test('reports that a build is not there after both versions were tried', async () => {
    const { events, until } = await read((response) => response.writeHead(404).end())
    events.load('executions')
    expect(await until('refused')).toMatchObject({ problem: { status: 404 } })
    expect(server.requests.map(({ url }) => url.split('/')[4])).toEqual(['v2', 'v1'])
  })

  test('of a server that knows version 1 only is explained', async () => {
    const { events, until } = await read((response, { url }) =>
      response.writeHead(url.includes('/v1/') ? 400 : 404).end(),
    )
    events.load('executions')
    const refused = await until('refused')
    expect(refused.state === 'refused' && refused.problem.message).toContain('version 1')
  })

  test('renews the session once', async () => {
    const { events, until, discarded } = await read((response, request, index) => {
      if (index === 0) response.writeHead(401).end()
      else stream(response, request, index)
    })
    events.load('executions')
    await until('complete')
    expect(discarded).toEqual(['token0'])
    expect(server.requests[1]?.headers.authorization).toBe('Bearer token1')
  })

  test('by something else than an event stream names it', async () => {
    const { events, until } = await read((response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    )
    events.load('executions')
    const refused = await until('refused')
    expect(refused.state === 'refused' && refused.problem.message).toContain('text/html')
  })
})

test('a build that nobody looks at any more is forgotten after a while', async () => {
  const { events, until, clock, open } = await read(stream)
  events.load('executions')
  await until('complete')
  for (const leave of left) leave()
  left = []
  expect(open(buildId)).toBe(events)
  clock.advance(60_000)
  expect(open(buildId)).not.toBe(events)
  expect(clock.pending()).toBe(0)
})
