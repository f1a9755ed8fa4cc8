import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ProxyConfig } from '../protocol/proxy-config.ts'
import { Session } from '../protocol/session.ts'
import { readPackageUrl } from '../protocol/package-url.ts'
import type { App } from '../server/app.ts'
import { realClock } from '../server/real-clock.test-support.ts'
import { document, mistakes, startDescribedProxy } from './described-proxy.test-support.ts'
import { operations } from './operations.ts'
import { operationRows, templateOf } from './proxy-api.ts'

describe('the description', () => {
  test('is OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document))
    expect([valid, errors]).toEqual([true, undefined])
  })

  test('has every route of the access table, and no other', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const rows = operationRows.map(({ method, path }) => `${method} ${templateOf(path)}`)
    expect(described.sort()).toEqual(rows.sort())
    const known = new Set(operationRows.map(({ method, path }) => `${method} ${path}`))
    expect(Object.keys(operations).filter((key) => !known.has(key))).toEqual([])
  })

  test('names each operation once', () => {
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    )
    expect(new Set(ids).size).toBe(ids.length)
  })
})

test('what is not as described is seen', () => {
  const named = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  expect(mistakes(named('Waiver'), {})).not.toEqual([])
  expect(mistakes({ type: 'array', items: named('BuildSummary') }, [{}])).not.toEqual([])
})

const Id = z.looseObject({ id: z.string() })
const Waivers = z.looseObject({ waivers: z.array(Id) })
const Screens = z.looseObject({ screens: z.array(Id) })

describe('a running proxy answers as described', () => {
  let app: App
  let token = ''
  beforeAll(async () => {
    app = await startDescribedProxy()
  })
  afterAll(() => app.close())

  /** All routes that were requested. */
  const done = new Set<string>()

  /**
   * Sends a request of a route, and returns its body once all of it is as described: what is sent, and
   * what is answered, which is a problem where it is to be refused with a status.
   */
  async function answer(
    route: string,
    values: Readonly<Record<string, string>> = {},
    {
      query = '',
      body,
      refused,
    }: { readonly query?: string; readonly body?: unknown; readonly refused?: number } = {},
  ): Promise<{ readonly response: Response; readonly body: unknown }> {
    done.add(route)
    const [method = '', path = ''] = route.split(' ')
    const operation = document.paths[path]?.[method.toLowerCase()]
    const taken = operation?.requestBody?.content['application/json']?.schema
    expect([route, body !== undefined && taken === undefined]).toEqual([route, false])
    if (body !== undefined && taken !== undefined)
      expect([route, mistakes(taken, body)]).toEqual([route, []])
    const target = path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? name)
    const response = await fetch(`${app.url}${target}${query}`, {
      method,
      headers: {
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      redirect: 'manual',
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (refused !== undefined) {
      const problem: unknown = await response.json()
      expect([route, response.status, problem]).toEqual([route, refused, problem])
      const type = response.headers.get('content-type')
      expect([route, type]).toEqual([route, 'application/problem+json'])
      const schema = { $ref: '#/components/schemas/ProblemDetail' }
      expect([route, mistakes(schema, problem)]).toEqual([route, []])
      return { response, body: problem }
    }
    const described = operation?.responses[String(response.status)]
    expect([route, response.status, described === undefined]).toEqual([
      route,
      response.status,
      false,
    ])
    expect([route, response.ok ? 'ok' : await response.text()]).toEqual([route, 'ok'])
    const mediaType = response.headers.get('content-type')?.split(';')[0] ?? ''
    const content = described?.content?.[mediaType]
    if (described?.content === undefined) {
      expect([route, await response.text()]).toEqual([route, ''])
      return { response, body: undefined }
    }
    expect([route, mediaType, content === undefined]).toEqual([route, mediaType, false])
    const given = await bodyOf(response, mediaType)
    const wrong = given.map(({ event, value }) => {
      const schema =
        event === undefined
          ? (content?.['x-line'] ?? content?.schema)
          : content?.['x-events']?.[event]
      return schema === undefined ? [] : mistakes(schema, value)
    })
    expect([route, wrong.flat()]).toEqual([route, []])
    if (content?.['x-events'] !== undefined)
      expect([route, given.length > 0]).toEqual([route, true])
    return { response, body: mediaType === 'application/json' ? given[0]?.value : given }
  }

  test('on every route, and takes what is described', async () => {
    const get = async (
      path: string,
      ...more: readonly [Record<string, string>?, { query?: string }?]
    ) => (await answer(`GET ${path}`, ...more)).body
    const post = async (path: string, body: unknown, values: Record<string, string> = {}) =>
      answer(`POST ${path}`, values, { body })
    await get('/healthz')
    token = Session.parse((await post('/session', undefined)).body).token

    const config = ProxyConfig.parse(await get('/config'))
    await get('/session')
    await get('/readyz')
    await get('/metrics')
    await get('/upstream/report')
    await get('/live/builds', {}, { query: '?since=0' })
    const changed = get('/live/changes')
    await get('/live/search', {}, { query: '?query=buildOutcome:failed' })

    const buildData = '/upstream/build-data'
    const listed = await get(
      `${buildData}/api/builds`,
      {},
      {
        query: '?since=0&models=gradle-attributes',
      },
    )
    const builds = z
      .array(z.looseObject({ id: z.string(), buildToolType: z.string() }))
      .parse(listed)
    const [build] = builds.filter(({ buildToolType }) => buildToolType === 'gradle')
    const buildId = build?.id ?? ''
    await get(`${buildData}/api/version`)
    await get(`${buildData}/api/builds/groups`, {}, { query: '?by=project' })
    await get(`${buildData}/api/builds/trends`, {}, { query: '?by=project' })
    await get(`${buildData}/api/builds/{buildId}`, { buildId })
    const attributes = 'gradle-attributes'
    await get(`${buildData}/api/builds/{buildId}/{attributes}`, { buildId, attributes })
    const version = { exportVersion: 'v2' }
    await get(`${buildData}/build-export/{exportVersion}/builds/since/{date}`, {
      ...version,
      date: '0',
    })
    await get(`${buildData}/build-export/{exportVersion}/builds/sinceBuild/{buildId}`, {
      ...version,
      buildId,
    })
    await get(`${buildData}/build-export/{exportVersion}/build/{buildId}/events`, {
      ...version,
      buildId,
    })

    const offered = config.packages.find(({ scans }) => scans.length > 0)
    const { sha256 = '', repositoryUrl = '', scans: [scan = ''] = [] } = offered ?? {}
    const purl = readPackageUrl(offered?.purl ?? '')
    if (!purl.ok) throw new Error(purl.mistake)
    const { type, namespace, name, version: release = '' } = purl.purl
    const address = {
      type,
      namespace: encodeURIComponent(namespace ?? ''),
      name: encodeURIComponent(name),
      version: encodeURIComponent(release),
    }
    const places = '/upstream/governor/packages/{type}/{name}/{version}'
    const spaced = '/upstream/governor/packages/{type}/{namespace}/{name}/{version}'
    const of = namespace === undefined ? places : spaced
    const artifact = { sha256, repositoryUrl }
    const published = await post(
      `${of}/attestations`,
      { ...artifact, buildScan: { ids: [buildId] } },
      address,
    )
    expect(published.body).not.toEqual([])
    const evaluated = await post(`${of}/policy-scans/{scan}`, artifact, { ...address, scan })
    const id = evaluated.response.headers.get('sightline-evaluation') ?? ''
    const uris = z
      .array(z.looseObject({ attestationUri: z.string().nullish() }))
      .parse(evaluated.body)
    const uri = uris.find(
      ({ attestationUri }) => typeof attestationUri === 'string',
    )?.attestationUri
    const parts = /\/([^/]+)\/attestations\/([^/]+)\/([^/]+)$/.exec(uri ?? '') ?? []
    const [, digest = '', instance = '', attestation = ''] = parts
    await get(`${of}/{digest}/attestations/{instance}/{id}`, {
      ...address,
      digest,
      instance,
      id: attestation,
    })

    const evaluations = '/history/evaluations'
    await expect
      .poll(async () => {
        const list = z
          .looseObject({ evaluations: z.array(z.unknown()) })
          .parse(await get(evaluations))
        return list.evaluations.length
      })
      .toBeGreaterThan(0)
    await get(`${evaluations}/{id}`, { id })
    const path = uri?.replace(/\/[^/]+\/attestations\/.*$/, '') ?? ''
    const place = { packagePath: path, sha256, repositoryUrl, scan }
    await post(`${evaluations}/latest`, { places: [place] })
    await get('/history/bundle', {}, { query: `?run=${id}` })
    await post('/history/bundle', { title: 'Release', cells: [place] })
    const waiver = {
      ...{ packagePath: path, sha256, scan, policyUri: '/policies/BuildTool/one' },
      ...{ reason: 'A test', person: 'ann', expiresAt: realClock.now() + 86_400_000 },
    }
    const one = Id.parse((await post('/history/waivers', waiver)).body).id
    const bulk = await post('/history/waivers/bulk', {
      waivers: [{ ...waiver, reason: 'Another test' }],
    })
    const ids = Waivers.parse(bulk.body).waivers.map((each) => each.id)
    // Nobody approves a waiver of their own.
    await answer('POST /history/waivers/approve', {}, { body: { ids }, refused: 403 })
    await get('/history/waivers')
    await get('/history/waivers/unmatched')
    await post('/history/waivers/{id}/end', undefined, { id: one })
    await post('/history/waivers/end', { ids })
    const decided = await post('/history/decisions', {
      action: 'release',
      subject: { is: 'scan', ...place },
      reason: 'A test',
      newest: null,
      places: [{ ...place, run: id }],
      accepted: [
        'unsatisfied',
        'inconclusive',
        'incomplete',
        'missing',
        'required',
        'unchecked',
        'stale',
        'digest',
      ],
    })
    await get('/history/decisions')
    await get('/history/decisions/{id}', {
      id: Id.parse(decided.body).id,
    })
    await post('/history/assignments', {
      board: 'a',
      cells: ['b'],
      assignee: 'ann',
      note: '',
      dueAt: null,
    })
    await get('/history/assignments', {}, { query: '?board=a' })
    const query = { name: 'Failed', query: 'buildOutcome:failed', zone: null }
    const saved = await post('/history/queries', { ...query, shared: true })
    const savedId = { id: Id.parse(saved.body).id }
    await get('/history/queries')
    const change = { version: 1, name: 'Failed builds' }
    await post('/history/queries/{id}', change, savedId)
    const late = { ...change, name: 'Broken builds' }
    await answer('POST /history/queries/{id}', savedId, { body: late, refused: 409 })
    await post('/history/queries/{id}/delete', { version: 2 }, savedId)
    await post('/history/queries/{id}/restore', undefined, savedId)
    await post('/history/query-import', { queries: [query], runs: ['tag:ci'] })
    await post('/history/query-runs', { query: 'tag:ci', zone: null, matches: 3, isComplete: true })
    await get('/history/query-runs')
    await changed
    await post('/history/query-runs/clear', undefined)
    const failing = { project: 'a', task: ':test', className: 'A', name: 'b()' }
    const quarantined = await post('/history/quarantine', {
      test: failing,
      reason: 'Flaky',
      until: realClock.now() + 86_400_000,
    })
    await get('/history/quarantine')
    await get('/history/quarantine', {}, { query: '?format=json' })
    await get('/history/quarantine', {}, { query: '?format=csv' })
    await get('/history/quarantine', {}, { query: '?format=gradle' })
    await post('/history/quarantine/{id}/end', undefined, { id: Id.parse(quarantined.body).id })
    await post('/history/claims', { kind: 'claim', query: 'project:a' })
    await get('/history/claims')
    await post('/history/claims/end', { kind: 'claim', query: 'project:a' })
    const tiles = [{ title: 'Failed', query: 'buildOutcome:failed' }]
    const wall = { title: 'Shop', tiles, order: 'stable', group: 'none' }
    const shop = { name: 'shop' }
    await post('/history/walls/{name}', { base: 0, wall, note: '' }, shop)
    await answer('POST /history/walls/{name}', shop, {
      body: { base: 0, wall, note: 'late' },
      refused: 409,
    })
    await get('/history/walls')
    await get('/history/walls/{name}', shop)
    await post('/history/walls/{name}/delete', { base: 1 }, shop)
    await post('/history/walls/{name}/restore', { base: 2, number: 1 }, shop)
    await get('/history/deliveries')
    await answer('POST /history/deliveries/{id}/retry', { id: 'none' }, { refused: 409 })
    await get('/history/actions', {}, { query: '?scope=all' })
    await get('/history/actions/export')
    await get('/history/actions/export', {}, { query: '?format=jsonl' })
    const shown = await post('/session/activation', undefined)
    const { code, secret } = z
      .looseObject({ code: z.string(), secret: z.string() })
      .parse(shown.body)
    await post('/session/activation/claim', { secret })
    await post('/screens', { code, name: 'Lobby' })
    await post('/session/activation/claim', { secret })
    const screens = Screens.parse(await get('/screens'))
    await answer('DELETE /screens/{id}', { id: screens.screens[0]?.id ?? '' })
    await post('/upstream/build-data/api/auth/token', undefined)
    await post('/insight/caches', { buildIds: builds.map((one) => one.id) })
    await post('/insight/facts', { buildIds: builds.map((one) => one.id) })
    await get('/insight/earlier-builds', {}, { query: '?most=5' })
    await post('/insight/failures', { buildIds: builds.map((one) => one.id) })
    await post('/insight/tests', { query: '', builds: 10 })
    const cells = {
      packages: [{ address: { type, namespace, name, version: release }, ...artifact }],
    }
    await post('/upstream/board', {
      ...cells,
      scans: [scan],
      cells: [[0, 0]],
      mostInFlight: 4,
      begunMsAgo: null,
    })
    await answer('DELETE /session')

    // Somebody signs in with an identity provider, or with access tokens, in neither of which a demo runs.
    const others = [
      'GET /session/sign-in',
      'GET /session/callback',
      'GET /session/tokens',
      'POST /session/logout',
    ]
    const rows = operationRows
      .map(({ method, path }) => `${method} ${templateOf(path)}`)
      // The same with and without a namespace.
      .filter((row) => !row.includes(of === places ? `${spaced}/` : `${places}/`))
    expect([...done, ...others].sort()).toEqual(rows.sort())
  })
})

interface Given {
  /** Of server-sent events. */
  readonly event?: string
  readonly value: unknown
}

/** What a body holds: one document, a line each, or the events that have come at first. */
async function bodyOf(response: Response, mediaType: string): Promise<readonly Given[]> {
  switch (mediaType) {
    case 'application/json':
      return [{ value: await response.json() }]
    case 'application/x-ndjson':
      return (await response.text())
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => ({ value: JSON.parse(line) as unknown }))
    case 'text/event-stream':
      return eventsOf(await beginningOf(response))
    default:
      await response.arrayBuffer()
      return []
  }
}

async function beginningOf(response: Response): Promise<string> {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  while (!/^data:.*\n\n/m.test(text)) {
    const { done = true, value = '' } = (await reader?.read()) ?? {}
    text += value
    if (done) break
  }
  await reader?.cancel()
  return text
}

function eventsOf(text: string): readonly Given[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .flatMap((message) => {
      const event = /^event: ?(.*)$/m.exec(message)?.[1]
      const data = /^data: ?(.*)$/m.exec(message)?.[1]
      return event === undefined || data === undefined
        ? []
        : [{ event, value: JSON.parse(data) as unknown }]
    })
}
