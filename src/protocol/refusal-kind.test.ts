import { expect, test } from 'vitest'
import { problem, ProblemError } from './problem.ts'
import { refusalKind, type RefusalKind } from './refusal-kind.ts'

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
  ['a 404', ofService(404), 'not-found'],
  ['a 400', ofService(400), 'mistaken'],
  ['a 429', ofService(429), 'busy'],
  ['a device that is offline', ofSightline(503, 'offline'), 'unheard'],
  ['a proxy that is not there', ofSightline(503, 'unreachable'), 'unheard'],
  ['a 500', ofService(500), 'failed'],
  ['a 503 of the service', ofService(503), 'failed'],
])('%s is told apart', (_, fault, kind) => {
  expect(refusalKind(fault)).toBe(kind)
})
