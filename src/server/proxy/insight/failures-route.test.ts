import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { FailuresLine } from '../../../protocol/insight.ts'
import { readLines } from '../../../protocol/ndjson.ts'
import { until } from '../live/hub-on-socket.test-support.ts'
import { memoryDatabase } from '../../store/memory-database.test-support.ts'
import type { PlainAnswer } from '../plain-server.test-support.ts'
import {
  canary,
  postJson,
  problemOf,
  type ProxyOnSocket,
  startProxyOnSocket,
} from '../proxy-on-socket.test-support.ts'

/** Why builds failed, read from a build server that owes nothing to this project's own. */

/** Time passes only while the upstream has nothing to do, so that no limit strikes by chance. */
async function start(
  answer: PlainAnswer,
  kept?: NonNullable<Parameters<typeof startProxyOnSocket>[1]>['history'],
): Promise<ProxyOnSocket> {
  const proxy = await startProxyOnSocket({ buildData: answer }, kept && { history: kept })
  let isOver = false
  const tick = (): void => {
    if (isOver) return
    if (proxy.buildData.open() === 0) proxy.clock.advance(250)
    setTimeout(tick, 1)
  }
  tick()
  onTestFinished(async () => {
    isOver = true
    await proxy.close()
  })
  return proxy
}

const settings = { keepDays: 30, keepPerScan: 10, longestWaiverDays: 30 }
const sse = { 'content-type': 'text/event-stream' }
const idOf = (number: number): string => `b${number.toString(36).padStart(12, '0')}`
const idIn = (url: string): string => /\/build\/([^/]+)\/events/.exec(url)?.[1] ?? ''

function message(id: string): string {
  const build = {
    buildId: id,
    timestamp: 1,
    toolType: 'gradle',
    toolVersion: '9',
    agentVersion: '4',
  }
  return `id: ${id}\nevent: Build\ndata: ${JSON.stringify(build)}\n\n`
}

function event(number: number, eventType: string, data: object | string): string {
  const text = `{"timestamp":5,"type":{"majorVersion":1,"minorVersion":1,"eventType":"${eventType}"},"data":${typeof data === 'string' ? data : JSON.stringify(data)}}`
  return `id: ${number}\nevent: BuildEvent\ndata: ${text}\n\n`
}

/** Ids of exceptions are 64 bits, more than a number of JavaScript holds. */
const exceptions = `{"exceptions":{"7947411800512689240":{"className":"a.Outer","message":"Execution failed for task ':x'.","causes":[-5019989798989744525],"metadata":{"taskPath":":x"}},"-5019989798989744525":{"className":"a.Inner","message":"expected 3 (${canary})","causes":[]}},"stackTraces":{},"stackFrames":{}}`
const failed = (id: string): string =>
  message(id) +
  event(1, 'ExceptionData', exceptions) +
  event(2, 'BuildFinished', '{"failureId":7947411800512689240,"failure":null}')
const failure = { message: 'expected 3 ([secret]***********)', exception: 'a.Inner', task: ':x' }

const answering: PlainAnswer = ({ url }, response) => {
  response.writeHead(200, sse).end(failed(idIn(url)))
}

/** The addresses that events were read at. */
const readings = ({ buildData }: ProxyOnSocket): readonly string[] =>
  buildData.received.flatMap(({ url }) => (url.includes('/events') ? [url] : []))

const post = (proxy: ProxyOnSocket, buildIds: readonly string[], signal?: AbortSignal) =>
  postJson(proxy, '/insight/failures', { buildIds }, signal)

async function* linesOf(response: Response): AsyncGenerator<FailuresLine, void, undefined> {
  if (response.body === null) return
  for await (const line of readLines(response.body)) yield FailuresLine.parse(JSON.parse(line))
}

async function failuresOf(proxy: ProxyOnSocket, ...ids: readonly string[]) {
  const lines: FailuresLine[] = []
  for await (const line of linesOf(await post(proxy, ids))) lines.push(line)
  return lines
}

test('a line for each build, from few events of its own', async () => {
  const proxy = await start(answering)
  const lines = await failuresOf(proxy, idOf(1), idOf(2), idOf(1))
  expect(lines.toSorted((a, b) => a.buildId.localeCompare(b.buildId))).toEqual([
    { buildId: idOf(1), failures: [failure] },
    { buildId: idOf(2), failures: [failure] },
  ])
  expect(readings(proxy)).toEqual(
    [1, 2].map(
      (number) =>
        `/build-export/v2/build/${idOf(number)}/events?eventTypes=BuildFinished,MvnBuildFinished,ExceptionData,MvnExceptionData`,
    ),
  )
})

test('which tests failed is read of builds whose tests failed, and of no others', async () => {
  const thrown = `{"exceptions":{"1":{"className":"a.Outer","message":"There were failing tests. See the report at: file:///x","causes":[]},"2":{"className":"a.Assertion","message":"expected 3","causes":[]}}}`
  const proxy = await start(({ url }, response) => {
    const id = idIn(url)
    const tests =
      event(
        1,
        'TestStarted',
        '{"task":7,"id":70,"name":"total","className":"a.CartTest","suite":false}',
      ) +
      event(2, 'TestFinished', '{"task":7,"id":70,"failed":true,"skipped":false,"failureId":2}') +
      event(
        3,
        'TestStarted',
        '{"task":7,"id":71,"name":"vat","className":"a.CartTest","suite":false}',
      ) +
      event(4, 'TestFinished', '{"task":7,"id":71,"failed":true,"skipped":false,"failureId":2}')
    const first = event(1, 'ExceptionData', thrown) + event(2, 'BuildFinished', '{"failureId":1}')
    response
      .writeHead(200, sse)
      .end(message(id) + (url.includes('TestFinished') ? tests.repeat(2) : first))
  })
  const ofTest = (name: string) => ({
    exception: 'a.Assertion',
    message: 'expected 3',
    test: { className: 'a.CartTest', name, others: 1 },
  })
  expect(await failuresOf(proxy, idOf(1))).toEqual([
    { buildId: idOf(1), failures: [ofTest('total'), ofTest('vat')] },
  ])
  expect(readings(proxy).map((url) => url.split('=')[1])).toEqual([
    'BuildFinished,MvnBuildFinished,ExceptionData,MvnExceptionData',
    'TaskStarted,TestStarted,TestFinished',
  ])
})

describe('of a build server that', () => {
  const whole = failed(idOf(1))
  const cases: readonly (readonly [string, PlainAnswer, Partial<FailuresLine>])[] = [
    [
      'sends a byte at a time',
      (_, response) => {
        response.writeHead(200, sse)
        for (const byte of Buffer.from(whole)) response.write(Buffer.of(byte))
        response.end()
      },
      { failures: [failure] },
    ],
    [
      'compresses',
      (_, response) => {
        response.writeHead(200, { ...sse, 'content-encoding': 'gzip' }).end(gzipSync(whole))
      },
      { failures: [failure] },
    ],
    [
      'ignores the event types',
      (_, response) => {
        const noise = event(9, 'TaskStarted', { id: 1, path: ':x' }).repeat(5000)
        response.writeHead(200, sse).end(message(idOf(1)) + noise + whole)
      },
      { failures: [failure] },
    ],
    [
      'sends odd events among the others',
      (_, response) => {
        const odd = [
          'event: BuildEvent\ndata: {\n\n',
          'event: BuildEvent\ndata: {"timestamp":"soon"}\n\n',
          'event: Else\ndata: 1\n\n',
          ': heartbeat\n\n',
          event(3, 'ExceptionData', '7'),
        ]
        response.writeHead(200, sse).end(odd.join('') + whole)
      },
      { failures: [failure] },
    ],
    [
      'says that the build succeeded',
      (_, response) => {
        response
          .writeHead(200, sse)
          .end(message(idOf(1)) + event(1, 'BuildFinished', '{"failureId":null}'))
      },
      { failures: [] },
    ],
    [
      'has no content',
      (_, response) => void response.writeHead(204).end(),
      { problem: 'The build server has no events of this build.' },
    ],
    [
      'does not know the build',
      (_, response) => void response.writeHead(404).end(),
      { problem: 'The build server has no events of this build.' },
    ],
    [
      'refuses',
      (_, response) => void response.writeHead(403).end(canary),
      { problem: 'The build server responded with 403.' },
    ],
    [
      'cuts every answer',
      (_, response, raw) => {
        response.writeHead(200, sse).write(whole.slice(0, -20), () => raw.socket.destroy())
      },
      {},
    ],
    [
      'closes in the middle of an event',
      (_, response) => {
        response.writeHead(200, sse).end(whole.slice(0, -20))
      },
      { problem: 'The build server closed the connection in the middle of an event.' },
    ],
  ]
  test.each(cases)('%s', async (_, answer, line) => {
    const proxy = await start(answer)
    expect(await failuresOf(proxy, idOf(1))).toMatchObject([{ buildId: idOf(1), ...line }])
  })

  test('is still storing the build, or refuses too many, is asked again after what it says', async () => {
    const asked: number[] = []
    const proxy = await start(({ url }, response) => {
      asked.push(proxy.clock.now())
      const [status] = asked.length === 1 ? [503] : asked.length === 2 ? [429] : []
      if (status === undefined) response.writeHead(200, sse).end(failed(idIn(url)))
      else response.writeHead(status, { 'retry-after': '20' }).end()
    })
    expect(await failuresOf(proxy, idOf(1))).toEqual([{ buildId: idOf(1), failures: [failure] }])
    const [first = 0, second = 0, third = 0] = asked
    expect([second - first >= 20_000, third - second >= 20_000]).toEqual([true, true])
  })

  test('falls silent is given up', async () => {
    const proxy = await startProxyOnSocket({
      buildData: (_, response) => void response.writeHead(200, sse).write(message(idOf(1))),
    })
    onTestFinished(() => proxy.close())
    const tick = setInterval(() => {
      proxy.clock.advance(1000)
    }, 1)
    onTestFinished(() => {
      clearInterval(tick)
      return Promise.resolve()
    })
    expect(await failuresOf(proxy, idOf(1))).toEqual([
      { buildId: idOf(1), problem: 'The build server stopped responding.' },
    ])
  })

  test('is away is not waited for with each of many builds', async () => {
    const proxy = await start((_, response) => void response.socket?.destroy())
    const began = proxy.clock.now()
    const lines = await failuresOf(
      proxy,
      ...Array.from({ length: 200 }, (_, number) => idOf(number)),
    )
    expect(lines).toHaveLength(200)
    expect(lines.every(({ problem }) => problem !== undefined)).toBe(true)
    expect(proxy.clock.now() - began).toBeLessThan(120_000)
    expect(readings(proxy).length).toBeLessThan(60)
  })
})

test('builds are read a few at a time, whoever wants them', async () => {
  let most = 0
  const proxy = await start(({ url }, response) => {
    most = Math.max(most, proxy.buildData.open())
    setTimeout(() => response.writeHead(200, sse).end(failed(idIn(url))), 3)
  })
  const ids = (from: number) => Array.from({ length: 20 }, (_, number) => idOf(from + number))
  const all = await Promise.all([failuresOf(proxy, ...ids(0)), failuresOf(proxy, ...ids(20))])
  expect(all.map((lines) => lines.length)).toEqual([20, 20])
  expect(most).toBeLessThanOrEqual(4)
})

test('two who want the same build share one reading, also when one of them leaves', async () => {
  const waiting: (() => void)[] = []
  const proxy = await start(({ url }, response) => {
    waiting.push(() => response.writeHead(200, sse).end(failed(idIn(url))))
  })
  const leave = new AbortController()
  const first = await post(proxy, [idOf(1)], leave.signal)
  const second = await post(proxy, [idOf(1)])
  await until(() => waiting.length > 0)
  leave.abort()
  await expect(first.text()).rejects.toThrow()
  await proxy.ask('/readyz')
  for (const answer of waiting) answer()
  for await (const line of linesOf(second)) expect(line.failures).toEqual([failure])
  expect(readings(proxy)).toHaveLength(1)
})

test('who leaves ends what was read for nobody else', async () => {
  const proxy = await start((_, response) => void response.writeHead(200, sse).write(': hello\n\n'))
  const leave = new AbortController()
  const left = post(proxy, [idOf(1), idOf(2)], leave.signal).then((response) => response.text())
  const isOver = expect(left).rejects.toThrow()
  await until(() => proxy.buildData.open() === 2)
  leave.abort()
  await isOver
  await until(() => proxy.buildData.open() === 0)
})

test('a browser that takes no more lines has nothing read ahead for it', async () => {
  const proxy = await start(answering)
  const response = await post(
    proxy,
    Array.from({ length: 1000 }, (_, number) => idOf(number)),
  )
  const reader = response.body?.getReader()
  await reader?.read()
  const read = readings(proxy).length
  expect(read).toBeLessThan(1000)
  await reader?.cancel()
})

test('what was read is kept: a build is read once for everybody, also by the next process', async () => {
  const database = await memoryDatabase()
  onTestFinished(() => database.close())
  const first = await start(answering, { database, settings })
  await failuresOf(first, idOf(1), idOf(2))
  expect(await failuresOf(first, idOf(1))).toEqual([{ buildId: idOf(1), failures: [failure] }])
  expect(readings(first)).toHaveLength(2)
  const second = await start(answering, { database, settings })
  expect(await failuresOf(second, idOf(2), idOf(1), idOf(3))).toHaveLength(3)
  expect(readings(second)).toHaveLength(1)
})

test('a database that fails costs nothing but what it would have kept', async () => {
  const database = await memoryDatabase()
  onTestFinished(() => database.close())
  await database.kysely.schema.dropTable('build_insights').execute()
  const proxy = await start(answering, { database, settings })
  expect(await failuresOf(proxy, idOf(1))).toEqual([{ buildId: idOf(1), failures: [failure] }])
  expect(await failuresOf(proxy, idOf(1))).toEqual([{ buildId: idOf(1), failures: [failure] }])
  expect(readings(proxy)).toHaveLength(1)
})

test.each([
  ['no JSON', '{', 400],
  ['no list', '{"buildIds":7}', 400],
  ['an id that is none', '{"buildIds":["a/../b"]}', 400],
  ['too many', JSON.stringify({ buildIds: Array.from({ length: 1001 }, () => idOf(1)) }), 400],
])('%s is refused', async (_, body, status) => {
  const proxy = await start(answering)
  const headers = { 'content-type': 'application/json' }
  const response = await proxy.ask('/insight/failures', { method: 'POST', headers, body })
  expect(response.status).toBe(status)
  expect(String((await problemOf(response)).detail)).toMatch(/is missing or not as expected\.$/)
})

test('too many responses at once are refused with when to try again', async () => {
  const proxy = await start((_, response) => void response.writeHead(200, sse).write(': hello\n\n'))
  const leave = new AbortController()
  await Promise.all(Array.from({ length: 64 }, () => post(proxy, [idOf(1)], leave.signal)))
  const refused = await post(proxy, [idOf(1)])
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
  leave.abort()
})
