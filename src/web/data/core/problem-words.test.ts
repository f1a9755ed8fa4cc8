import { expect, test } from 'vitest'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import { problemWords, refusalKind, type RefusalKind, retrySentence } from './problem-words.ts'

function ofService(status: number, more: Record<string, unknown> = {}): ProblemError {
  return new ProblemError({ type: 'about:blank', title: 'Title', status, detail: 'x', ...more })
}

function ofSightline(status: number, name: string): ProblemError {
  return new ProblemError(problem(status, name, 'Title', 'x'))
}

test.each<[string, ProblemError, RefusalKind]>([
  ['a 401 of the service', ofService(401), 'credential'],
  ['a 401 that the proxy met there', ofService(502, { upstreamStatus: 401 }), 'credential'],
  ['a 401 of the proxy', ofSightline(401, 'signed-out'), 'signed-out'],
  ['a 403', ofService(403), 'forbidden'],
  ['a 403 that the proxy met there', ofService(502, { upstreamStatus: 403 }), 'forbidden'],
  ['no service', ofSightline(404, 'no-governor'), 'no-service'],
  ['no build server', ofSightline(404, 'no-build-server'), 'no-service'],
  ['a 404', ofService(404), 'not-found'],
  ['a 400', ofService(400), 'mistaken'],
  ['a 429', ofService(429), 'busy'],
  ['a device that is offline', ofSightline(503, 'offline'), 'unheard'],
  ['a proxy that is not there', ofSightline(503, 'unreachable'), 'unheard'],
  ['a 500', ofService(500), 'failed'],
  ['a 503 of the service', ofService(503), 'failed'],
  ["a role of Sightline's own", ofSightline(403, 'no-permission'), 'own'],
  ["a fault of Sightline's database", ofSightline(500, 'database-unusable'), 'own'],
  ["too many of one's own requests", ofSightline(429, 'too-many-requests'), 'own'],
  ['too many requests to Sightline', ofSightline(503, 'busy'), 'own'],
  ['a 429 of the service without a reason', ofSightline(429, 'upstream-error'), 'busy'],
])('%s is distinguished', (_, fault, kind) => {
  expect(refusalKind(fault)).toBe(kind)
})

const requested = { action: 'show', noun: 'build k3j7', server: 'build server' }

test.each([
  [ofService(401), 'Your administrator must renew them'],
  [ofSightline(401, 'signed-out'), 'Sign in and try again'],
  [ofService(403), 'An administrator of the build server can grant it'],
  [ofService(404), 'Check the name'],
  [ofService(400), 'Correct it and try again'],
  [ofService(429), 'Try again in a minute.'],
  [ofSightline(503, 'offline'), 'when the connection is back'],
  [ofService(500), 'send the details below to your administrator'],
])('%s says who can do what next', (fault, text) => {
  const { meaning, detail } = problemWords(fault, requested)
  expect(meaning).toContain(text)
  expect(detail).toContain(fault.message)
})

test('what somebody was signed out of is still true after the sign-in', () => {
  const fault = ofSightline(401, 'signed-out')
  expect(problemWords(fault, requested).title).toBe('You were signed out of Sightline.')
})

test('a response of Sightline itself that this page cannot read takes a newer page', () => {
  const fault = ofSightline(502, 'unreadable-answer')
  const words = problemWords(fault, { ...requested, server: 'Sightline server' })
  expect(words.meaning).toBe(
    'x. Sightline may have been updated since this page was opened: reload it. If it keeps failing, send the details below to your administrator.',
  )
  expect(problemWords(fault, requested).meaning).toContain('Try again.')
})

test.each([
  ['It may be restarting. Try again.', 'It may be restarting. Try again.'],
  ['Too many people. Try again in a few seconds.', 'Too many people. Try again in a few seconds.'],
  ['detail of 503', 'detail of 503. Try again.'],
])('“%s” says once to try again', (detail, sentence) => {
  const fault = new ProblemError(problem(502, 'x', 'Title', detail))
  expect(retrySentence(fault)).toBe(sentence)
  expect(problemWords(fault, requested).meaning).toBe(
    `${sentence} If it keeps failing, send the details below to your administrator.`,
  )
})

test('the title names what was requested, and a page may say more', () => {
  const fault = ofService(404)
  expect(problemWords(fault, requested).title).toBe("Can't find build k3j7.")
  const own = { 'not-found': { meaning: 'It was deleted.' }, busy: { title: 'Busy.' } }
  expect(problemWords(fault, requested, own)).toMatchObject({
    title: "Can't find build k3j7.",
    meaning: 'It was deleted.',
  })
})

test.each([
  [6_500, '7 s'],
  [119_000, '119 s'],
  [3_600_000, '60 min'],
  [0, 'a minute'],
])('the wait is the one that the server requests: %i ms', (retryAfterMs, text) => {
  const detail = { type: 'about:blank', title: 'x', status: 429, detail: 'busy' }
  const fault = new ProblemError(detail, { retryAfterMs })
  expect(problemWords(fault, requested).meaning).toBe(`Try again in ${text}.`)
})
