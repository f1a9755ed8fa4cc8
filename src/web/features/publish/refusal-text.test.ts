import { expect, test } from 'vitest'
import { ProblemError } from '../../../protocol/problem.ts'
import { refusalText, refusedParts } from './refusal-text.ts'

const question = {
  address: { type: 'oci', name: 'app', version: '1' },
  sha256: 'ab',
  repositoryUrl: 'r.example',
  builds: [],
  queries: [],
}

function fault(status: number, detail: string, more: Record<string, unknown> = {}): ProblemError {
  return new ProblemError({ type: 'about:blank', title: 'x', status, detail, ...more })
}

test.each([
  [fault(401, 'x'), /Whoever runs Sightline must renew it/],
  [fault(502, 'x', { upstreamStatus: 401 }), /Whoever runs Sightline must renew it/],
  [fault(401, 'x', { type: 'urn:sightline:problem:session' }), /Load the page again/],
  [fault(403, 'x'), /Whoever administers the service can give it the permission/],
  [fault(429, 'x'), /Publish again in a minute/],
  [fault(500, 'The store is down.'), /The store is down\..*whoever runs the service/],
  [
    fault(503, 'x', { type: 'urn:sightline:problem:unreachable' }),
    /Whether anything was published is not known/,
  ],
  [
    fault(502, 'It refused the connection.', {
      type: 'urn:sightline:problem:upstream-unreachable',
    }),
    /It refused the connection\. Whether anything was published is not known.*Whoever runs Sightline/,
  ],
  [
    fault(504, 'x', { type: 'urn:sightline:problem:upstream-timeout' }),
    /Whether anything was published is not known/,
  ],
])('%s says who can do what next', (problem, words) => {
  expect(refusalText(question, problem).meaning).toMatch(words)
})

test.each([
  ['Invalid request content. Bad criteria (sha256 or repositoryUrl).', ['sha256', 'repositoryUrl']],
  ['Bad criteria (buildScan.ids: there is no build aaaaaaaaaaaa1).', ['builds']],
  ['buildScan.queries: no field is called projct', ['queries']],
  ['Invalid request content.', ['reference']],
])('“%s” stands at what it names', (detail, parts) => {
  expect(Object.keys(refusedParts(fault(400, detail)))).toEqual(parts)
})

test('what is no mistake of the form stands at none of its parts', () => {
  expect(refusedParts(fault(500, 'sha256'))).toEqual({})
})
