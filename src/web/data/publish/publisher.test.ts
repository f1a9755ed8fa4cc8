import type { RequestListener } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { type AnsweringServer, answeringServer } from '../scans/policy-scan.test-support.ts'
import type { PublishView } from './publisher.ts'
import { type WatchedPublisher, watchPublisher } from './publish.test-support.ts'

/** Publications by a server that answers as badly as it is shown to. */

let server: AnsweringServer | undefined

afterEach(async () => {
  await server?.stop()
  server = undefined
})

const question = {
  address: { type: 'oci', name: 'checkout', version: '2.4.0' },
  sha256: 'ab'.repeat(32),
  repositoryUrl: 'registry.acme.example/shop',
  builds: ['aaaaaaaaaaaa1'],
  queries: ['project:checkout'],
}

async function serve(answer: RequestListener): Promise<WatchedPublisher> {
  const started = await answeringServer(answer)
  server = started
  return watchPublisher((path, init) => fetch(`${started.origin}${path}`, init))
}

/** A result as `{status, details}`, with the address it is fetched at. */
function line(status: string, predicateType: string): string {
  const details = { storeName: 'evidence', storeType: 's3', predicateType }
  return `${JSON.stringify({ status, attestationUri: '/packages/oci/checkout/2.4.0/sha256:ab/attestations/s3:evidence/1', details })}\n`
}

const ndjson = { 'content-type': 'application/x-ndjson' }
const isOver = ({ endedAt }: { readonly endedAt: number | undefined }): boolean =>
  endedAt !== undefined
const problemOf = ({ state }: PublishView): string =>
  'problem' in state ? state.problem.message : ''

test('results are shown while they arrive, and a part that says nothing is counted', async () => {
  let go = (): void => undefined
  const { publisher, until } = await serve((_request, response) => {
    response.writeHead(200, ndjson)
    response.write(line('SUCCESS', 'https://t/1'))
    go = () => response.end(`no json\n{}\n${line('FAILED', 'https://t/2')}`)
  })
  publisher.publish(question)
  const first = await until(({ stored }) => stored === 1)
  expect(first.state.is).toBe('reading')
  expect(first.outcomes[0]).toMatchObject({ predicateType: 'https://t/1', stored: true })
  go()
  const view = await until(isOver)
  expect(view.state.is).toBe('done')
  expect([view.outcomes.length, view.stored, view.unreadable]).toEqual([2, 1, 2])
  expect(server?.requests.map(({ accept }) => accept?.split(',')[0])).toEqual([
    'application/x-ndjson',
  ])
  expect(JSON.parse(server?.requests[0]?.body ?? '')).toEqual({
    sha256: question.sha256,
    repositoryUrl: question.repositoryUrl,
    buildScan: { ids: question.builds, queries: question.queries },
  })
})

const stored = {
  storeType: 's3',
  storeUri: 'https://s3.example.com',
  storeResponse: { predicate_type: 'https://t/1' },
}
const refused = {
  storeType: 'artifactory',
  storeUri: 'https://store.example.com',
  storeResponse: { status: 403, message: 'Forbidden' },
}

test.each([
  ['an array', [stored, stored], 2, null],
  ['lists', { request: {}, successes: [stored], errors: [refused] }, 1, null],
  ['a word for the whole', { status: 'SUCCESS' }, 0, 'success'],
])('%s in one piece is read as well', async (_name, body, count, status) => {
  const { publisher, until } = await serve((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  publisher.publish(question)
  const view = await until(isOver)
  expect([view.state.is, view.stored, view.status, view.unreadable]).toEqual([
    'done',
    count,
    status,
    0,
  ])
})

test('a partial failure says what exists now, also where it holds megabytes of envelopes', async () => {
  const large = {
    ...stored,
    storeRequest: { uri: 'https://s3.example.com/1', body: 'x'.repeat(3e6) },
  }
  const { publisher, until } = await serve((_request, response) => {
    const problem = { title: 'Internal Server Error', status: 500, detail: 'Some failed.' }
    response
      .writeHead(500, { 'content-type': 'application/problem+json' })
      .end(JSON.stringify({ ...problem, successes: [large], errors: [refused] }))
  })
  publisher.publish(question)
  const view = await until(isOver)
  expect(view.state).toMatchObject({
    is: 'refused',
    problem: { status: 500, message: 'Some failed.' },
  })
  expect(view.outcomes.map((one) => [one.stored, one.storeUri, one.message])).toEqual([
    [true, 'https://s3.example.com/1', null],
    [false, 'https://store.example.com', 'Forbidden'],
  ])
})

test('a failure in the last line of an answer is one, with all its details', async () => {
  const { publisher, until } = await serve((_request, response) => {
    const problem = { title: 'Internal Server Error', status: 500, detail: 'A store is down.' }
    response
      .writeHead(200, ndjson)
      .end(
        `${line('SUCCESS', 'https://t/1')}${JSON.stringify({ ...problem, errors: [refused] })}\n`,
      )
  })
  publisher.publish(question)
  const view = await until(isOver)
  expect([view.state.is, view.stored, view.outcomes.length]).toEqual(['refused', 1, 2])
})

/** As the service's reference has them: paths of three attestations of the package. */
const attestations = ['tool', 'jdk', 'repositories'].map(
  (id) => `/packages/oci/checkout/2.4.0/sha256:${'ab'.repeat(32)}/attestations/s3:evidence/${id}`,
)

function policyResults(): readonly object[] {
  const [tool, jdk, repositories] = attestations
  const result = (name: string, status: string, attestationUri: string | null | undefined) => ({
    labels: { severity: 'high' },
    status,
    policyUri: `/policies/BuildTool/${name}`,
    policyDescription: 'Described.',
    policyRemediation: status === 'satisfied' ? '' : 'Upgrade.',
    attestationUri,
    sourcedFromUri: 'https://builds.example.com/s/aaaaaaaaaaaa1',
    details: {},
  })
  return [
    result('supported', 'satisfied', tool),
    result('approved', 'unsatisfied', tool),
    result('jdk', 'satisfied', jdk),
    result('repositories', 'satisfied', repositories),
    result('keys', 'not-applicable', null),
  ]
}

const inStore = (name: string) => ({
  storeType: 's3',
  storeUri: 'https://store.example.com/evidence',
  storeRequest: { uri: `https://store.example.com/evidence/${name}.json`, body: {} },
  storeResponse: { name: `${name}.json`, predicate_type: 'https://gradle.com/a/v1' },
})

test.each<[string, string, string, readonly string[], number]>([
  [
    'an array of policy results',
    'application/json',
    JSON.stringify(policyResults()),
    attestations,
    0,
  ],
  [
    'policy results, one a line',
    'application/x-ndjson',
    policyResults()
      .map((result) => `${JSON.stringify(result)}\n`)
      .join(''),
    attestations,
    0,
  ],
  [
    'one policy result',
    'application/json',
    JSON.stringify(policyResults()[0]),
    attestations.slice(0, 1),
    0,
  ],
  [
    'a status with the name of a store',
    'application/json',
    JSON.stringify({ status: 'SUCCESS', details: { storeName: 'evidence' } }),
    ['evidence'],
    0,
  ],
  [
    'a status with the URI of an attestation alone',
    'application/json',
    JSON.stringify({ status: 'SUCCESS', attestationUri: attestations[0] }),
    attestations.slice(0, 1),
    0,
  ],
  [
    'an array of statuses',
    'application/json',
    JSON.stringify([
      { status: 'SUCCESS', details: { storeName: 'evidence' } },
      { status: 'FAILED', details: { storeName: 'archive' } },
    ]),
    ['evidence'],
    1,
  ],
  [
    'the request with successes and errors',
    'application/json',
    JSON.stringify({
      request: { sha256: question.sha256 },
      successes: [inStore('tool'), inStore('jdk')],
      errors: [
        { storeType: 'af', storeUri: 'https://af.example.com', storeResponse: { status: 403 } },
      ],
    }),
    ['https://store.example.com/evidence/tool.json', 'https://store.example.com/evidence/jdk.json'],
    1,
  ],
  [
    'successes that are policy results or URIs, and errors that are problems',
    'application/json',
    JSON.stringify({
      request: {},
      successes: [...policyResults().slice(0, 3), attestations[2]],
      errors: [{ title: 'Forbidden', status: 403, detail: 'No write permission.' }],
    }),
    attestations,
    1,
  ],
])(
  'an answer that is %s names what is stored, each attestation once',
  async (_, type, body, uris, refusals) => {
    const { publisher, until } = await serve((_request, response) => {
      // In pieces, as networks give them.
      response.writeHead(200, { 'content-type': type })
      for (let at = 0; at < body.length; at += 61) response.write(body.slice(at, at + 61))
      response.end()
    })
    publisher.publish(question)
    const view = await until(isOver)
    expect(view.state.is).toBe('done')
    const { outcomes, unreadable } = view
    expect(outcomes.filter(({ stored }) => stored).map(({ storeUri }) => storeUri)).toEqual(uris)
    expect([view.stored, outcomes.length - view.stored, unreadable]).toEqual([
      uris.length,
      refusals,
      0,
    ])
  },
)

test('what arrived before a cut stays, and nothing is sent again', async () => {
  let cut = (): void => undefined
  const { publisher, until } = await serve((_request, response) => {
    response.writeHead(200, ndjson)
    response.write(line('SUCCESS', 'https://t/1'))
    cut = () => response.destroy()
  })
  publisher.publish(question)
  await until(({ stored: count }) => count === 1)
  cut()
  const view = await until(isOver)
  expect([view.state.is, view.stored]).toEqual(['broken', 1])
  expect(problemOf(view)).toContain('The connection broke')
  expect(server?.requests).toHaveLength(1)
})

test('the last line before a cut says why', async () => {
  const { publisher, until } = await serve((_request, response) => {
    response.writeHead(200, ndjson)
    const why = { type: 'x', title: 'Incomplete response', status: 502, detail: 'Signed out.' }
    response.write(`${line('SUCCESS', 'https://t/1')}${JSON.stringify(why)}\n`, () => {
      response.destroy()
    })
  })
  publisher.publish(question)
  const view = await until(isOver)
  expect([view.state.is, view.stored, problemOf(view)]).toEqual(['broken', 1, 'Signed out.'])
})

test('a cancelled one keeps what is stored, and lets go of the connection', async () => {
  let left: Promise<unknown> = Promise.resolve()
  const { publisher, until } = await serve((_request, response) => {
    left = new Promise((resolve) => response.once('close', resolve))
    response.writeHead(200, ndjson).write(line('SUCCESS', 'https://t/1'))
  })
  publisher.publish(question)
  await until(({ stored: count }) => count === 1)
  publisher.publish({ ...question, builds: [] })
  publisher.clear()
  publisher.cancel()
  await left
  const view = publisher.getSnapshot()
  expect([view.state.is, view.stored, view.question]).toEqual(['cancelled', 1, question])
  expect(server?.requests).toHaveLength(1)
  publisher.clear()
  expect(publisher.getSnapshot().question).toBeUndefined()
})

test('a busy service is not requested again by itself', async () => {
  const { publisher, until } = await serve((_request, response) => {
    response
      .writeHead(429, { 'content-type': 'application/problem+json', 'retry-after': '3' })
      .end(JSON.stringify({ title: 'Too Many Requests', status: 429, detail: 'Busy.' }))
  })
  publisher.publish(question)
  const { state, outcomes } = await until(isOver)
  expect(state).toMatchObject({ is: 'refused', problem: { status: 429, retryAfterMs: 3000 } })
  expect([outcomes, server?.requests.length]).toEqual([[], 1])
})

test('a server that is gone is no answer', async () => {
  const { publisher, until } = await serve((_request, response) => {
    response.destroy()
  })
  publisher.publish(question)
  const { state } = await until(isOver)
  expect(state).toMatchObject({ is: 'refused', problem: { status: 503 } })
})
