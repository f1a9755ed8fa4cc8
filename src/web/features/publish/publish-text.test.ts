import { expect, test } from 'vitest'
import { ProblemError } from '../../../protocol/problem.ts'
import type { PublishOutcome } from '../../../protocol/publish-answer.ts'
import {
  nothingPublished,
  type PublishQuestion,
  type PublishView,
} from '../../data/publish/publisher.ts'
import {
  publishCaveats,
  publishSentence,
  refusalText,
  refusedParts,
  storedBefore,
} from './publish-text.ts'

function outcome(stored: boolean): PublishOutcome {
  return {
    stored,
    storeType: 's3',
    storeUri: '',
    predicateType: null,
    name: null,
    message: null,
    sourcedFromUri: null,
    envelope: undefined,
  }
}

const fault = new ProblemError({ type: 'x', title: 'x', status: 500, detail: 'It broke.' })

function view(is: PublishView['state']['is'], stored = 0, refused = 0): PublishView {
  return {
    ...nothingPublished,
    state: is === 'broken' || is === 'refused' ? { is, problem: fault } : { is },
    question: {
      address: { type: 'oci', name: 'app', version: '1' },
      sha256: 'ab',
      repositoryUrl: 'r',
      builds: [],
      queries: [],
    },
    outcomes: [
      ...Array.from({ length: stored }, () => outcome(true)),
      ...Array.from({ length: refused }, () => outcome(false)),
    ],
    stored,
  }
}

const unheard = new ProblemError({
  type: 'urn:sightline:problem:upstream-timeout',
  title: 'x',
  status: 504,
  detail: 'It sent nothing.',
})

const cut = new ProblemError({
  type: 'urn:sightline:problem:answer-broke-off',
  title: 'x',
  status: 502,
  detail: 'The session ended.',
})

const turnedDown = new ProblemError({ type: 'x', title: 'x', status: 403, detail: 'No access.' })

const fields: readonly (readonly [PublishView, string])[] = [
  [view('asking'), 'Publishing for pkg:oci/app@1: no response yet.'],
  [view('reading', 1, 1), 'Publishing for pkg:oci/app@1: 1 attestation stored so far, 1 rejected.'],
  [
    { ...view('refused'), state: { is: 'refused', problem: unheard } },
    'No response: attestations of pkg:oci/app@1 may or may not have been published.',
  ],
  [
    { ...view('refused'), state: { is: 'refused', problem: cut } },
    'Incomplete response: attestations of pkg:oci/app@1 may or may not have been published.',
  ],
  [view('done', 3), 'Published: 3 attestations of pkg:oci/app@1 stored.'],
  [view('done', 2, 1), 'Partly published: 2 attestations of pkg:oci/app@1 exist now, 1 rejected.'],
  [view('done', 0, 2), 'Not published: the stores rejected 2 attestations of pkg:oci/app@1.'],
  [
    view('refused', 1, 1),
    'Partly published: 1 attestation of pkg:oci/app@1 exists now, 1 rejected.',
  ],
  [view('refused'), 'Failed: attestations of pkg:oci/app@1 may or may not have been published.'],
  [
    { ...view('refused'), state: { is: 'refused', problem: turnedDown } },
    'Not published: no attestations of pkg:oci/app@1 are known to be stored.',
  ],
  [
    view('refused', 0, 1),
    'Not published: no attestations of pkg:oci/app@1 are known to be stored.',
  ],
  [
    view('broken'),
    'Incomplete response: attestations of pkg:oci/app@1 may or may not have been published.',
  ],
  [
    view('broken', 2),
    'Incomplete response: 2 attestations of pkg:oci/app@1 are stored for certain.',
  ],
  [
    view('cancelled'),
    'Canceled: attestations of pkg:oci/app@1 may or may not have been published.',
  ],
  [view('cancelled', 1), 'Canceled: 1 attestation of pkg:oci/app@1 is stored and will remain.'],
  [
    { ...view('done', 1), status: 'error' },
    'Partly published: 1 attestation of pkg:oci/app@1 stored, but the policy service also reports “error”.',
  ],
  [
    { ...view('done'), status: 'pending' },
    'The policy service reports “pending” for pkg:oci/app@1 without naming an attestation.',
  ],
]

test.each(fields.map(([state, text]) => [text, state] as const))('%s', (text, state) => {
  expect(publishSentence(state)?.text).toBe(text)
})

test('nothing is good unless everything is', () => {
  const tones = [view('done', 1), view('done', 1, 1), view('broken', 1), view('done')].map(
    (one) => publishSentence(one)?.tone,
  )
  expect(tones).toEqual(['good', 'bad', 'bad', 'waiting'])
})

test('a partial failure, a cut and a cancel say what stands all the same', () => {
  expect(publishCaveats(view('refused', 1, 1)).join()).toContain('exist now and remain')
  expect(publishCaveats(view('broken', 1)).join()).toContain('there may be more')
  expect(publishCaveats(view('cancelled', 1)).join()).toContain('attestations remain')
  expect(publishCaveats(view('cancelled')).join()).toContain('unknown whether anything')
  expect(publishCaveats(view('broken')).join()).toMatch(/^It broke\. It's unknown whether anything/)
  expect(publishCaveats(view('done', 1))).toEqual([])
})

const question = {
  address: { type: 'oci', name: 'app', version: '1' },
  sha256: 'ab',
  repositoryUrl: 'r.example',
  builds: [],
  queries: [],
}

function faultOf(status: number, detail: string, more: Record<string, unknown> = {}): ProblemError {
  return new ProblemError({ type: 'about:blank', title: 'x', status, detail, ...more })
}

test.each([
  [faultOf(401, 'x'), /Your administrator must renew them/],
  [faultOf(502, 'x', { upstreamStatus: 401 }), /Your administrator must renew them/],
  [faultOf(401, 'x', { type: 'urn:sightline:problem:session' }), /Sign in and publish again/],
  [faultOf(403, 'x'), /ask an administrator of the policy service for the permission/],
  [faultOf(429, 'x'), /Try again in a minute/],
  [
    faultOf(500, 'The store is down.'),
    /The store is down\. It's unknown whether anything was published\. .*the administrator of the policy service/,
  ],
  [faultOf(500, 'It failed.', { successes: [], errors: [] }), /^It failed\. If a store/],
  [faultOf(502, 'It failed. Try again later.'), /^It failed\. It's unknown/],
  [
    faultOf(503, 'x', { type: 'urn:sightline:problem:unreachable' }),
    /unknown whether anything was published/,
  ],
  [
    faultOf(502, 'It refused the connection.', {
      type: 'urn:sightline:problem:upstream-unreachable',
    }),
    /It refused the connection\. It's unknown whether anything was published\..*Your administrator/,
  ],
  [
    faultOf(504, 'x', { type: 'urn:sightline:problem:upstream-timeout' }),
    /unknown whether anything was published/,
  ],
  [
    faultOf(502, 'The session ended.', { type: 'urn:sightline:problem:answer-broke-off' }),
    /^The session ended\. It's unknown whether anything was published\.[^.]*\.$/,
  ],
])('%s says who can do what next', (problem, words) => {
  expect(refusalText(question, problem).meaning).toMatch(words)
})

test.each([
  ['Invalid request content. Bad criteria (sha256 or repositoryUrl).', ['sha256', 'repositoryUrl']],
  ['Bad criteria (buildScan.ids: build aaaaaaaaaaaa1 not found).', ['builds']],
  ['buildScan.queries: no field is called projct', ['queries']],
  ['Invalid request content.', ['reference']],
])('“%s” stands at what it names', (detail, parts) => {
  expect(Object.keys(refusedParts(faultOf(400, detail)))).toEqual(parts)
})

test('a problem that no field caused stands at no field', () => {
  expect(refusedParts(faultOf(500, 'sha256'))).toEqual({})
})

const requested: PublishQuestion = {
  address: { type: 'oci', name: 'app', version: '1' },
  sha256: 'ab',
  repositoryUrl: 'r.example',
  builds: ['aaaaaaaaaaaa1'],
  queries: [],
}

test('what was stored counts for the same artifact, whatever the builds', () => {
  const view = { ...nothingPublished, question: { ...requested, builds: [] }, stored: 6 }
  expect(storedBefore(view, requested)).toBe(6)
  expect(storedBefore(view, { ...requested, sha256: 'cd' })).toBe(0)
  expect(storedBefore(view, { ...requested, repositoryUrl: 's.example' })).toBe(0)
  expect(
    storedBefore(view, { ...requested, address: { ...requested.address, version: '2' } }),
  ).toBe(0)
  expect(storedBefore(nothingPublished, requested)).toBe(0)
})

test.each([
  [409, {}, 'The policy service rejected the request.'],
  [422, { errors: [] }, 'The policy service failed while publishing.'],
  [500, {}, 'The policy service failed while publishing.'],
])('a failure with %d and %j is titled by who did what', (status, more, title) => {
  const fault = new ProblemError({ type: 'x', title: 'x', status, detail: 'Taken.', ...more })
  expect(refusalText(question, fault).title).toBe(title)
})
