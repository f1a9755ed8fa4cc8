import { expect, test } from 'vitest'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import { judge } from './stream-verdict.ts'

const fault = (status: number, code = 'x'): ProblemError =>
  new ProblemError(problem(status, code, 'Title', 'A sentence.'))

test.each([408, 425, 429, 500, 502, 503, 504])('%i is tried again', (status) => {
  expect(judge(fault(status), false)).toMatchObject({ kind: 'retry', reason: 'A sentence.' })
})

test.each([400, 403, 404, 405, 406, 410, 413, 421])('%i is final', (status) => {
  expect(judge(fault(status), false)).toEqual({
    kind: 'end',
    happening: { type: 'refused', reason: 'A sentence.' },
  })
})

test('204 completes the stream, and a plain end is tried again', () => {
  expect(judge(fault(204), false)).toEqual({ kind: 'end', happening: { type: 'complete' } })
  expect(judge(undefined, false)).toMatchObject({ kind: 'retry' })
})

test('401 renews the session once, and not where there is none to be had', () => {
  const signedOut = { kind: 'end', happening: { type: 'signed-out', reason: 'A sentence.' } }
  expect(judge(fault(401), false)).toEqual({ kind: 'renew' })
  expect(judge(fault(401), true)).toEqual(signedOut)
  expect(judge(fault(401, 'signed-out'), false)).toEqual(signedOut)
})
