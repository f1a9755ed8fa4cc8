import { expect, onTestFinished, test, vi } from 'vitest'
import { isProblemType, isRetryable, problem, ProblemDetail, ProblemError } from './problem.ts'
import { retryAfterMs } from './back-off.ts'

test('a problem keeps members beyond the standard ones and needs no type', () => {
  expect(ProblemDetail.parse({ title: 'Half done', status: 500, successes: [1] })).toEqual({
    type: 'about:blank',
    title: 'Half done',
    status: 500,
    successes: [1],
  })
})

test('the standard members of an own problem cannot be overwritten by the further ones', () => {
  expect(problem(404, 'no-such-page', 'Not found', 'No such page.', { status: 200 }).status).toBe(
    404,
  )
})

test('the sentence of a problem is its detail, else its title', () => {
  expect(new ProblemError({ type: 'x', title: 'T', status: 500, detail: 'D.' }).message).toBe('D.')
  expect(new ProblemError({ type: 'x', title: 'T', status: 500 }).message).toBe('T')
})

test.each([
  ['application/problem+json', true],
  ['Application/Problem+JSON; charset=utf-8', true],
  ['application/json', false],
  [null, false],
])('the media type %s announces a problem: %s', (type, expected) => {
  expect(isProblemType(type)).toBe(expected)
})

test.each([
  [429, true],
  [503, true],
  [504, true],
  [400, false],
  [401, false],
  [404, false],
])('trying again after %i may help: %s', (status, expected) => {
  expect(isRetryable(status)).toBe(expected)
})

const now = Date.parse('2026-01-02T03:04:05Z')

test.each([
  ['7', 7000],
  ['0', 0],
  ['Fri, 02 Jan 2026 03:04:15 GMT', 10_000],
  ['Fri, 02 Jan 2026 03:04:00 GMT', 0],
  ['-5', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['', undefined],
  [null, undefined],
])('Retry-After: %s means a wait of %s ms', (header, ms) => {
  expect(retryAfterMs((name) => (name === 'date' ? null : header), now)).toBe(ms)
})

test('a Retry-After with a date is read by the clock that wrote it', () => {
  const headers = new Headers({
    date: 'Fri, 02 Jan 2026 03:24:05 GMT',
    'retry-after': 'Fri, 02 Jan 2026 03:24:10 GMT',
  })
  expect(retryAfterMs((name) => headers.get(name), now)).toBe(5000)
})

test('a Retry-After in a date without a zone is in UTC wherever it is read', () => {
  vi.stubEnv('TZ', 'America/New_York')
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })
  const header = (name: string) => (name === 'date' ? null : 'Fri Jan  2 03:04:15 2026')
  expect(retryAfterMs(header, now)).toBe(10_000)
})

test.each([
  ['No write permission in the repository', 'No write permission in the repository.'],
  ['Busy. ', 'Busy.'],
  ['Try again…', 'Try again…'],
])('“%s” can be followed by another sentence', (detail, sentence) => {
  expect(new ProblemError(problem(500, 'x', 'Title', detail)).sentence).toBe(sentence)
})
