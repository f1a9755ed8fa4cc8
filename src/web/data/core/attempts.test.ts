import { expect, test } from 'vitest'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import {
  type Attempt,
  type AttemptOptions,
  attempts,
  type AttemptWait,
  isBusy,
  shouldRetry,
} from './attempts.ts'

function fault(status: number, retryAfterMs?: number): ProblemError {
  const detail = problem(status, 'x', 'X', 'x')
  return new ProblemError(detail, retryAfterMs === undefined ? {} : { retryAfterMs })
}

function setUp(
  work: (attempt: Attempt, number: number) => Promise<string>,
  options: Partial<AttemptOptions> = {},
) {
  const clock = createManualClock()
  const control = new AbortController()
  const waits: AttemptWait[] = []
  let made = 0
  const result = attempts(
    (attempt) => {
      made += 1
      return work(attempt, made)
    },
    {
      clock,
      random: () => 0,
      signal: control.signal,
      onWait: (wait) => waits.push(wait),
      ...options,
    },
  )
  result.catch(() => undefined)
  /** Lets what is under way come to its end, and time pass. */
  async function pass(ms = 0): Promise<void> {
    for (let turn = 0; turn < 10; turn++) await Promise.resolve()
    clock.advance(ms)
    for (let turn = 0; turn < 10; turn++) await Promise.resolve()
  }
  return { clock, control, waits, result, pass, made: () => made }
}

test('what succeeds is attempted once', async () => {
  const { result, waits, made } = setUp(() => Promise.resolve('done'))
  expect(await result).toBe('done')
  expect([waits, made()]).toEqual([[], 1])
})

test('the waits grow, and what they wait for is reported', async () => {
  const { clock, result, waits, pass } = setUp(
    (_, number) => (number < 4 ? Promise.reject(fault(503)) : Promise.resolve('done')),
    { random: () => 1 },
  )
  const from = clock.now()
  await pass()
  await pass(2000)
  await pass(4000)
  await pass(8000)
  expect(await result).toBe('done')
  expect(waits.map(({ until, failures }) => [until - from, failures])).toEqual([
    [2000, 1],
    [6000, 2],
    [14_000, 3],
  ])
})

test('Retry-After is never undercut, and `retry:` replaces the shortest wait', async () => {
  const asked = setUp(() => Promise.reject(fault(429, 60_000)))
  await asked.pass(59_999)
  expect(asked.made()).toBe(1)
  await asked.pass(1)
  expect(asked.made()).toBe(2)
  const retried = setUp((attempt) => {
    attempt.retryAfter(5000)
    return Promise.reject(fault(503))
  })
  await retried.pass(4999)
  expect(retried.made()).toBe(1)
  await retried.pass(1)
  expect(retried.made()).toBe(2)
})

test('failures before progress do not count', async () => {
  const { waits, pass } = setUp((attempt, number) => {
    if (number === 3) attempt.progressed()
    return Promise.reject(fault(502))
  })
  for (let times = 0; times < 3; times++) await pass(60_000)
  expect(waits.map(({ failures }) => failures)).toEqual([1, 2, 1, 2])
})

test('it is given up after so many attempts, or where another one would not help', async () => {
  const many = setUp(() => Promise.reject(fault(503)), { most: 2 })
  await many.pass(60_000)
  await expect(many.result).rejects.toThrow(fault(503))
  expect(many.made()).toBe(2)
  const refused = setUp(() => Promise.reject(fault(400)))
  await expect(refused.result).rejects.toThrow(fault(400))
  expect(refused.made()).toBe(1)
})

test('an abort ends the wait, and no attempt follows', async () => {
  const { control, clock, result, pass, made } = setUp(() => Promise.reject(fault(503)))
  await pass()
  control.abort(new Error('left'))
  await expect(result).rejects.toThrow('left')
  await pass(60_000)
  expect([made(), clock.pending()]).toEqual([1, 0])
})

test('an error that is no problem is a fault of the page', async () => {
  const { result } = setUp(() => Promise.reject(new TypeError('oops')), { mayRetry: isBusy })
  await expect(result).rejects.toThrow('Sightline failed to read the response.')
})

test.each([
  [429, 'urn:sightline:problem:x', true],
  [503, 'about:blank', true],
  [503, 'urn:sightline:problem:offline', false],
  [503, 'urn:sightline:problem:unreachable', false],
  [502, 'about:blank', false],
])('%i of type %s is busy: %s', (status, type, isIt) => {
  expect(isBusy(new ProblemError({ type, title: 'x', status }))).toBe(isIt)
})

test('a credential or a permission that a server refuses is shown at once, a fault is tried again', () => {
  const refused = (upstreamStatus: number): ProblemError =>
    new ProblemError(problem(502, 'x', 'X', 'x', { upstreamStatus }))
  expect([401, 403, 500].map((status) => shouldRetry(0, refused(status)))).toEqual([
    false,
    false,
    true,
  ])
  expect([401, 403, 404, 500].map((status) => shouldRetry(0, fault(status)))).toEqual([
    false,
    false,
    false,
    true,
  ])
  expect([0, 1, 2].map((failures) => shouldRetry(failures, fault(503)))).toEqual([
    true,
    true,
    false,
  ])
})
