import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { z } from 'zod'
import type { Clock } from '../protocol/clock.ts'
import { decisionConcerns } from '../protocol/decision.ts'
import { readPackageUrl } from '../protocol/package-url.ts'
import { ProblemDetail, problemJson } from '../protocol/problem.ts'
import { ProxyConfig } from '../protocol/proxy-config.ts'
import { Session } from '../protocol/session.ts'
import { runs } from '../property-runs.test-support.ts'
import { check } from '../search/check.ts'
import { parse } from '../search/parse.ts'
import type { App } from '../server/app.ts'
import { realClock } from '../server/real-clock.test-support.ts'
import { document, mistakes, startDescribedProxy } from './described-proxy.test-support.ts'

// What is sent to a running proxy, held against the document: it takes what the document describes, and refuses what that excludes.

/** A body that is taken, and what stands in the path. */
interface Sample {
  readonly values?: Readonly<Record<string, string>>
  readonly body: unknown
}

/** An operation with a body. */
interface Case {
  /** What has to be there before is made first, anew for each. */
  readonly sample: () => Sample | Promise<Sample>
  /** What is answered in place of success: the code of a problem. */
  readonly answered?: string
  /** Sentences of 400 that no schema can say. */
  readonly beyond?: RegExp
  /** Its query must be one of the search language, which no schema can say either. */
  readonly hasQuery?: true
}

let app: App
let authorization = ''
let cases: Readonly<Record<string, Case>> = {}
let last = 0
/** A name that nothing has yet. */
const fresh = (name: string): string => `${name}-${(last += 1)}`

let skippedMs = 0
const clock: Clock = { ...realClock, now: () => realClock.now() + skippedMs }

/** Sends a request, a minute later where there were too many in this one. */
async function send(
  route: string,
  { values = {}, body }: Partial<Sample> = {},
  to = app,
): Promise<{ readonly status: number; readonly type: string; readonly body: string }> {
  const [method = '', path = ''] = route.split(' ')
  const target = path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? name)
  const response = await fetch(`${to.url}${target}`, {
    method,
    headers: {
      authorization,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (response.status === 429) {
    skippedMs += 60_000
    return send(route, { values, body }, to)
  }
  const type = response.headers.get('content-type')?.split(';')[0] ?? ''
  return { status: response.status, type, body: await response.text() }
}

async function made<S extends z.core.$ZodType>(
  schema: S,
  ...request: Parameters<typeof send>
): Promise<z.output<S>> {
  const answer = await send(...request)
  expect([request[0], answer.status < 300, answer]).toEqual([request[0], true, answer])
  return z.parse(schema, JSON.parse(answer.body))
}

const Id = z.looseObject({ id: z.string() })

beforeAll(async () => {
  app = await startDescribedProxy({}, '', clock)
  const { token } = await made(Session, 'POST /session')
  authorization = `Bearer ${token}`
  const config = await made(ProxyConfig, 'GET /config')
  const offered = config.packages.find(({ scans }) => scans.length > 0)
  const { sha256 = '', repositoryUrl = '', scans: [scan = ''] = [] } = offered ?? {}
  const purl = readPackageUrl(offered?.purl ?? '')
  if (!purl.ok) throw new Error(purl.mistake)
  const { type, name, version = '' } = purl.purl
  const address = { type, name, version }
  const packagePath = `/packages/${type}/${name}/${version}`
  const ofPackage = '/upstream/governor/packages/{type}/{name}/{version}'
  const artifact = { sha256, repositoryUrl }
  const place = { packagePath, ...artifact, scan }
  const builds = await made(z.array(Id), 'GET /upstream/build-data/api/builds?since=0')
  const buildIds = builds.slice(0, 3).map(({ id }) => id)
  const { code, secret } = await made(
    z.object({ code: z.string(), secret: z.string() }),
    'POST /session/activation',
  )
  await made(z.unknown(), `POST ${ofPackage}/policy-scans/{scan}`, {
    values: { ...address, scan },
    body: artifact,
  })
  await vi.waitFor(async () => {
    expect((await send('GET /history/evaluations')).body).toContain(packagePath)
  })

  const later = (): number => realClock.now() + 86_400_000
  const waiver = (): object => ({
    ...{ packagePath, sha256, scan, policyUri: '/policies/BuildTool/one' },
    ...{ reason: 'A test', person: 'ann', expiresAt: later() },
    ...{
      carriedFrom: null,
      renews: null,
      ticket: 'REL-42',
      versions: { from: '1.0', until: null },
    },
  })
  const waived = async (): Promise<Sample> => {
    const { id } = await made(Id, 'POST /history/waivers', { body: waiver() })
    return { body: { ids: [id] } }
  }
  const query = (): object => ({
    name: fresh('Failed'),
    query: 'buildOutcome:failed',
    zone: 'Europe/Paris',
  })
  const saved = async (body: object): Promise<Sample> => {
    const { id } = await made(Id, 'POST /history/queries', { body: { ...query(), shared: false } })
    return { values: { id }, body }
  }
  const tiles = [{ title: 'Failed', query: 'buildOutcome:failed', pinned: true, branch: 'main' }]
  const wall = { title: 'Shop', tiles, order: 'stable', group: 'none' }
  // One wall is enough, and few may be saved.
  const ofWall = { values: { name: 'shop' } }
  const Revisions = z.object({ revisions: z.array(z.looseObject({ number: z.int() })) })
  let newest = 0
  const savedWall = async (body: (base: number) => object): Promise<Sample> => {
    if (newest > 0) {
      const { revisions } = await made(Revisions, 'GET /history/walls/{name}', ofWall)
      newest = revisions[0]?.number ?? 0
    }
    const save = { ...ofWall, body: { base: newest, wall, note: '' } }
    const { number } = await made(
      z.looseObject({ number: z.int() }),
      'POST /history/walls/{name}',
      save,
    )
    newest = number
    return { ...ofWall, body: body(number) }
  }
  const tile = (): object => ({ query: `project:${fresh('a')}`, branch: 'main' })
  const test = (): object => ({ project: 'a', task: ':test', className: 'A', name: fresh('b') })

  const ofTime = /isn't in the future|too far ahead|must be in the future|must be within/
  const ofTile = /Tile 1: (?!(?:title|query|branch|pinned|it) )/
  const ofWaiver = new RegExp(
    `${ofTime.source}|must be the path of a package|isn't the id of|can't be compared|match nothing|ticket must be`,
  )
  // Of what is forwarded the service behind says more.
  const ofService = /Bad criteria/
  cases = {
    'POST /session/activation/claim': { sample: () => ({ body: { secret } }) },
    'POST /screens': {
      // A code is good for once, and few may be tried.
      sample: () => ({ body: { code, name: 'Lobby' } }),
      answered: 'activation-unknown',
    },
    'POST /history/evaluations/latest': { sample: () => ({ body: { places: [place] } }) },
    'POST /history/bundle': {
      sample: () => ({ body: { title: 'Release', page: '/board/release', cells: [place] } }),
    },
    'POST /history/waivers': { sample: () => ({ body: waiver() }), beyond: ofWaiver },
    'POST /history/waivers/bulk': {
      sample: () => ({ body: { waivers: [waiver()] } }),
      beyond: ofWaiver,
    },
    'POST /history/waivers/end': { sample: waived },
    // Nobody approves a waiver of their own.
    'POST /history/waivers/approve': { sample: waived, answered: 'own-waiver' },
    'POST /history/decisions': {
      sample: () => ({
        body: {
          action: 'release',
          subject: { is: 'board', board: `pasted-${fresh('board')}` },
          reason: 'A test',
          newest: null,
          places: [{ ...place, run: null }],
          accepted: decisionConcerns,
        },
      }),
      beyond: /is listed twice|isn't recorded|exactly one place|no configured board/,
    },
    'POST /history/assignments': {
      sample: () => ({
        body: { board: 'a', cells: ['b'], assignee: 'ann', note: '', dueAt: later() },
      }),
    },
    'POST /history/queries': { sample: () => ({ body: { ...query(), shared: true } }) },
    'POST /history/queries/{id}': {
      sample: () => saved({ ...query(), shared: true, version: 1 }),
    },
    'POST /history/queries/{id}/delete': { sample: () => saved({ version: 1 }) },
    'POST /history/query-import': {
      sample: () => ({ body: { queries: [query()], runs: ['tag:ci'] } }),
    },
    'POST /history/query-runs': {
      sample: () => ({ body: { query: 'tag:ci', zone: null, matches: 3, isComplete: true } }),
    },
    'POST /history/quarantine': {
      sample: () => ({ body: { test: test(), reason: 'Flaky', until: later() } }),
      beyond: ofTime,
    },
    'POST /insight/tests': {
      sample: () => ({
        body: {
          ...{ query: 'tag:ci', builds: 2, search: 'a', narrow: { project: 'a' } },
          ...{ offset: 0, kept: true, test: test() },
        },
      }),
      hasQuery: true,
    },
    'POST /insight/caches': { sample: () => ({ body: { buildIds } }) },
    'POST /insight/facts': { sample: () => ({ body: { buildIds } }) },
    'POST /insight/failures': { sample: () => ({ body: { buildIds } }) },
    'POST /history/walls/{name}': {
      sample: () => savedWall((base) => ({ base, wall, note: 'New' })),
      beyond: ofTile,
    },
    'POST /history/walls/{name}/delete': { sample: () => savedWall((base) => ({ base })) },
    'POST /history/walls/{name}/restore': {
      sample: () => savedWall((base) => ({ base, number: base })),
    },
    'POST /history/claims': {
      sample: () => {
        const sleep = { kind: 'sleep', reason: 'Known', until: later() }
        return { body: { ...tile(), ...sleep, failingSince: 1 } }
      },
      beyond: ofTime,
      hasQuery: true,
    },
    'POST /history/claims/end': {
      sample: async () => {
        const claim = { body: { ...tile(), kind: 'claim' } }
        await made(z.unknown(), 'POST /history/claims', claim)
        return claim
      },
      hasQuery: true,
    },
    'POST /upstream/board': {
      sample: () => ({
        body: {
          packages: [{ address, ...artifact }],
          ...{ scans: [scan], cells: [[0, 0]], mostInFlight: 4, begunMsAgo: null },
        },
      }),
      beyond: /is outside the lists|half of a character/,
    },
    [`POST ${ofPackage}/attestations`]: {
      sample: () => ({
        values: address,
        body: { ...artifact, buildScan: { ids: buildIds.slice(0, 1), queries: ['tag:none'] } },
      }),
      beyond: ofService,
    },
    [`POST ${ofPackage}/policy-scans/{scan}`]: {
      sample: () => ({ values: { ...address, scan }, body: artifact }),
      beyond: ofService,
    },
  }
  await made(z.unknown(), 'POST /screens', { body: { code, name: 'Lobby' } })
})
afterAll(() => app.close())

function operationOf(route: string) {
  const [method = '', path = ''] = route.split(' ')
  return document.paths[path]?.[method.toLowerCase()]
}

function bodySchema(route: string): Readonly<Record<string, unknown>> | undefined {
  return operationOf(route)?.requestBody?.content['application/json']?.schema
}

const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods)
    .map((method) => `${method.toUpperCase()} ${path}`)
    .filter((route) => bodySchema(route) !== undefined)
    // The same with and without a namespace.
    .filter((route) => !route.includes('{namespace}')),
)

/** Read only where people sign in with access tokens. */
const signIn = 'POST /session'
const routes = described.filter((route) => route !== signIn)

test('every operation with a body is tried', () => {
  expect(Object.keys(cases).sort()).toEqual(routes.sort())
})

type Step = string | number

/** All places in a JSON value, itself included. */
function placesIn(value: unknown, path: readonly Step[] = []): readonly (readonly Step[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  const inner: readonly (readonly [Step, unknown])[] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value)
  return [path, ...inner.flatMap(([step, one]) => placesIn(one, [...path, step]))]
}

/** A copy in which something else stands in a place; nothing where that is undefined. */
function changed(
  value: unknown,
  path: readonly Step[],
  change: (old: unknown) => unknown,
): unknown {
  const [first, ...rest] = path
  if (first === undefined) return change(value)
  if (Array.isArray(value)) {
    return value.flatMap((one: unknown, at) => {
      const next = at === first ? changed(one, rest, change) : one
      return next === undefined ? [] : [next]
    })
  }
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]): [string, unknown][] => {
      const next: unknown = key === first ? changed(one, rest, change) : one
      return next === undefined ? [] : [[key, next]]
    }),
  )
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What may stand in the place of something. */
const change: fc.Arbitrary<(old: unknown) => unknown> = fc.oneof(
  fc
    .constantFrom<unknown[]>(null, '', 0, -1, 1.5, true, [], {}, [null], [[]], 1, 'x')
    .map((value) => () => value),
  fc.constant(() => undefined),
  fc.constantFrom(101, 300, 600, 3_000, 25_000).map((length) => () => 'x'.repeat(length)),
  fc
    .constantFrom(2, 600, 3_000)
    .map(
      (count) => (old: unknown) =>
        Array.isArray(old) ? Array.from({ length: count }, (): unknown => old[0]) : undefined,
    ),
  fc.tuple(fc.string({ minLength: 1 }), fc.jsonValue()).map(
    ([key, value]) =>
      (old: unknown) =>
        isObject(old) ? { ...old, [`unheard ${key}`]: value } : value,
  ),
  fc.jsonValue().map((value) => () => value),
)
/** What breaks careless code. */
const oddity: fc.Arbitrary<(old: unknown) => unknown> = fc
  .constantFrom<unknown[]>(
    ...['a\u0000b', '\ud800', '\u202e\n\r\t', ' ', '\ufeff', '../..', '%00', '%', '__proto__'],
    ...[Number.MAX_SAFE_INTEGER, 8_640_000_000_000_001, 1e21, -1e21, 5e-324],
    JSON.parse('{"__proto__": {"a": 1}, "constructor": 1, "toString": null}'),
  )
  .map((value) => () => value)

/** Whether the description of the document speaks of something in a body, which its schemas can't. */
function isOdd(body: unknown): boolean {
  const text = JSON.stringify(body)
  const numbers = text.match(/-?\d+(?:\.\d+)?(?:e[+-]\d+)?/g) ?? []
  return (
    text.includes('\\u0000') ||
    /"\s+"/.test(text) ||
    numbers.some((number) => Math.abs(Number(number)) > Number.MAX_SAFE_INTEGER)
  )
}

function hasFaultyQuery(body: unknown): boolean {
  const { data } = z.looseObject({ query: z.string() }).safeParse(body)
  return data !== undefined && check(parse(data.query)).some(({ severity }) => severity === 'error')
}

async function attempt(
  route: string,
  changes: readonly (readonly [number, (old: unknown) => unknown])[],
) {
  const sample = (await cases[route]?.sample()) ?? { body: undefined }
  const body = changes.reduce((before: unknown, [at, one]) => {
    const places = placesIn(before)
    return changed(before, places[at % places.length] ?? [], one)
  }, sample.body)
  // A request without a body is another one.
  const sent = { ...sample, body: body === undefined ? null : body }
  return { sent, answer: await send(route, sent) }
}

type Answer = Awaited<ReturnType<typeof send>>

/** Success, or what is described in its place. */
function isTaken(route: string, { status, body }: Answer): boolean {
  const { answered } = cases[route] ?? {}
  const type = answered === undefined ? undefined : `urn:sightline:problem:${answered}`
  return status < 300 || (type !== undefined && body.includes(`"${type}"`))
}

function problemIn({ type, body }: Answer): z.output<typeof ProblemDetail> | undefined {
  return type === problemJson ? z.safeParse(ProblemDetail, JSON.parse(body)).data : undefined
}

describe.each(routes)('%s', (route) => {
  test('takes what is described', async () => {
    const { sent, answer } = await attempt(route, [])
    expect(mistakes(bodySchema(route) ?? {}, sent.body)).toEqual([])
    expect([isTaken(route, answer), answer]).toEqual([true, answer])
  })

  test('refuses what the document excludes, takes the rest, and never fails by what is sent', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(), fc.oneof({ weight: 3, arbitrary: change }, oddity)), {
          minLength: 1,
          maxLength: 2,
        }),
        async (changes) => {
          const { sent, answer } = await attempt(route, changes)
          const wrong = mistakes(bodySchema(route) ?? {}, sent.body)
          const problem = problemIn(answer)
          const report = { sent: JSON.stringify(sent.body).slice(0, 2_000), wrong, answer }
          const isRefused = problem !== undefined && answer.status < 500
          expect([report, answer.status < 300 || isRefused]).toEqual([report, true])
          if (answer.status === 413 || isOdd(sent.body)) return
          if (wrong.length > 0) {
            expect([report, answer.status]).toEqual([report, 400])
            return
          }
          const { beyond, hasQuery = false } = cases[route] ?? {}
          const isBeyond =
            answer.status === 400
              ? beyond?.test(problem?.detail ?? '') === true ||
                (hasQuery && hasFaultyQuery(sent.body))
              : String(answer.status) in (operationOf(route)?.responses ?? {})
          expect([report, isTaken(route, answer) || isBeyond]).toEqual([report, true])
        },
      ),
      { numRuns: runs(200) },
    )
  }, 120_000)
})

test('people sign in with the token that is described, and with nothing else', async () => {
  const token = `slt_${'a'.repeat(43)}`
  const sha256 = createHash('sha256').update(token).digest('hex')
  const day = (days: number): string =>
    new Date(clock.now() + days * 86_400_000).toISOString().slice(0, 10)
  const dates = `created: ${day(-1)}T00:00:00Z, expires: ${day(9)}T00:00:00Z`
  const proxy = await startDescribedProxy(
    {
      SIGHTLINE_SIGN_IN: 'tokens',
      SIGHTLINE_CONFIG: 'sightline.yaml',
      SIGHTLINE_SESSION_SECRET: 'a secret of this test, which is long enough',
    },
    `users: [{ name: ann, role: viewer, tokens: [{ sha256: ${sha256}, prefix: slt_aaaaaa, ${dates} }] }]`,
    clock,
  )
  onTestFinished(() => proxy.close())
  const body = { token }
  expect((await send(signIn, { body }, proxy)).status).toBe(200)
  await fc.assert(
    fc.asyncProperty(fc.nat(), fc.oneof(change, oddity), async (at, one) => {
      const places = placesIn(body)
      const sent = changed(body, places[at % places.length] ?? [], one) ?? null
      const answer = await send(signIn, { body: sent }, proxy)
      const isToken = z.safeParse(z.looseObject({ token: z.literal(token) }), sent).success
      const isRefused = problemIn(answer) !== undefined && [400, 401].includes(answer.status)
      expect([sent, answer, isToken ? answer.status === 200 : isRefused]).toEqual([
        sent,
        answer,
        true,
      ])
    }),
    { numRuns: runs(200) },
  )
})
