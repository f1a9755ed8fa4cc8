import { afterEach, describe, expect, test } from 'vitest'
import { type Fault, parseFaults } from './faults.ts'
import { seed } from './seed.test-support.ts'
import { serve, type Serving } from './serving.test-support.ts'

test.each<[string, string, readonly Fault[]]>([
  [
    'the compact text of the issue is understood',
    'cut-after=2000,status=503x3, silence,slow=10/s',
    [
      { kind: 'cut', afterBytes: 2000 },
      { kind: 'status', status: 503, times: 3 },
      { kind: 'silence' },
      { kind: 'slow', bytesPerSecond: 10 },
    ],
  ],
  [
    'every fault can be limited to some requests and to paths',
    'silencex2@/build-export/v2,slow=5/s@/api,cut-after=1x9,status=429',
    [
      { kind: 'silence', times: 2, prefix: '/build-export/v2' },
      { kind: 'slow', bytesPerSecond: 5, prefix: '/api' },
      { kind: 'cut', afterBytes: 1, times: 9 },
      { kind: 'status', status: 429 },
    ],
  ],
  ['an empty text is no fault', ' , ', []],
])('%s', (_, text, faults) => {
  expect(parseFaults(text)).toEqual({ ok: true, faults })
})

test('every error is reported', () => {
  const text =
    'cut-after,cut-after=0,cut-after=1e3,status=200,status=many,slow=10,slow=0/s,loud,silencex0,silence@api'
  const parsed = parseFaults(text)
  expect(parsed.ok).toBe(false)
  expect(parsed.ok ? [] : parsed.mistakes.map((mistake) => mistake.split(': ')[0])).toEqual(
    text.split(','),
  )
})

const all = '/build-export/v2/builds/since/0'
const live = `${all}?stream`

describe('an answer with a fault', () => {
  let serving: Serving
  afterEach(() => serving.stop())

  async function spoiltBy(...faults: Fault[]): Promise<void> {
    serving = await serve({ faults, heartbeatMs: 1000 })
    await serving.addAll(seed)
  }

  /** The bytes of an answer until it ends or its connection is lost. */
  async function received(answer: Response): Promise<{ bytes: number; lost: boolean }> {
    let bytes = 0
    try {
      for await (const piece of answer.body ?? []) bytes += piece.length
      return { bytes, lost: false }
    } catch {
      return { bytes, lost: true }
    }
  }

  const uncompressed = { headers: { 'Accept-Encoding': 'identity' } }

  test.each([
    [all, 1],
    [all, 300],
    [live, 300],
  ])('%s is cut after %i bytes, as if the network had failed', async (path, afterBytes) => {
    await spoiltBy({ kind: 'cut', afterBytes })
    const answer = await serving.request(path, uncompressed)
    expect(answer.status).toBe(200)
    expect(await received(answer)).toEqual({ bytes: afterBytes, lost: true })
    await expect.poll(() => serving.clock.pending()).toBe(0)
  })

  test('an answer that is shorter than the cut is whole', async () => {
    await spoiltBy({ kind: 'cut', afterBytes: 1_000_000 })
    expect((await received(await serving.request(all))).lost).toBe(false)
  })

  test('a status is answered so many times, with the time to wait', async () => {
    await spoiltBy(
      { kind: 'status', status: 503, times: 2 },
      { kind: 'status', status: 429, times: 1 },
    )
    const answers = []
    for (let n = 0; n < 4; n += 1) answers.push(await serving.request(all))
    expect(answers.map((answer) => answer.status)).toEqual([503, 503, 429, 200])
    expect(answers.map((answer) => answer.headers.get('Retry-After'))).toEqual([
      '1',
      '1',
      '1',
      null,
    ])
    expect(answers[0]?.headers.get('Content-Type')).toBe('application/problem+json')
  })

  test('only paths with the prefix are spoilt', async () => {
    await spoiltBy({ kind: 'status', status: 500, prefix: '/api' })
    expect((await serving.request('/api/version')).status).toBe(500)
    expect((await serving.request(all)).status).toBe(200)
  })

  test('silence sends headers and then nothing, not even comments', async () => {
    await spoiltBy({ kind: 'silence', times: 1 })
    const silent = await serving.stream(live)
    expect(silent.response.status).toBe(200)
    const healthy = await serving.stream(live)
    await healthy.until(4)
    await expect.poll(() => serving.clock.pending()).toBe(1)
    serving.clock.advance(10_000)
    await healthy.until(5)
    expect(silent.seen).toEqual([])
    silent.hangUp()
    await silent.ended
  })

  test('slow sends a few bytes at a time', async () => {
    await spoiltBy({ kind: 'slow', bytesPerSecond: 100 })
    const answer = await serving.request(all, uncompressed)
    const reader = answer.body?.getReader()
    for (let tenths = 0; tenths < 3; tenths += 1) {
      await expect.poll(() => serving.clock.pending()).toBe(1)
      serving.clock.advance(99)
      expect(serving.clock.pending()).toBe(1)
      serving.clock.advance(1)
      expect((await reader?.read())?.value).toHaveLength(10)
    }
    await reader?.cancel()
    await expect.poll(() => serving.clock.pending()).toBe(0)
  })
})
