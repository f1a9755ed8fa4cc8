import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { groupByPolicy } from '../../../policy/policy-group.ts'
import { policyResult } from '../../../policy/policy-result.test-support.ts'
import { ndjsonLine } from '../../../protocol/ndjson.ts'
import { readPolicyAnswer } from '../../../protocol/policy-result.ts'
import {
  type AnsweringServer,
  answeringServer,
  watchScan,
  type Way,
} from './policy-scan.test-support.ts'
import { createResultGroups, readScanAnswer } from './policy-scan.ts'

/** Evaluations on servers that do not behave; the embedded one has a test of its own. */

const question = {
  address: { type: 'oci', name: 'checkout', version: '2.4.0' },
  scan: 'release',
  sha256: 'ab'.repeat(32),
  repositoryUrl: 'registry.acme.example/shop',
}
const good = { policyUri: '/policies/BuildTool/supported', status: 'satisfied' }
const bad = { policyUri: '/policies/PackageUrl/log4j', status: 'UNSATISFIED' }
const ndjson = { 'content-type': 'application/x-ndjson' }

let server: AnsweringServer | undefined

afterEach(async () => {
  await server?.stop()
  server = undefined
})

async function wayTo(answer: RequestListener): Promise<Way> {
  const started = await answeringServer(answer)
  server = started
  return (path, init) => fetch(`${started.origin}${path}`, init)
}

test('results are shown as they arrive, the first one at once', async () => {
  let more = (): void => undefined
  const way = await wayTo((_request, response) => {
    response.writeHead(200, ndjson).write(ndjsonLine(good))
    more = () => response.end(ndjsonLine(bad))
  })
  const { until } = watchScan(question, way)
  const first = await until(({ results }) => results === 1)
  expect(first.state.is).toBe('reading')
  expect(first.endedAt).toBeUndefined()
  more()
  const whole = await until(({ state }) => state.is === 'done')
  expect(whole.groups.map(({ name, status }) => [name, status])).toEqual([
    ['supported', 'satisfied'],
    ['log4j', 'unsatisfied'],
  ])
})

test('the package is named by its address, digest and repository, and a stream is requested, and waited for', async () => {
  let url = ''
  const way = await wayTo((request, response) => {
    url = `${String(request.method)} ${String(request.url)}`
    response.writeHead(200, ndjson).end()
  })
  await watchScan(question, way).until(({ state }) => state.is === 'done')
  expect(url).toBe('POST /packages/oci/checkout/2.4.0/policy-scans/release')
  const { accept, prefer, body } = server?.requests[0] ?? {}
  expect(accept).toMatch(/^application\/x-ndjson/)
  expect(prefer).toBe('wait=300')
  expect(JSON.parse(body ?? '')).toEqual({
    sha256: question.sha256,
    repositoryUrl: question.repositoryUrl,
  })
})

test('what arrived before the stream broke stays, and the break is shown', async () => {
  const way = await wayTo((_request, response) => {
    response.writeHead(200, ndjson).write(`${ndjsonLine(good)}{"policyUri":"/pol`, () => {
      response.destroy()
    })
  })
  const view = await watchScan(question, way).until(({ endedAt }) => endedAt !== undefined)
  expect(view.state).toMatchObject({ is: 'broken' })
  expect(view.results).toBe(1)
})

test('lines that are no results are counted, the rest stays', async () => {
  const lines = ['not json', '[1,2]', '{"status":"satisfied"}', '42', '', JSON.stringify(good)]
  const way = await wayTo((_request, response) => {
    response.writeHead(200, ndjson).end(lines.join('\r\n'))
  })
  const view = await watchScan(question, way).until(({ state }) => state.is === 'done')
  expect(view).toMatchObject({ results: 1, unreadable: 5 })
})

test('integers that no number of JavaScript holds are kept to their last digit', async () => {
  const details = '{"n":1,"deep":[{"id":9007199254740993}],"text":"12345678901234567890"}'
  const way = await wayTo((_request, response) => {
    const line = JSON.stringify({ ...good, details: 'here' }).replace('"here"', details)
    const nested = JSON.stringify({ ...bad, details: 'here' })
    const deep = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`
    response.writeHead(200, ndjson).end(`${line}\n${nested.replace('"here"', deep)}\n`)
  })
  const view = await watchScan(question, way).until(({ endedAt }) => endedAt !== undefined)
  expect([view.state.is, view.results, view.unreadable]).toEqual(['done', 2, 0])
  expect(view.groups[0]?.results[0]?.details).toEqual({
    n: 1,
    deep: [{ id: '9007199254740993' }],
    text: '12345678901234567890',
  })
})

test('a problem that a service writes into its stream leaves it incomplete, with its words and all other results', async () => {
  const fault = { title: 'Internal Server Error', status: 500, detail: 'The store is gone.' }
  const way = await wayTo((_request, response) => {
    response.writeHead(200, ndjson).end(ndjsonLine(good) + ndjsonLine(fault) + ndjsonLine(bad))
  })
  const view = await watchScan(question, way).until(({ endedAt }) => endedAt !== undefined)
  expect(view.state.is === 'broken' && view.state.problem.message).toBe('The store is gone.')
  // As its record and the gate have it: a failure behind the problem counts.
  expect(view.results).toBe(2)
})

test('a service that does not stream is read as well', async () => {
  const way = await wayTo((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify([good, bad]))
  })
  const view = await watchScan(question, way).until(({ state }) => state.is === 'done')
  expect(view.results).toBe(2)
})

test('of an array that breaks off what came stays, and the break is shown', async () => {
  let cut = (): void => undefined
  const way = await wayTo((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write(`[${JSON.stringify(good)}, {"policyUri":"/pol`)
    cut = () => response.destroy()
  })
  const { until } = watchScan(question, way)
  await until(({ results }) => results === 1)
  cut()
  const view = await until(({ endedAt }) => endedAt !== undefined)
  expect([view.state.is, view.results, view.unreadable]).toEqual(['broken', 1, 0])
})

test('of an array without its end what came stays, and the rest is unreadable', async () => {
  const way = await wayTo((_request, response) => {
    const text = JSON.stringify([good, bad, 42, [good], { ...good, status: 500 }, good])
    response.writeHead(200, { 'content-type': 'application/json' }).end(text.slice(0, -9))
  })
  const view = await watchScan(question, way).until(({ endedAt }) => endedAt !== undefined)
  expect([view.state.is, view.results, view.unreadable]).toEqual(['done', 2, 4])
})

test('a busy service is requested again, not before its Retry-After', async () => {
  let count = 0
  const way = await wayTo((_request, response) => {
    count += 1
    if (count > 2) response.writeHead(200, ndjson).end(ndjsonLine(good))
    else
      response.writeHead(count === 1 ? 429 : 503, count === 1 ? { 'retry-after': '7' } : {}).end()
  })
  const { until, clock } = watchScan(question, way)
  const first = await until(({ state }) => state.is === 'waiting')
  expect(first.state).toMatchObject({ until: 1_007_000 })
  clock.advance(6999)
  expect(count).toBe(1)
  clock.advance(1)
  const second = await until(({ state }) => state.is === 'waiting' && state.until > 1_007_000)
  // Half of the way between 1 s and the bound of the second failure, 4 s.
  expect(second.state).toMatchObject({ until: 1_009_500 })
  clock.advance(2500)
  await until(({ state }) => state.is === 'done')
  expect(count).toBe(3)
  expect(clock.pending()).toBe(0)
})

test('a service that stays busy is given up after eight attempts', async () => {
  const way = await wayTo((_request, response) => response.writeHead(429).end())
  const { until, clock } = watchScan(question, way)
  for (let attempt = 1; attempt < 8; attempt++) {
    const at = clock.now()
    await until(({ state }) => state.is === 'waiting' && state.until > at)
    clock.advance(60_000)
  }
  const view = await until(({ state }) => state.is === 'refused')
  expect(view.state).toMatchObject({ problem: { status: 429 } })
  expect(server?.requests).toHaveLength(8)
})

test.each([400, 403, 404, 500])('status %i is no reason to try again', async (status) => {
  const way = await wayTo((_request, response) => {
    response
      .writeHead(status, { 'content-type': 'application/problem+json' })
      .end(JSON.stringify({ type: 'about:blank', title: 'x', status, detail: 'Why it is so.' }))
  })
  const { until, clock } = watchScan(question, way)
  const { state } = await until(({ endedAt }) => endedAt !== undefined)
  expect(state.is === 'refused' && [state.problem.status, state.problem.message]).toEqual([
    status,
    'Why it is so.',
  ])
  expect(server?.requests).toHaveLength(1)
  expect(clock.pending()).toBe(0)
})

test('cancelling keeps what has arrived and hangs up', async () => {
  let isGone = false
  const way = await wayTo((_request, response) => {
    response.on('close', () => (isGone = true))
    response.writeHead(200, ndjson).write(ndjsonLine(good))
  })
  const { scan, until, clock } = watchScan(question, way)
  await until(({ results }) => results === 1)
  scan.cancel()
  expect(scan.getSnapshot()).toMatchObject({ state: { is: 'cancelled' }, results: 1 })
  await expect.poll(() => isGone).toBe(true)
  expect(clock.pending()).toBe(0)
})

test('cancelling while the service is busy requests nothing more', async () => {
  const way = await wayTo((_request, response) => response.writeHead(429).end())
  const { scan, until, clock } = watchScan(question, way)
  await until(({ state }) => state.is === 'waiting')
  scan.cancel()
  clock.advance(600_000)
  expect(scan.getSnapshot().state.is).toBe('cancelled')
  expect(server?.requests).toHaveLength(1)
  expect(clock.pending()).toBe(0)
})

test('running it again begins anew', async () => {
  let answer = [good, bad]
  const way = await wayTo((_request, response) => {
    response.writeHead(200, ndjson).end(answer.map(ndjsonLine).join(''))
  })
  const { scan, until } = watchScan(question, way)
  await until(({ state }) => state.is === 'done')
  answer = [good]
  scan.run()
  expect(scan.getSnapshot()).toMatchObject({ state: { is: 'asking' }, results: 0, groups: [] })
  expect((await until(({ state }) => state.is === 'done')).results).toBe(1)
})

test('50,000 results come through whole, and are shown far less often', async () => {
  const line = readFileSync(new URL('policy-scan.test.ts', import.meta.url), 'utf8').slice(0, 200)
  const way = await wayTo((_request, response) => {
    response.writeHead(200, ndjson)
    for (let index = 0; index < 50_000; index++) {
      const policyUri = `/policies/PackageUrl/p${index % 50}`
      response.write(ndjsonLine({ ...bad, policyUri, details: { message: line, index } }))
    }
    response.end()
  })
  const { until, views } = watchScan(question, way)
  const view = await until(({ state }) => state.is === 'done')
  expect([view.results, view.groups.length]).toEqual([50_000, 50])
  expect(views.length).toBeLessThan(10)
})

/** An evaluation as the oldest servers write it. */
function evaluation(index: number): Record<string, unknown> {
  return {
    policyUri: `/policies/BuildTool/tools-${index % 7}`,
    status: ['SATISFIED', 'UNSATISFIED', 'NOT_APPLICABLE'][index % 3],
    details: { description: 'What it requires.', buildTool: `gradle ${index}` },
  }
}

const oldest = {
  request: { sha256: 'ab' },
  results: [
    {
      attestation: { envelope: { payload: {} } },
      storeType: 's3',
      storeUri: 'https://store/1',
      evaluations: Array.from({ length: 700 }, (_, index) => evaluation(index)),
    },
    { evaluations: [evaluation(1), 3], storeUri: 'https://store/2' },
    { storeUri: null, evaluations: [{ ...evaluation(2), attestationUri: '/packages/own' }] },
    { storeUri: 'https://store/3', evaluations: [] },
  ],
}

async function answersTo(text: string): Promise<ReturnType<typeof readPolicyAnswer>> {
  const response = new Response(text, { headers: { 'content-type': 'application/json' } })
  const results = []
  let unreadable = 0
  for await (const parts of readScanAnswer(response)) {
    for (const part of parts) {
      results.push(...part.results)
      unreadable += part.unreadable
    }
  }
  return { results, unreadable }
}

test('the single object of the oldest servers reads the same part by part as whole', async () => {
  const read = await answersTo(JSON.stringify(oldest))
  expect(read).toEqual(readPolicyAnswer(oldest))
  expect(read.results).toHaveLength(702)
  expect(read.unreadable).toBe(1)
})

test('whatever the oldest servers write beside evaluations, part by part it reads as whole', async () => {
  const beside = fc.record(
    {
      note: fc.constantFrom('the store is read-only', '', 0),
      error: fc.constantFrom('the store is away', null),
      errors: fc.constantFrom([], ['away']),
      truncated: fc.boolean(),
      attestation: fc.constant({ envelope: { payload: {} } }),
      request: fc.constant({ sha256: 'ab' }),
    },
    { requiredKeys: [] },
  )
  const list = fc
    .tuple(
      fc.record({ storeUri: fc.constantFrom('https://store/1', null) }, { requiredKeys: [] }),
      fc.record({ evaluations: fc.array(fc.nat(3).map(evaluation), { maxLength: 3 }) }),
      beside,
      fc.boolean(),
    )
    .map(([head, values, more, isLast]) =>
      isLast ? { ...more, ...head, ...values } : { ...values, ...more, ...head },
    )
  const lists = fc.record({ results: fc.array(list, { maxLength: 3 }) })
  const response = fc
    .tuple(beside, lists, fc.boolean())
    .map(([more, results, isLast]) => (isLast ? { ...more, ...results } : { ...results, ...more }))
  await fc.assert(
    fc.asyncProperty(response, async (whole) => {
      expect(await answersTo(JSON.stringify(whole))).toEqual(readPolicyAnswer(whole))
    }),
  )
})

test('beside its parts it may say that there are more', async () => {
  const odd = { ...oldest, truncated: true }
  expect(await answersTo(JSON.stringify(odd))).toEqual(readPolicyAnswer(odd))
  expect(readPolicyAnswer(odd).unreadable).toBe(2)
})

test('of its parts one that is no list of evaluations is counted, and hides no other', async () => {
  const results = [
    { evaluations: 5 },
    'nothing',
    { storeUri: 5, evaluations: [1] },
    ...oldest.results,
  ]
  const read = await answersTo(JSON.stringify({ results }))
  expect(read.results).toHaveLength(702)
  expect(read.unreadable).toBe(4)
})

test('cut off, it is never whole', async () => {
  const read = await answersTo(JSON.stringify(oldest).slice(0, -1))
  expect(read.results).toHaveLength(702)
  expect(read.unreadable).toBe(2)
})

test('a problem that comes with results is shown after them', async () => {
  const fault = { type: 'about:blank', title: 'Internal Server Error', status: 500 }
  await expect(answersTo(JSON.stringify({ ...fault, ...oldest }))).rejects.toThrow(
    'Internal Server Error',
  )
})

test('results in any pieces are grouped as all of them at once', () => {
  const result = fc
    .record({
      policyUri: fc.constantFrom(
        '/policies/A/a',
        'https://x.example/policies/A/a',
        '/policies/B/b',
      ),
      status: fc.constantFrom('satisfied' as const, 'unsatisfied' as const, 'unknown' as const),
      description: fc.constantFrom('', 'one', 'two'),
    })
    .map(policyResult)
  fc.assert(
    fc.property(fc.array(fc.array(result, { maxLength: 4 }), { maxLength: 5 }), (pieces) => {
      const together = createResultGroups()
      for (const piece of pieces) {
        for (const one of piece) together.add(one)
        together.groups()
      }
      expect(together.groups()).toEqual(groupByPolicy(pieces.flat()))
      expect(together.count()).toBe(pieces.flat().length)
    }),
  )
})

test('a policy without a new result is the same object as before', () => {
  const together = createResultGroups()
  together.add(policyResult({ policyUri: '/policies/A/a' }))
  const [before] = together.groups()
  together.add(policyResult({ policyUri: '/policies/B/b' }))
  expect(together.groups()[0]).toBe(before)
})
