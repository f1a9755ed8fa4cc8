import { afterEach, expect, test } from 'vitest'
import { createManualClock, type ManualClock } from '../protocol/manual-clock.test-support.ts'
import { evaluate, evaluateWhenAvailable, type Evaluating, type Evaluation } from './evaluate.ts'
import { createServiceSource } from './scan-source.ts'
import {
  type Answering,
  sendArray,
  sendProblem,
  type SpecServer,
  specResult,
  startSpecServer,
} from './spec-server.test-support.ts'
import type { Subject } from './subject.ts'
import { fetchWhole } from './server-request.ts'

// Over a socket, with a clock that is moved by hand.

let server: SpecServer | undefined
afterEach(async () => {
  await server?.stop()
  server = undefined
})

const subject: Subject = {
  address: { type: 'oci', name: 'checkout', version: '2.4.0' },
  purl: 'pkg:oci/checkout@2.4.0',
  scan: 'release',
  sha256: 'ab'.repeat(32),
  repositoryUrl: 'registry.example.com/shop',
}

interface Evaluated {
  readonly evaluation: Evaluation
  readonly said: readonly string[]
  /** By the clock that is moved by hand, ms. */
  readonly tookMs: number
}

/** Evaluates; whenever it says that it waits, the clock is moved on by as much as it wants. */
async function evaluated(
  answering: Answering,
  told: Partial<Evaluating> & { readonly waitMs?: number } = {},
): Promise<Evaluated> {
  server = await startSpecServer(answering)
  const clock = createManualClock(1000)
  const said: string[] = []
  const evaluating: Evaluating = {
    source: createServiceSource(
      { to: 'service', url: new URL(server.url), credential: undefined },
      { fetch: fetchWhole, clock, version: '0' },
    ),
    clock,
    random: () => 0.5,
    log: (line) => {
      said.push(line)
      waitIsOver(clock)
    },
    timeoutMs: 300_000,
    signal: new AbortController().signal,
    ...told,
  }
  const { waitMs = 0 } = told
  const evaluation = await (waitMs === 0
    ? evaluate(subject, evaluating)
    : evaluateWhenAvailable(subject, evaluating, waitMs))
  // No timer is left behind that would keep a process alive.
  expect(clock.pending()).toBe(0)
  return { evaluation, said, tookMs: clock.now() - 1000 }
}

/** Once the wait that was announced has begun. */
function waitIsOver(clock: ManualClock): void {
  queueMicrotask(() => {
    if (clock.pending() === 0) waitIsOver(clock)
    else while (clock.pending() > 0) clock.advance(1000)
  })
}

const good: Answering = (answer) => {
  sendArray(answer, [specResult('BuildTool/a', 'satisfied')])
}

test('a busy service is polled with growing pauses, until the time is over', async () => {
  const { evaluation, said, tookMs } = await evaluated((answer) => {
    sendProblem(answer, 429, 'Too many.')
  })
  expect(said.slice(0, 3)).toEqual([
    'Too many. Retrying in 2 s.',
    'Too many. Retrying in 3 s.',
    'Too many. Retrying in 5 s.',
  ])
  expect(evaluation).toMatchObject({ is: 'refused', problem: { status: 429 } })
  const message = evaluation.is === 'refused' ? evaluation.problem.message : ''
  expect(message).toMatch(/^Too many\. Gave up after \d+ attempts \(--timeout 5 min\)\.$/)
  expect(tookMs).toBeLessThanOrEqual(300_000)
  expect(tookMs).toBeGreaterThan(250_000)
})

test('each attempt says how long it is waited for', async () => {
  const { tookMs } = await evaluated(
    (answer, request, attempt) => {
      if (attempt === 1) sendProblem(answer, 503, 'Busy.', { 'retry-after': '100' })
      else good(answer, request, attempt)
    },
    { timeoutMs: 600_000 },
  )
  expect(tookMs).toBeGreaterThanOrEqual(100_000)
  const waits = server?.requests.map(({ prefer }) => prefer)
  expect(waits).toEqual(['wait=600', `wait=${(600_000 - tookMs) / 1000}`])
})

test('a Retry-After beyond the time is not waited for', async () => {
  const { said, tookMs } = await evaluated((answer) => {
    sendProblem(answer, 503, 'Closed.', { 'retry-after': '3600' })
  })
  expect([said, tookMs]).toEqual([[], 0])
})

test.each([
  [500, 3],
  [502, 3],
  [504, 3],
  [400, 1],
  [401, 1],
  [403, 1],
  [404, 1],
  [302, 1],
])('an answer of %d is requested %d times', async (status, times) => {
  const { evaluation } = await evaluated((answer) => {
    sendProblem(answer, status, 'No.')
  })
  expect(evaluation).toMatchObject({ is: 'refused', problem: { status } })
  expect(server?.requests).toHaveLength(times)
})

test('a page of somebody else is no answer, and none of it is shown', async () => {
  const { evaluation } = await evaluated((answer) => {
    answer.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    answer.end('<h1>Sign in</h1>')
  })
  expect(evaluation).toMatchObject({ is: 'answered', results: [] })
  const broken = evaluation.is === 'answered' ? evaluation.broken?.message : ''
  expect(broken).toContain('Got a web page instead of a response from the policy service')
  expect(server?.requests).toHaveLength(1)
})

test('nothing at all is no JSON, but no lines are no results', async () => {
  const nothing =
    (type: string): Answering =>
    (answer) => {
      answer.writeHead(200, { 'content-type': type }).end()
    }
  const unreadable = async (type: string): Promise<unknown> =>
    (await evaluated(nothing(type))).evaluation
  expect(await unreadable('application/json')).toMatchObject({ results: [], unreadable: 1 })
  await server?.stop()
  expect(await unreadable('application/x-ndjson')).toMatchObject({ results: [], unreadable: 0 })
})

test('what arrived before a break is kept when nothing better comes', async () => {
  const { evaluation } = await evaluated((answer, _, attempt) => {
    if (attempt > 1) {
      sendProblem(answer, 500, 'Gone.')
      return
    }
    answer.writeHead(200, { 'content-type': 'application/x-ndjson' })
    const line = JSON.stringify(specResult('PackageUrl/a', 'unsatisfied'))
    answer.write(`${line}\n{"policy`, () => answer.destroy())
  })
  expect(evaluation).toMatchObject({
    is: 'answered',
    results: [{ status: 'unsatisfied' }],
    unreadable: 0,
    broken: { status: 503 },
  })
})

test('a break is made good by an answer that is whole', async () => {
  const { evaluation } = await evaluated((answer, request, attempt) => {
    if (attempt > 1) good(answer, request, attempt)
    else answer.destroy()
  })
  expect(evaluation).toMatchObject({ is: 'answered', broken: undefined })
})

test('a problem among the results breaks the answer off', async () => {
  const { evaluation, said } = await evaluated((answer) => {
    answer.writeHead(200, { 'content-type': 'application/x-ndjson' })
    answer.write(`${JSON.stringify(specResult('BuildTool/a', 'satisfied'))}\n`)
    answer.end('{"title": "Internal Server Error", "status": 500, "detail": "The store is gone"}\n')
  })
  expect(evaluation).toMatchObject({ unreadable: 0, broken: { message: 'The store is gone' } })
  expect(said[0]).toMatch(/^The store is gone\. Retrying in /)
})

test('an interrupt ends the waiting at once', async () => {
  const interrupt = new AbortController()
  const { evaluation } = await evaluated(
    (answer) => {
      sendProblem(answer, 429, 'Too many.')
    },
    {
      signal: interrupt.signal,
      log: () => {
        interrupt.abort()
      },
    },
  )
  expect(evaluation).toMatchObject({
    is: 'refused',
    problem: { problem: { title: 'Interrupted' } },
  })
  expect(server?.requests).toHaveLength(1)
})

test.each<[string, object[], number]>([
  ['nothing', [], 2],
  ['nothing that applies', [specResult('BuildTool/a', 'not-applicable')], 2],
  [
    'the existence of attestations alone',
    [specResult('AttestationsExist/a', 'unsatisfied'), specResult('BuildTool/a', 'satisfied')],
    2,
  ],
  [
    'something else as well',
    [specResult('AttestationsExist/a', 'unsatisfied'), specResult('PackageUrl/a', 'unsatisfied')],
    1,
  ],
  ['a word that is not known', [specResult('BuildTool/a', 'deferred')], 1],
])('with --wait, an answer that finds %s is requested %d times', async (_, results, times) => {
  const { evaluation } = await evaluated(
    (answer, request, attempt) => {
      if (attempt === 1) sendArray(answer, results)
      else good(answer, request, attempt)
    },
    { waitMs: 60_000 },
  )
  expect(server?.requests).toHaveLength(times)
  expect(evaluation.is).toBe('answered')
})

test('with --wait, the last request is sent when the time is over, and no later', async () => {
  const { evaluation, tookMs } = await evaluated(
    (answer) => {
      sendProblem(answer, 404, "Policy scan 'release' not found")
    },
    { waitMs: 60_000 },
  )
  expect(evaluation).toMatchObject({ is: 'refused', problem: { status: 404 } })
  expect(tookMs).toBeGreaterThanOrEqual(60_000)
  expect(tookMs).toBeLessThan(62_000)
})
