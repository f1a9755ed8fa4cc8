import { createVerify } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { pae } from '../../../attestation/signatures/pae.ts'
import { readPolicyAnswer } from '../../../protocol/policy-result.ts'
import { readPublishAnswer } from '../../../protocol/publish-answer.ts'
import { hasAttestations } from '../../store/attestations.ts'
import {
  type GovernorServing,
  json,
  repositoryUrl,
  serveGovernor,
  sha256,
} from './governor-serving.test-support.ts'

// Each promise of docs/services.md#policy-service, on a socket.

let governor: GovernorServing
beforeAll(async () => {
  governor = await serveGovernor()
})
afterAll(() => governor.serving.stop())

const criteria = { sha256, repositoryUrl }
const Published = z.array(
  z.looseObject({
    status: z.string(),
    attestationUri: z.string(),
    sourcedFromUri: z.string().nullable(),
    details: z.looseObject({ storeName: z.string(), predicateType: z.string() }),
  }),
)
/** What the vendor's Publish Action reads of an answer. */
const StoreExchanges = z.object({
  request: z.looseObject({ pkg: z.looseObject({ version: z.string() }) }),
  successes: z.array(
    z.object({
      storeType: z.string(),
      storeUri: z.string(),
      storeRequest: z.object({ uri: z.string(), body: z.looseObject({ payload: z.string() }) }),
      storeResponse: z.looseObject({ predicate_type: z.string(), uri: z.string() }),
    }),
  ),
})
/** A result as in docs/services.md#policy-result: no member may be left out, none is unknown. */
const WireResult = z.strictObject({
  labels: z.record(z.string(), z.string()),
  status: z.enum(['satisfied', 'unsatisfied', 'not-applicable']),
  policyUri: z.string().regex(/^\/policies\/\w+\/[\w.-]+$/),
  policyDescription: z.string().min(1),
  policyRemediation: z.string(),
  attestationUri: z.string().nullable(),
  sourcedFromUri: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
})
const Problem = z.looseObject({
  type: z.literal('about:blank'),
  title: z.string(),
  status: z.number(),
  detail: z.string(),
})

const forbidden = {
  type: 'about:blank',
  title: 'Forbidden',
  status: 403,
  detail: 'Access to this resource is forbidden',
}

function buildOf(project: string): string {
  const [newest] = governor.builds.get(project) ?? []
  if (newest === undefined) throw new Error(`no build of ${project}`)
  return newest
}

async function publishOf(path: string, project: string): Promise<z.infer<typeof Published>> {
  const body = { ...criteria, buildScan: { ids: [buildOf(project)] } }
  const answer = await governor.serving.request(`${path}/attestations`, json(body))
  expect(answer.status).toBe(200)
  return Published.parse(await answer.json())
}

describe.each([
  ['with a namespace', '/packages/maven/com.acme.shop/checkout/2.4.0'],
  ['without a namespace', '/packages/oci/checkout/2.4.0'],
  ['with an encoded namespace', '/packages/golang/github.com%2Facme/checkout/v2.4.0'],
])('a package %s', (_, path) => {
  test('is published, evaluated, and its attestations are fetched where they say they are', async () => {
    const published = await publishOf(path, 'checkout')
    expect(published.map(({ status }) => status)).toEqual(published.map(() => 'SUCCESS'))
    expect(readPublishAnswer(published)).toMatchObject({ unreadable: 0, status: 'success' })
    for (const { attestationUri, details } of published) {
      expect(attestationUri).toMatch(new RegExp(`^${path}/sha256:${sha256}/attestations/(af|s3):`))
      const fetched = await governor.serving.request(attestationUri)
      expect(fetched.status).toBe(200)
      expect(fetched.headers.get('Content-Type')).toBe('application/json')
      const statement = await verifiedStatement(await fetched.json())
      expect(statement).toMatchObject({
        _type: 'https://in-toto.io/Statement/v1',
        predicateType: details.predicateType,
        subject: [{ digest: { sha256 } }],
      })
    }

    const answer = await governor.serving.request(`${path}/policy-scans/release`, json(criteria))
    const { results, unreadable } = readPolicyAnswer(await answer.json())
    expect(unreadable).toBe(0)
    const byPolicy = new Map(results.map((result) => [result.policyUri, result.status]))
    expect(byPolicy.get('/policies/PackageUrl/no-known-vulnerable')).toBe('satisfied')
    expect(byPolicy.get('/policies/TrustedPublicKeys/release-keys')).toBe('satisfied')
    expect(byPolicy.get('/policies/AttestationsExist/provenance-present')).toBe('satisfied')
    const evaluated = results.filter(({ attestationUri }) => attestationUri !== null)
    for (const { attestationUri } of evaluated) {
      expect(published.map((one) => one.attestationUri)).toContain(attestationUri)
    }
  })
})

/** The statement of an envelope, once its signature holds for the signer's key. */
async function verifiedStatement(value: unknown): Promise<unknown> {
  const { payload, payloadType, signatures } = z
    .object({
      payload: z.string(),
      payloadType: z.literal('application/vnd.in-toto+json'),
      signatures: z.tuple([z.object({ keyid: z.string(), sig: z.string() })]),
    })
    .parse(value)
  const bytes = Buffer.from(payload, 'base64')
  const [{ keyid, sig }] = signatures
  expect(keyid).toBe(governor.signer.keyid)
  const signed = createVerify('sha256').update(pae(payloadType, bytes))
  expect(signed.verify(governor.signer.publicPem, Buffer.from(sig, 'base64'))).toBe(true)
  return Promise.resolve(JSON.parse(bytes.toString('utf8')))
}

describe('what a scan finds', () => {
  test.each([
    [
      'payments',
      '/policies/PackageUrl/no-known-vulnerable',
      { vulnerablePackage: 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1' },
    ],
    [
      'warehouse',
      '/policies/ResolvedDependenciesRepositories/approved-repositories',
      { uris: ['https://repo1.maven.org/maven2/'] },
    ],
  ])('%s fails %s, and it is said by what', async (project, policy, details) => {
    const path = `/packages/maven/com.acme/${project}/1.0.0`
    await publishOf(path, project)
    const answer = await governor.serving.request(`${path}/policy-scans/release`, json(criteria))
    const { results } = readPolicyAnswer(await answer.json())
    expect(results.find(({ policyUri }) => policyUri === policy)).toMatchObject({
      status: 'unsatisfied',
      details,
      labels: { 'policy.acme.example/owner': 'security' },
    })
    expect(results.find(({ policyUri }) => policyUri === policy)?.remediation).not.toBe('')
  })

  test('without attestations most policies do not apply, and existence is missed', async () => {
    const path = '/packages/npm/@acme/nothing/1.0.0'
    const answer = await governor.serving.request(`${path}/policy-scans/release`, json(criteria))
    const { results } = readPolicyAnswer(await answer.json())
    expect(new Set(results.map(({ status }) => status))).toEqual(
      new Set(['not-applicable', 'unsatisfied']),
    )
    expect(results.every(({ attestationUri }) => attestationUri === null)).toBe(true)
  })

  test('what to do is said of failures alone, and every result has all its members', async () => {
    const path = '/packages/maven/com.acme/payments/2.0.0'
    await publishOf(path, 'payments')
    for (const scan of ['build', 'release', 'production', 'RELEASE']) {
      const answer = await governor.serving.request(`${path}/policy-scans/${scan}`, json(criteria))
      const results = z.array(WireResult).parse(await answer.json())
      expect(results.length).toBeGreaterThan(2)
      for (const { status, policyRemediation } of results) {
        if (status === 'satisfied') expect(policyRemediation).toBe('')
        if (status === 'unsatisfied') expect(policyRemediation).not.toBe('')
      }
    }
  })

  test('dependencies are scored by an attestation of their own, with all that the score is made of', async () => {
    const path = '/packages/maven/com.acme/payments/2.1.0'
    const published = await publishOf(path, 'payments')
    const insights = published.find(({ details }) => details.predicateType.includes('insights'))
    const answer = await governor.serving.request(`${path}/policy-scans/production`, json(criteria))
    const { results } = readPolicyAnswer(await answer.json())
    expect(
      results.find(({ policyUri }) => policyUri.includes('/DependencyScoring/')),
    ).toMatchObject({
      attestationUri: insights?.attestationUri,
      details: { overallScore: 100, baseline: 70, tier: 'Gold', nextTier: null, overdue: [] },
    })
  })

  test('another digest or repository is another artifact', async () => {
    const path = '/packages/oci/checkout/2.4.0'
    const other = json({ sha256: 'a'.repeat(64), repositoryUrl })
    const answer = await governor.serving.request(`${path}/policy-scans/release`, other)
    const { results } = readPolicyAnswer(await answer.json())
    expect(results.some(({ attestationUri }) => attestationUri !== null)).toBe(false)
  })
})

describe('bodies and answers', () => {
  const path = '/packages/oci/forms/1'

  test.each([
    ['form', () => new URLSearchParams()],
    ['multipart', () => new FormData()],
  ])('a %s body publishes as JSON does', async (_, make) => {
    const body = make()
    body.append('sha256', sha256)
    body.append('repositoryUrl', repositoryUrl)
    body.append('buildScan.ids', buildOf('payments'))
    const answer = await governor.serving.request(`${path}/attestations`, { method: 'POST', body })
    expect(answer.status).toBe(200)
    expect(Published.parse(await answer.json()).length).toBeGreaterThan(3)
    const scan = make()
    scan.append('sha256', sha256)
    scan.append('repositoryUrl', repositoryUrl)
    const url = `${path}/policy-scans/build`
    expect((await governor.serving.request(url, { method: 'POST', body: scan })).status).toBe(200)
  })

  test('a client of the vendor, which takes any type and sends both lists, reads store by store', async () => {
    const buildScan = { ids: [buildOf('checkout')], queries: [] }
    const url = `${path}/attestations`
    const any = { Accept: '*/*' }
    const answer = await governor.serving.request(url, json({ ...criteria, buildScan }, any))
    expect(answer.status).toBe(200)
    const { request, successes } = StoreExchanges.parse(await answer.json())
    expect(request).toMatchObject({
      pkg: { type: 'oci', name: 'forms', version: '1' },
      criteria: { sha256, repositoryUrl, buildScan },
    })
    expect(successes.length).toBeGreaterThan(3)
    for (const { storeRequest, storeResponse } of successes) {
      const statement = await verifiedStatement(storeRequest.body)
      expect(statement).toMatchObject({ predicateType: storeResponse.predicate_type })
      expect((await governor.serving.request(storeResponse.uri)).status).toBe(200)
    }
  })

  test.each([
    ['a client that takes JSON', { Accept: 'application/json' }, {}],
    ['a client that says nothing of types and selects by id', { Accept: '*/*' }, { ids: [] }],
    [
      'problem details too',
      { Accept: 'application/json, application/problem+json' },
      { ids: [], queries: [] },
    ],
  ])('%s reads results of the specification', async (_, headers, buildScan) => {
    const url = `${path}/attestations`
    const answer = await governor.serving.request(url, json({ ...criteria, buildScan }, headers))
    expect(Published.parse(await answer.json())).toHaveLength(1)
  })

  test('queries select builds, in the advanced search language', async () => {
    const ids = governor.builds.get('payments') ?? []
    const body = { ...criteria, buildScan: { queries: ['project:payments'] } }
    const answer = await governor.serving.request(
      '/packages/oci/queried/1/attestations',
      json(body),
    )
    const published = Published.parse(await answer.json())
    const sources = published.map(({ sourcedFromUri }) => sourcedFromUri?.slice(-13))
    expect([...new Set(sources)].filter((id) => id !== undefined).sort()).toEqual([...ids].sort())
  })

  test.each([
    ['publish', `${path}/attestations`],
    ['evaluate', `${path}/policy-scans/release`],
  ])('%s answers a line for each result where NDJSON is requested', async (_, url) => {
    const init = json(criteria, { Accept: 'application/x-ndjson' })
    const answer = await governor.serving.request(url, init)
    expect(answer.headers.get('Content-Type')).toBe('application/x-ndjson')
    const lines = (await answer.text()).trimEnd().split('\n')
    const buffered = await governor.serving.request(url, json(criteria))
    const all: unknown = await buffered.json()
    expect(lines).toHaveLength(Array.isArray(all) ? all.length : -1)
    for (const line of lines) expect(JSON.parse(line)).toHaveProperty('status')
  })

  test('fetch answers one line where NDJSON is requested', async () => {
    const [first] = await publishOf(path, 'checkout')
    const headers = { Accept: 'application/x-ndjson' }
    const fetched = await governor.serving.request(first?.attestationUri ?? '', { headers })
    expect(fetched.headers.get('Content-Type')).toBe('application/x-ndjson')
    expect((await fetched.text()).trimEnd().split('\n')).toHaveLength(1)
  })
})

describe('errors', () => {
  const path = '/packages/oci/checkout/2.4.0'
  const scan = `${path}/policy-scans/release`
  const attestation = (digest: string, instance: string, id: string): string =>
    `${path}/${digest}/attestations/${instance}/${id}`
  const digest = `sha256:${sha256}`
  const nobody = { Authorization: '' }
  const bob = { Authorization: `Basic ${Buffer.from('bob:b').toString('base64')}` }
  const wrong = { Authorization: `Basic ${Buffer.from('bob:c').toString('base64')}` }

  test.each([
    ['a bad sha256', scan, json({ sha256: 'x', repositoryUrl }), 400, 'Bad criteria (sha256'],
    [
      'a bad repository',
      scan,
      json({ sha256, repositoryUrl: 'a b' }),
      400,
      'Bad criteria (repositoryUrl',
    ],
    ['a bad publication', `${path}/attestations`, json({}), 400, 'Invalid request content.'],
    [
      'a body that is no JSON',
      scan,
      { method: 'POST', body: '{', headers: { 'Content-Type': 'application/json' } },
      400,
      "isn't valid JSON",
    ],
    [
      'an unknown build',
      `${path}/attestations`,
      json({ ...criteria, buildScan: { ids: ['aaaaaaaaaaaaa'] } }),
      400,
      'build aaaaaaaaaaaaa not found',
    ],
    [
      'a query that cannot be read',
      `${path}/attestations`,
      json({ ...criteria, buildScan: { queries: ['projct:x'] } }),
      400,
      'projct',
    ],
    [
      'no credential to evaluate',
      scan,
      json(criteria, nobody),
      401,
      'Full authentication is required to access this resource',
    ],
    [
      'no credential to publish',
      `${path}/attestations`,
      json(criteria, nobody),
      401,
      'Full authentication',
    ],
    [
      'no credential to fetch',
      attestation(digest, 'af:evidence', 'x'),
      { headers: nobody },
      401,
      'Full authentication',
    ],
    ['a wrong password', scan, json(criteria, wrong), 401, 'Full authentication'],
    [
      'a package of others to evaluate',
      scan,
      json(criteria, bob),
      403,
      'Access to this resource is forbidden',
    ],
    [
      'a package of others to publish',
      `${path}/attestations`,
      json(criteria, bob),
      403,
      'forbidden',
    ],
    [
      'a package of others to fetch',
      attestation(digest, 'af:evidence', 'x'),
      { headers: bob },
      403,
      'forbidden',
    ],
    [
      'an unknown scan',
      `${path}/policy-scans/nope`,
      json(criteria),
      404,
      "Policy scan 'nope' not found",
    ],
    [
      'an unknown attestation',
      attestation(digest, 'af:evidence', 'bm9uZQ'),
      {},
      404,
      'No attestation found matching request.',
    ],
    [
      'an unknown store',
      attestation(digest, 's3:other', 'bm9uZQ'),
      {},
      404,
      'No attestation found matching request.',
    ],
    ['a bad digest', attestation('sha256:12', 'af:evidence', 'x'), {}, 400, 'digest'],
    ['a bad instance', attestation(digest, 'gs:evidence', 'x'), {}, 400, 'instance'],
  ] satisfies [string, string, RequestInit, number, string][])(
    '%s',
    async (_, url, init, status, part) => {
      const answer = await governor.serving.request(url, init)
      expect(answer.status).toBe(status)
      expect(answer.headers.get('Content-Type')).toBe('application/problem+json')
      const problem = Problem.parse(await answer.json())
      expect(problem.status).toBe(status)
      expect(problem.title).toBe(STATUS_CODES[status])
      expect(problem.detail).toContain(part)
    },
  )

  test('bob may read what is his, and an attestation of another package is none of it', async () => {
    const maven = '/packages/maven/com.acme/own/1'
    const answer = await governor.serving.request(
      `${maven}/policy-scans/build`,
      json(criteria, bob),
    )
    expect(answer.status).toBe(200)
    const [first] = await publishOf(path, 'checkout')
    const moved = first?.attestationUri.replace(path, maven) ?? ''
    expect((await governor.serving.request(moved, { headers: bob })).status).toBe(404)
  })
})

describe('a repository of others', () => {
  const path = '/packages/oci/promoted/1'
  const scan = `${path}/policy-scans/build`
  const eve = { Authorization: `Basic ${Buffer.from('eve:e').toString('base64')}` }
  const secret = 'registry.acme.example/secret'

  test.each([
    ['the one that was named', repositoryUrl, 200],
    ['another spelling of it', `https://Registry.acme.example:443/shop/`, 200],
    ['one below a pattern', 'registry.acme.example/public/a/b', 200],
    ['another', secret, 403],
    ['another by way of one that may be read', 'registry.acme.example/public/../secret', 403],
    ['one whose name begins alike', `${repositoryUrl}-secret`, 403],
    ['the same path on another host', 'evil.example/registry.acme.example/shop', 403],
  ])('%s', async (_, repository, status) => {
    const fields = { sha256, repositoryUrl: repository }
    const form = (body: FormData | URLSearchParams): RequestInit => {
      for (const [name, value] of Object.entries(fields)) body.append(name, value)
      return { method: 'POST', body, headers: eve }
    }
    for (const url of [`${path}/attestations`, scan]) {
      for (const init of [
        json(fields, eve),
        json(fields, { ...eve, Accept: 'application/x-ndjson' }),
        form(new URLSearchParams()),
        form(new FormData()),
      ]) {
        const answer = await governor.serving.request(url, init)
        expect(answer.status).toBe(status)
        if (status === 200) continue
        expect(answer.headers.get('Content-Type')).toBe('application/problem+json')
        expect(Problem.parse(await answer.json())).toEqual(forbidden)
      }
    }
  })

  test('the same error is returned whether or not the scan, the builds or the attestation exist', async () => {
    const others = { sha256, repositoryUrl: secret }
    const bodies = [others, { ...others, buildScan: { ids: ['aaaaaaaaaaaaa'] } }]
    const published = await governor.serving.request(`${path}/attestations`, json(others))
    const [stored] = Published.parse(await published.json())
    const uri = stored?.attestationUri ?? ''
    const requests: [string, RequestInit][] = [
      ...bodies.map((body): [string, RequestInit] => [`${path}/attestations`, json(body, eve)]),
      [`${path}/policy-scans/nope`, json(others, eve)],
      [scan, json(others, eve)],
      [uri, { headers: eve }],
      [uri.replace(/[^/]+$/, 'bm9uZQ'), { headers: eve }],
      [uri.replace(sha256, 'a'.repeat(64)), { headers: eve }],
      [uri.replace('/promoted/', '/elsewhere/'), { headers: eve }],
      [uri.replace('af:evidence', 's3:archive'), { headers: eve }],
    ]
    for (const [url, init] of requests) {
      const answer = await governor.serving.request(url, init)
      expect(Problem.parse(await answer.json()), url).toEqual(forbidden)
      expect(answer.status).toBe(403)
    }
    expect((await governor.serving.request(uri)).status).toBe(200)
  })

  test('an attestation can be fetched by those who may read its repository, and no other is listed', async () => {
    await governor.serving.request(
      `${path}/attestations`,
      json({ sha256, repositoryUrl: secret, buildScan: { ids: [buildOf('checkout')] } }),
    )
    const mine = (await publishOf(path, 'payments')).map((one) => one.attestationUri)
    for (const uri of mine) {
      expect((await governor.serving.request(uri, { headers: eve })).status).toBe(200)
    }
    const listed = await governor.serving.request(`${path}/policy-scans/build`, json(criteria, eve))
    const { results } = readPolicyAnswer(await listed.json())
    const evidence = results.flatMap((one) => one.attestationUri ?? [])
    expect(evidence.length).toBeGreaterThan(0)
    for (const uri of evidence) expect(mine).toContain(uri)
  })

  test('what can be said without a look at what is stored is said as to anybody', async () => {
    const digest = `sha256:${sha256}`
    for (const [url, status] of [
      [`${path}/${digest}/attestations/s3:other/x`, 404],
      [`${path}/${digest}/attestations/gs:evidence/x`, 400],
      [`${path}/sha256:12/attestations/af:evidence/x`, 400],
    ] as const) {
      expect((await governor.serving.request(url, { headers: eve })).status).toBe(status)
    }
    const unknown = await governor.serving.request(`${path}/policy-scans/nope`, json(criteria, eve))
    expect(unknown.status).toBe(404)
  })
})

describe('a service in trouble', () => {
  test('a database that fails is a service that cannot be reached, whatever was requested', async () => {
    const failing = await serveGovernor({ history: 1 })
    await failing.database.kysely.schema.dropTable('attestations').execute()
    const path = '/packages/oci/a/1'
    for (const [url, init] of [
      [`${path}/policy-scans/release`, json(criteria)],
      [`${path}/attestations`, json(criteria)],
    ] satisfies [string, RequestInit][]) {
      const answer = await failing.serving.request(url, init)
      expect(answer.status).toBe(500)
      const { detail, title } = Problem.parse(await answer.json())
      expect(title).toBe('Internal Server Error')
      expect(detail).toMatch(
        /^An error occurred while trying to communicate with an external service: /,
      )
      expect(detail).not.toContain('attestations')
      const streamed = await failing.serving.request(url, {
        ...init,
        headers: { 'Content-Type': 'application/json', Accept: 'application/x-ndjson' },
      })
      expect(streamed.status).toBe(500)
    }
    await failing.serving.stop()
  })

  test('a pool without a free place answers 429, with a time to come back', async () => {
    const small = await serveGovernor({ poolSize: 0 })
    const answer = await small.serving.request(
      '/packages/oci/a/1/policy-scans/release',
      json(criteria),
    )
    expect(answer.status).toBe(429)
    expect(answer.headers.get('Retry-After')).toBe('1')
    expect(Problem.parse(await answer.json()).detail).toContain('too many requests')
    await small.serving.stop()
  })

  test('who publishes waits for a free place, and learns after 30 s that nothing was stored', async () => {
    const small = await serveGovernor({ poolSize: 0, history: 1 })
    const { clock } = small.serving
    const before = clock.pending()
    const answering = small.serving.request('/packages/oci/a/1/attestations', json(criteria))
    await vi.waitFor(() => {
      expect(clock.pending()).toBe(before + 1)
    })
    clock.advance(30_000)
    const answer = await answering
    expect(answer.status).toBe(500)
    expect(answer.headers.get('Content-Type')).toBe('application/problem+json')
    const { status, detail } = Problem.parse(await answer.json())
    expect(status).toBe(500)
    expect(detail).toMatch(
      /^An error occurred while trying to communicate with an external service: no connection/,
    )
    expect(await hasAttestations(small.database)).toBe(false)

    const gone = new AbortController()
    const leaving = small.serving.request('/packages/oci/a/1/attestations', {
      ...json(criteria),
      signal: gone.signal,
    })
    await vi.waitFor(() => {
      expect(clock.pending()).toBe(before + 1)
    })
    gone.abort()
    await expect(leaving).rejects.toThrow()
    await vi.waitFor(() => {
      expect(clock.pending()).toBe(before)
    })
    await small.serving.stop()
  })

  test('a store that is down makes a partial failure that lists what is stored', async () => {
    const broken = await serveGovernor({
      instances: [{ name: 'af:evidence' }, { name: 's3:archive', isDown: true }],
    })
    const [id] = broken.builds.get('checkout') ?? []
    const body = { ...criteria, buildScan: { ids: [id] } }
    const url = '/packages/oci/a/1/attestations'
    const answer = await broken.serving.request(url, json(body))
    expect(answer.status).toBe(500)
    const { outcomes } = readPublishAnswer(await answer.json())
    expect(outcomes.filter(({ stored }) => !stored)).toMatchObject([
      { storeType: 's3', message: "Can't reach the store s3:archive." },
    ])
    const stored = outcomes.filter((outcome) => outcome.stored)
    expect(stored.length).toBeGreaterThan(3)
    for (const { storeUri } of stored) {
      expect((await broken.serving.request(storeUri)).status).toBe(200)
    }
    const streamed = await broken.serving.request(
      url,
      json(body, { Accept: 'application/x-ndjson' }),
    )
    const lines = (await streamed.text()).trimEnd().split('\n')
    const streamedOutcomes = readPublishAnswer(lines.map((line) => JSON.parse(line) as unknown))
    expect(streamedOutcomes.outcomes.filter((outcome) => !outcome.stored)).toHaveLength(1)
    await broken.serving.stop()
  })
})
