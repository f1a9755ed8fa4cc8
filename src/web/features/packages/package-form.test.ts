import { expect, test } from 'vitest'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import { withReference } from '../../domain/package/package-fields.tsx'
import { emptyFields, readForm } from './package-form.tsx'
import { refusalText, refusedAt } from './package-refusal.ts'

const hex = 'ab'.repeat(32)
const image = `registry.acme.example/shop/checkout:2.4.0@sha256:${hex}`

test('every error is shown at once, each at its field', () => {
  const read = readForm({ ...emptyFields, reference: 'x', sha256: 'xyz' })
  expect(read.ok ? [] : Object.keys(read.mistakes)).toEqual([
    'reference',
    'sha256',
    'repositoryUrl',
    'scan',
  ])
})

test('an image fills in its digest and registry, and only the scan is left to fill in', () => {
  const fields = withReference(emptyFields, image)
  expect(fields).toEqual({
    reference: image,
    sha256: hex,
    repositoryUrl: 'registry.acme.example/shop',
    scan: '',
  })
  expect(readForm({ ...fields, scan: 'release' })).toMatchObject({
    ok: true,
    address: { type: 'oci', name: 'checkout', version: '2.4.0' },
  })
})

test('what was typed is not replaced, and what a reference filled in goes with it', () => {
  const typed = withReference({ ...emptyFields, repositoryUrl: 'mirror.example' }, image)
  expect(typed).toMatchObject({ repositoryUrl: 'mirror.example', sha256: hex })
  expect(withReference(typed, 'com.acme:shop:1')).toMatchObject({
    repositoryUrl: 'mirror.example',
    sha256: '',
  })
})

function fault(status: number, detail: string, more: Record<string, unknown> = {}): ProblemError {
  return new ProblemError({ type: 'about:blank', title: 'Title', status, detail, ...more })
}

test.each([
  [fault(502, 'x', { upstreamStatus: 401 }), 'Your administrator must renew them'],
  [
    fault(502, 'x', { upstreamStatus: 403 }),
    'ask an administrator of the policy service for the permission',
  ],
  [
    fault(403, 'Access to this resource is forbidden'),
    'ask an administrator of the policy service',
  ],
  [new ProblemError(problem(401, 'signed-out', 'Signed out', 'x')), 'Sign in and try again'],
  [fault(404, "Policy scan 'x' not found"), 'ask the policy administrator'],
  [fault(400, 'Bad criteria'), 'next to the field'],
  [fault(429, 'busy'), 'Try again in a minute'],
  [fault(500, 'An error occurred: the store'), 'send the details below'],
  [
    new ProblemError(problem(503, 'offline', 'Offline', 'You are offline.')),
    'when the connection is back',
  ],
])('%s says who can do what next', (error, words) => {
  const text = refusalText('nightly', error)
  expect(text.meaning).toContain(words)
  expect(text.detail).toContain(error.message)
})

test('the wait that a busy service requests is shown', () => {
  const error = new ProblemError(
    { type: 'about:blank', title: 'x', status: 429, detail: 'busy' },
    { retryAfterMs: 6_500 },
  )
  expect(refusalText('nightly', error).meaning).toContain('in 7 s')
})

test('an unknown scan is said at its field', () => {
  expect(Object.keys(refusedAt(fault(404, "Policy scan 'x' not found")))).toEqual(['scan'])
  expect(refusedAt(fault(404, 'x', { type: 'urn:sightline:problem:no-governor' }))).toEqual({})
})

test.each([
  ['Invalid request content. Bad criteria (sha256 or repositoryUrl).', ['sha256', 'repositoryUrl']],
  ['Bad criteria (sha256 must be 64 hexadecimal digits).', ['sha256']],
  ['Bad criteria (repositoryUrl is missing).', ['repositoryUrl']],
  ['Something else.', ['reference']],
])('“%s” is said at %j', (detail, fields) => {
  const refused = refusedAt(fault(400, detail))
  expect(Object.keys(refused)).toEqual(fields)
  expect(Object.values(refused).every((text) => text.includes(detail))).toBe(true)
})
