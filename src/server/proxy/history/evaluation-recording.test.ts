import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import {
  evaluationHeader,
  EvaluationList,
  evaluationsPath,
  EvaluationRecord,
} from '../../../protocol/evaluation.ts'
import { ndjsonLine } from '../../../protocol/ndjson.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { readPolicyAnswer } from '../../../protocol/policy-result.ts'
import { waiversPath } from '../../../protocol/waiver.ts'
import { createMemoryLog } from '../../live-log/memory-log.ts'
import { addWaiver, samplePerson } from '../../store/sample-history.test-support.ts'
import { type HistoryServer, historyServer } from './history-server.test-support.ts'
import { postJson } from '../proxy-on-socket.test-support.ts'
import { answering, type PlainAnswer } from '../plain-server.test-support.ts'

const scanPath = '/packages/npm/@acme/app/1.0.0/policy-scans/release'
const packagePath = '/packages/npm/@acme/app/1.0.0'
const sha256 = 'ab'.repeat(32)
const asked = JSON.stringify({
  sha256: sha256.toUpperCase(),
  repositoryUrl: 'registry.example/shop',
})

function result(name: string, status: string): Record<string, unknown> {
  return {
    labels: {},
    status,
    policyUri: `/policies/BuildTool/${name}`,
    policyDescription: 'd',
    policyRemediation: '',
    attestationUri: null,
    sourcedFromUri: null,
    details: { serial: 1 },
  }
}

const results = [
  result('one', 'satisfied'),
  result('two', 'unsatisfied'),
  result('one', 'satisfied'),
]
const ndjson = { 'content-type': 'application/x-ndjson' }
const json = { 'content-type': 'application/json' }

/** Evaluates by the proxy; the answer may not be whole yet. */
function begin(proxy: HistoryServer, init: RequestInit = {}): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  const path = `/upstream/governor${scanPath}`
  return proxy.ask(path, { method: 'POST', headers, body: asked, ...init })
}

/** The whole answer as text, and the id that it was told under. */
async function evaluate(
  proxy: HistoryServer,
  init: RequestInit = {},
): Promise<{ status: number; text: string; id: string | null }> {
  const response = await begin(proxy, init)
  const id = response.headers.get(evaluationHeader)
  return { status: response.status, text: await response.text(), id }
}

async function listed(proxy: HistoryServer, query = ''): Promise<EvaluationList> {
  return EvaluationList.parse(await (await proxy.ask(`${evaluationsPath}${query}`)).json())
}

/** The record, as soon as it is there. */
async function recorded(proxy: HistoryServer, id: string | null): Promise<EvaluationRecord> {
  const path = `${evaluationsPath}/${id ?? ''}`
  await expect.poll(async () => (await proxy.ask(path)).status).toBe(200)
  return EvaluationRecord.parse(await (await proxy.ask(path)).json())
}

describe('an evaluation that is passed on', () => {
  test('is the newest one, also where the clock was set back meanwhile', async () => {
    const proxy = await historyServer(answering(200, json, '[]'))
    const first = await evaluate(proxy)
    await recorded(proxy, first.id)
    proxy.clock.advance(-86_400_000)
    const second = await evaluate(proxy)
    await recorded(proxy, second.id)
    expect((await listed(proxy)).evaluations.map(({ id }) => id)).toEqual([second.id, first.id])
  })

  test('begins when it is sent, not when it began to wait for a place', async () => {
    let requests = 0
    const proxy = await historyServer((_request, response) => {
      requests += 1
      response.writeHead(200, json)
      if (requests > 80) response.end('[]')
      else response.write('[')
    })
    const gone = new AbortController()
    const held = await Promise.all(
      Array.from({ length: 80 }, (_, at) => begin(proxy, at === 0 ? { signal: gone.signal } : {})),
    )
    expect(held.map(({ status }) => status)).toEqual(held.map(() => 200))
    const timers = proxy.clock.pending()
    const waiting = evaluate(proxy)
    await expect.poll(() => proxy.clock.pending()).toBe(timers + 1)
    proxy.clock.advance(7000)
    gone.abort()
    const { id } = await waiting
    expect(await recorded(proxy, id)).toMatchObject({
      startedAt: proxy.clock.now(),
      endedAt: proxy.clock.now(),
    })
  })

  test.each<[string, Record<string, string>, string | Buffer]>([
    ['lines', ndjson, results.map(ndjsonLine).join('')],
    ['an array', json, JSON.stringify(results, null, 2)],
    [
      'lines in gzip',
      { ...ndjson, 'content-encoding': 'gzip' },
      gzipSync(results.map(ndjsonLine).join('')),
    ],
    [
      'an array in gzip',
      { ...json, 'content-encoding': 'gzip' },
      gzipSync(JSON.stringify(results)),
    ],
  ])('is recorded as it went by, written as %s', async (_form, headers, body) => {
    const proxy = await historyServer(answering(200, headers, body))
    proxy.clock.advance(5000)
    const { status, text, id } = await evaluate(proxy)
    expect(status).toBe(200)
    expect(
      readPolicyAnswer(
        text.startsWith('[')
          ? JSON.parse(text)
          : text
              .trim()
              .split('\n')
              .map((line): unknown => JSON.parse(line)),
      ).results,
    ).toHaveLength(3)
    expect(await recorded(proxy, id)).toEqual({
      id,
      startedAt: proxy.clock.now(),
      endedAt: proxy.clock.now(),
      by: 'ada',
      packagePath,
      sha256,
      repositoryUrl: 'registry.example/shop',
      scan: 'release',
      ended: 'complete',
      verdict: 'not-releasable',
      counts: { satisfied: 1, unsatisfied: 1, 'not-applicable': 0, unknown: 0 },
      results: 3,
      unreadable: 0,
      failing: ['/policies/BuildTool/two'],
      reasons: {
        failing: [
          {
            uri: '/policies/BuildTool/two',
            status: 'unsatisfied',
            remedy: '',
            causes: ['serial: 1'],
          },
        ],
        notApplicable: [],
        satisfied: ['/policies/BuildTool/one'],
        dates: [],
      },
      waived: [],
      answer: results,
      leftOut: 0,
    })
  })

  test('by the object of the oldest servers is recorded so that it reads as it did', async () => {
    const { attestationUri: _no, ...old } = result('one', 'UNSATISFIED')
    const answer = { results: [{ storeUri: 's3/a', evaluations: [old, 3] }] }
    const proxy = await historyServer(answering(200, json, JSON.stringify(answer, null, 1)))
    const { id } = await evaluate(proxy)
    const record = await recorded(proxy, id)
    expect(record).toMatchObject({ results: 1, unreadable: 1, verdict: 'not-releasable' })
    expect(readPolicyAnswer(record.answer)).toEqual(readPolicyAnswer(answer))
  })

  test('keeps numbers that JavaScript cannot', async () => {
    const line = JSON.stringify(result('one', 'satisfied')).replace(
      '"serial":1',
      '"serial":12345678901234567890',
    )
    const proxy = await historyServer(answering(200, ndjson, line))
    const { id } = await evaluate(proxy)
    await recorded(proxy, id)
    const text = await (await proxy.ask(`${evaluationsPath}/${id ?? ''}`)).text()
    expect(text).toContain('"serial":12345678901234567890')
  })

  test.each<[string, string, Record<string, string>, Record<string, unknown>]>([
    ['nothing', '', ndjson, { results: 0, unreadable: 0, verdict: 'nothing-applied' }],
    ['an empty array', '[]', json, { results: 0, unreadable: 0, verdict: 'nothing-applied' }],
    [
      'a line that is no JSON',
      `${ndjsonLine(result('a', 'satisfied'))}{"a":\n`,
      ndjson,
      { results: 1, unreadable: 1, verdict: 'undecided' },
    ],
    [
      'an array that is not closed',
      `[${JSON.stringify(result('a', 'satisfied'))}`,
      json,
      { results: 1, unreadable: 1, verdict: 'undecided' },
    ],
    [
      'no results at all',
      '{"status":"SUCCESS"}',
      json,
      { results: 0, unreadable: 1, verdict: 'undecided' },
    ],
    [
      'a failure after results',
      `${ndjsonLine(result('a', 'satisfied'))}${ndjsonLine({ title: 'Oh', status: 500 })}`,
      ndjson,
      { results: 1, ended: 'broken', verdict: 'undecided' },
    ],
    [
      'gzip that is none',
      'plain',
      { ...ndjson, 'content-encoding': 'gzip' },
      { results: 0, ended: 'broken', verdict: 'undecided' },
    ],
  ])('never passes a package by %s', async (_what, body, headers, record) => {
    const proxy = await historyServer(answering(200, headers, body))
    // Not read as fetch would: it may not be able to unzip it.
    const response = await begin(proxy)
    await response.text().catch(() => undefined)
    expect(await recorded(proxy, response.headers.get(evaluationHeader))).toMatchObject(record)
  })

  test.each([
    [
      'a form',
      'application/x-www-form-urlencoded',
      `sha256=${sha256}&repositoryUrl=https%3A%2F%2Fuser%3Apw%40r.example%2Fx`,
    ],
    [
      'parts',
      'multipart/form-data; boundary=X',
      `--X\r\nContent-Disposition: form-data; name="sha256"\r\n\r\n${sha256}\r\n--X\r\nContent-Disposition: form-data; name="repositoryUrl"\r\n\r\nhttps://r.example/x\r\n--X--\r\n`,
    ],
  ])(
    'is asked for by %s as well, and no password of an address is kept',
    async (_form, type, body) => {
      const proxy = await historyServer(answering(200, json, '[]'))
      const { id } = await evaluate(proxy, { headers: { 'content-type': type }, body })
      const record = await recorded(proxy, id)
      expect(record).toMatchObject({ sha256, repositoryUrl: 'https://r.example/x' })
    },
  )

  test('that the upstream breaks off is recorded as broken', async () => {
    let cut = (): void => undefined
    const proxy = await historyServer((_request, response) => {
      cut = () => response.destroy()
      response.writeHead(200, ndjson).write(`${ndjsonLine(result('a', 'satisfied'))}{"cut`)
    })
    const response = await begin(proxy)
    const reader = response.body?.getReader()
    // What came is lost with a connection that breaks before it is read.
    await reader?.read()
    cut()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toContain('broke-off')
    await expect(reader?.read()).rejects.toThrow()
    const record = await recorded(proxy, response.headers.get(evaluationHeader))
    expect(record).toMatchObject({
      ended: 'broken',
      results: 1,
      unreadable: 0,
      verdict: 'undecided',
    })
  })

  test('that the reader leaves is recorded as cancelled', async () => {
    const proxy = await historyServer((_request, response) => {
      response.writeHead(200, ndjson).write(ndjsonLine(result('a', 'satisfied')))
    })
    const gone = new AbortController()
    const response = await begin(proxy, { signal: gone.signal })
    await response.body?.getReader().read()
    gone.abort()
    const record = await recorded(proxy, response.headers.get(evaluationHeader))
    expect(record).toMatchObject({
      ended: 'cancelled',
      results: 1,
      unreadable: 0,
      verdict: 'undecided',
    })
  })

  test('says what was waived at that time, and never changes what the service said', async () => {
    const proxy = await historyServer(answering(200, json, JSON.stringify(results)))
    const scope = {
      packagePath,
      sha256,
      scan: 'release',
      policyUri: 'https://g.example/policies/BuildTool/two',
    }
    const act = { ...samplePerson(), at: proxy.clock.now(), detail: '' }
    await addWaiver(
      proxy.database,
      { ...scope, reason: 'r', person: 'p', expiresAt: act.at + 1000 },
      act,
    )
    const first = await recorded(proxy, (await evaluate(proxy)).id)
    expect(first).toMatchObject({ verdict: 'not-releasable', waived: ['/policies/BuildTool/two'] })
    proxy.clock.advance(1000)
    const second = await recorded(proxy, (await evaluate(proxy)).id)
    expect(second).toMatchObject({ failing: ['/policies/BuildTool/two'], waived: [] })
    expect((await listed(proxy)).evaluations.map(({ id }) => id)).toEqual([second.id, first.id])
  })

  test('keeps all failing policies, the first 20,000 results, and later ones that make it worse', async () => {
    const answer = Array.from({ length: 20_100 }, (_, n) =>
      result(`p${n % 60}`, n < 20_040 ? 'satisfied' : 'unsatisfied'),
    )
    const proxy = await historyServer(answering(200, ndjson, answer.map(ndjsonLine).join('')))
    const record = await recorded(proxy, (await evaluate(proxy)).id)
    expect(record.failing).toHaveLength(60)
    expect(record).toMatchObject({ results: 20_100, leftOut: 40, counts: { unsatisfied: 60 } })
    expect(record.answer.slice(20_000)).toEqual(answer.slice(20_040))
    expect((await listed(proxy)).evaluations[0]?.failing).toHaveLength(60)
  })
})

describe('what is no evaluation', () => {
  test.each<[string, PlainAnswer]>([
    [
      'an error answer',
      answering(404, { 'content-type': 'application/problem+json' }, '{"title":"No","status":404}'),
    ],
    ['a busy service', answering(429)],
    ['a page', answering(200, { 'content-type': 'text/html' }, '<p>')],
    ['a connection that breaks', (_request, response) => void response.destroy()],
  ])('is not recorded: %s', async (_what, answer) => {
    const proxy = await historyServer(answer)
    const { status, id } = await evaluate(proxy)
    expect([status >= 400, id]).toEqual([true, null])
    // What came before it in the queue of the writer would have been written.
    await postJson(proxy, `/upstream/governor${packagePath}/attestations`, '{}')
    await expect
      .poll(async () => (await proxy.ask('/history/actions')).text())
      .toContain('published')
    expect((await listed(proxy)).evaluations).toEqual([])
  })
})

test('a recorded run and a waiver are published once they can be read', async () => {
  const log = createMemoryLog(createManualClock())
  const heard: { readonly changes: unknown; readonly runs: Promise<Response> }[] = []
  const proxy = await historyServer(answering(200, json, JSON.stringify(results)), {
    notices: log,
  })
  log.onNotice('changes', (changes) => {
    heard.push({ changes, runs: proxy.ask(evaluationsPath) })
  })
  const published = (): unknown => {
    proxy.clock.advance(100)
    return heard.flatMap(({ changes }) => changes)
  }
  const { id } = await evaluate(proxy)
  const run = { topic: 'evaluations', key: `${packagePath} release` }
  await expect.poll(published).toEqual([run])
  const { evaluations } = EvaluationList.parse(await (await heard[0]?.runs)?.json())
  expect(evaluations.map((evaluation) => evaluation.id)).toEqual([id])

  const scope = { packagePath, sha256, scan: 'release', policyUri: '/policies/BuildTool/two' }
  const given = { ...scope, reason: 'r', person: 'p', expiresAt: proxy.clock.now() + 60_000 }
  const body = JSON.stringify(given)
  expect((await proxy.ask(waiversPath, { method: 'POST', headers: json, body })).status).toBe(201)
  await expect.poll(published).toEqual([run, { topic: 'waivers', key: packagePath }])
})
