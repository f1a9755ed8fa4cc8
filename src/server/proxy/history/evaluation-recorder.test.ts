import { describe, expect, test } from 'vitest'
import { readResults } from '../../../cli/read-response.ts'
import { readScanAnswer } from '../../../web/data/scans/policy-scan.ts'
import { evaluateForBoard } from '../board/board-run.ts'
import { createEvaluationTally } from './evaluation-recorder.ts'
import { readResponseParts, type ResponsePart } from './evaluation-response.ts'

function result(policy: string, status: string): string {
  return JSON.stringify({ policyUri: `/policies/BuildTool/${policy}`, status })
}

function line(text: string): ResponsePart {
  return { text, isElement: false }
}

function part(policy: string, status: string): ResponsePart {
  return line(result(policy, status))
}

describe('the tally of an evaluation', () => {
  test('knows each policy as bad as its worst result, whatever comes after that', () => {
    const tally = createEvaluationTally(0)
    const statuses = ['not-applicable', 'satisfied', 'UNSATISFIED', 'satisfied', 'odd']
    for (const status of statuses) tally.add(part('a', status))
    for (const status of ['satisfied', 'not applicable']) tally.add(part('b', status))
    const { groups, results } = tally.total()
    expect(groups.map(({ name, status }) => [name, status])).toEqual([
      ['a', 'unsatisfied'],
      ['b', 'satisfied'],
    ])
    expect(results).toBe(7)
  })

  test('does not grow with the results, only with the policies', () => {
    const tally = createEvaluationTally(0)
    for (let n = 0; n < 50_000; n += 1)
      tally.add(part(`p${n % 40}`, n % 3 === 0 ? 'x' : 'satisfied'))
    const { groups, results } = tally.total()
    expect(results).toBe(50_000)
    expect(groups.reduce((sum, group) => sum + group.results.length, 0)).toBe(40)
  })

  test('counts a limited number of policies apart: further ones never pass a package', () => {
    const tally = createEvaluationTally(0)
    for (let n = 0; n < 100_003; n += 1) tally.add(part(`p${n}`, 'satisfied'))
    tally.add(part('late', 'unsatisfied'))
    const { groups, results, unreadable, reasons } = tally.total()
    expect([groups.length, results, unreadable]).toEqual([100_002, 100_002, 2])
    expect(reasons.failing.map(({ uri }) => uri)).toEqual(['/policies/BuildTool/late'])
  })

  test('says of each policy that a board requires whether it is there, however many there are', () => {
    const tally = createEvaluationTally(0, ['p20000', 'BuildTool/late', 'gone', 'all'])
    for (let n = 0; n < 20_001; n += 1) tally.add(part(`p${n}`, 'satisfied'))
    tally.add(part('late', 'not-applicable'))
    expect(tally.total().reasons.required).toEqual([
      { name: 'p20000', is: 'checked' },
      { name: 'BuildTool/late', is: 'not-applicable' },
      { name: 'gone', is: 'absent' },
    ])
  })

  test('says of no policy that it was not checked which a later result satisfies', () => {
    const tally = createEvaluationTally(0)
    tally.add(part('early', 'not-applicable'))
    for (let n = 0; n < 10_000; n += 1) tally.add(part(`p${n}`, 'satisfied'))
    tally.add(part('early', 'satisfied'))
    const { groups, reasons } = tally.total()
    expect(groups[0]?.status).toBe('satisfied')
    expect(reasons.notApplicable).toEqual([])
  })

  test('knows until when a policy is satisfied, however many come before it', () => {
    const tally = createEvaluationTally(0)
    for (let n = 0; n < 10_000; n += 1) tally.add(part(`p${n}`, 'satisfied'))
    const details = { notAfter: '2026-01-01' }
    const policyUri = '/policies/BuildTool/late'
    tally.add({
      text: JSON.stringify({ policyUri, status: 'satisfied', details }),
      isElement: false,
    })
    expect(tally.total().reasons.dates).toEqual([
      { uri: policyUri, is: 'validity-ends', name: 'notAfter', at: Date.UTC(2026, 0, 1) },
    ])
  })

  test('weighs what makes a policy worse, most what makes it fail', () => {
    const tally = createEvaluationTally(0)
    const weights = ['satisfied', 'satisfied', 'odd', 'unsatisfied', 'unsatisfied'].map(
      (status) => tally.add(part('a', status))[0]?.weight,
    )
    expect(weights).toEqual([2.5, 1, 3, 3, 1])
  })

  test('answers the results as they were written, one to a line', () => {
    const tally = createEvaluationTally(0)
    const pretty =
      '{\n  "policyUri": "/p",\r\n  "status": "satisfied", "n": 12345678901234567890\n}'
    const texts = (written: string) => tally.add(line(written)).map(({ text }) => text)
    expect(texts(pretty)).toEqual([
      '{   "policyUri": "/p",   "status": "satisfied", "n": 12345678901234567890 }',
    ])
    expect(texts('no "JSON')).toEqual(['"no \\"JSON"'])
    expect(texts('x'.repeat(5000))[0]).toHaveLength(1002)
    expect(tally.total()).toMatchObject({ results: 1, unreadable: 2, isBroken: false })
  })
})

/** What the record, the page, the gate and a board make of the same response. */
async function readByAll(type: string, text: string) {
  const response = (): Response =>
    new Response(text, { headers: { 'content-type': type, 'content-length': '1' } })
  const bytes = (async function* () {
    await Promise.resolve()
    yield new TextEncoder().encode(text)
  })()
  const tally = createEvaluationTally(0)
  const kept: string[] = []
  for await (const one of readResponseParts({ pieces: bytes, isCut: () => false }, type)) {
    kept.push(...tally.add(one).map((stored) => stored.text))
  }
  const page = { results: 0, unreadable: 0 }
  for await (const parts of readScanAnswer(response())) {
    for (const { results, unreadable } of parts) {
      page.results += results.length
      page.unreadable += unreadable
    }
  }
  const gate = await readResults(response(), 'the service')
  const board = await evaluateForBoard(() => Promise.resolve(response()), {
    now: () => 0,
    onReading: () => undefined,
    require: [],
  })
  const { results, unreadable } = tally.total()
  return {
    kept,
    counts: {
      record: { results, unreadable },
      page,
      gate: { results: gate.results.length, unreadable: gate.unreadable },
      board:
        board.is === 'done'
          ? { results: board.outcome.results, unreadable: board.outcome.unreadable }
          : board.is,
    },
  }
}

function allOf(results: number, unreadable: number) {
  const one = { results, unreadable }
  return { record: one, page: one, gate: one, board: one }
}

describe('a result in which a name comes twice is none, whoever reads it', () => {
  const good = result('good', 'satisfied')
  const twice = '{"policyUri":"/policies/BuildTool/a","status":"unsatisfied","status":"satisfied"}'
  const escaped = twice.replace('"status"', String.raw`"st\u0061tus"`)
  const deep = result('a', 'satisfied').replace('}', ',"details":{"m":[{"x":1,"y":":","x":2}]}}')

  test.each([twice, escaped, deep])('%s', async (odd) => {
    for (const [type, text] of [
      ['application/json', `[${good},\n ${odd}]`],
      ['application/x-ndjson', `${good}\n${odd}\n`],
    ] as const) {
      const { kept, counts } = await readByAll(type, text)
      expect(counts).toEqual(allOf(1, 1))
      // So it is read in the record as well.
      expect(typeof JSON.parse(kept[1] ?? '')).toBe('string')
    }
  })
})

test.each([
  ['ends', undefined],
  ['breaks off', new Error('socket hang up')],
])('a board reads on behind a problem, until the response %s', async (_, fault) => {
  const lines = [
    result('good', 'satisfied'),
    JSON.stringify({ title: 'Unavailable', status: 503, detail: 'A store is down.' }),
    result('bad', 'unsatisfied'),
  ]
  let isCanceled = false
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const next = lines.shift()
      if (next !== undefined) controller.enqueue(encoder.encode(`${next}\n`))
      else if (fault === undefined) controller.close()
      else controller.error(fault)
    },
    cancel: () => {
      isCanceled = true
    },
  })
  const headers = { 'content-type': 'application/x-ndjson' }
  const ending = await evaluateForBoard(
    async () => Promise.resolve(new Response(body, { headers })),
    {
      now: () => 0,
      onReading: () => undefined,
      require: [],
    },
  )
  expect(ending).toMatchObject({ is: 'broken', problem: { detail: 'A store is down.' } })
  expect([lines, isCanceled]).toEqual([[], false])
})

describe('all who read a response count the same', () => {
  const [good, bad] = [result('good', 'satisfied'), result('bad', 'unsatisfied')]
  const list = (values: string, more = ''): string =>
    `{"storeUri":"/s","evaluations":[${values}]${more}}`

  test.each([
    ['a list in a list', `[[${good}]]`, 0, 1],
    ['the oldest form in a list', `[${good},{"results":[${list(bad)}]}]`, 1, 1],
    ['an error beside evaluations', `{"results":[${list(good, ',"error":"cut"')}]}`, 1, 1],
    ['a reason for no evaluations', `{"results":[${list(good)},${list('', ',"x":"y"')}]}`, 1, 1],
    ['that before its list', `{"results":[{"error":"e","evaluations":[${good}]}]}`, 1, 1],
    ['what says nothing beside evaluations', `{"results":[${list(good, ',"x":"y"')}]}`, 1, 0],
    ['an entry without evaluations', `{"results":[${list(bad)},{"storeUri":"/t"}]}`, 1, 1],
    ['evaluations that are null', `{"results":[{"evaluations":null},${list(bad)}]}`, 1, 1],
    ['an entry that is a text', `{"results":["x",${list(`${bad},${good}`)}]}`, 2, 1],
  ])('%s', async (_, text, results, unreadable) => {
    const { counts } = await readByAll('application/json', text)
    expect(counts).toEqual(allOf(results, unreadable))
  })
})
