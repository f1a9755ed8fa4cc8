import { type Context, Hono } from 'hono'
import { type PackageAddress, packagePath } from '../../../protocol/package-address.ts'
import { ProblemError, problemJson } from '../../../protocol/problem.ts'
import { databaseProblem } from '../../store/database.ts'
import { attestationsOf, findAttestation } from '../../store/attestations.ts'
import { callerByKey, callerByPassword, type EmbeddedCredential } from '../credentials.ts'
import { isDigest, type PackageRequest, readPackageRequest } from './package-request.ts'
import { evaluatePolicy, matcher, type WireResult } from './evaluate-policy.ts'
import {
  badRequest,
  externalFailure,
  forbidden,
  noSuchAttestation,
  noSuchOperation,
  noSuchScan,
  notAuthenticated,
  wrongMethod,
} from './governor-problem.ts'
import { type PolicySet, type SelectedScan, selectScan } from './policy-definition.ts'
import {
  type Publication,
  publish,
  publishAll,
  type Publishing,
  type PublishResult,
  storeExchanges,
} from './publish.ts'
import { ndjsonResponse, type RequestPool, wantsNdjson } from './request-pool.ts'
import type { ClaimedBuild } from './statements-of-build.ts'
import { isInstanceName, storedEvidence } from './evidence.ts'

/** What the attestation and policy scan service stands on. */
export interface GovernorOptions extends Publishing {
  readonly credentials: readonly EmbeddedCredential[]
  readonly policies: PolicySet
  /** How many evaluations and publications may run at once. */
  readonly pool: RequestPool
  /**
   * The builds with these ids, and those that match these queries; `origin` is where their pages
   * are. Throws a ProblemError (400) for an unknown id and a query that cannot be read.
   */
  readonly selectBuilds: (
    selection: PackageRequest['buildScan'],
    origin: string,
  ) => Promise<readonly ClaimedBuild[]>
  readonly failed: (error: unknown) => void
}

/**
 * The attestation and policy scan service: all its operations, with and without a namespace
 * (docs/services.md#policy-service). Paths are below `/packages`.
 */
export function createGovernorService(options: GovernorOptions): Hono {
  const { database, clock, pool } = options
  const app = new Hono()
  app.onError((error) => {
    if (error instanceof ProblemError) return answerProblem(error)
    options.failed(error)
    const unexpected = externalFailure('an unexpected error; see the log')
    return answerProblem(databaseProblem(error) ?? unexpected)
  })

  /** Who makes the request, and for which package; both are checked. The repository is for the operation to check. */
  function authorized(c: Context): { address: PackageAddress; caller: PackageCaller } {
    const caller = packageCaller(options.credentials, c.req.header('Authorization'), clock.now())
    const { type = '', namespace, name = '', version = '' } = c.req.param() as Parameters
    const address = { type, ...(namespace === undefined ? {} : { namespace }), name, version }
    caller.mayUse(packagePath(address))
    return { address, caller }
  }

  async function publishing(c: Context): Promise<Response> {
    const { address, caller } = authorized(c)
    const request = await readPackageRequest(c.req.raw)
    caller.mayUseRepository(request.repositoryUrl)
    const done = await pool.await(c.req.raw.signal)
    return whileTaken(done, async () => {
      const origin = new URL(c.req.url).origin
      const builds = await options.selectBuilds(request.buildScan, origin)
      const accept = c.req.header('Accept')
      const results = publish(options, address, request, caller.user, builds)
      if (wantsNdjson(accept)) return await ndjsonResponse(resultsOf(results), done)
      const { hasBothLists: _, ...criteria } = request
      const echoed = { uri: c.req.url, pkg: address, criteria }
      const all = await publishAll(results, echoed, options.failed)
      done()
      return c.json(
        wantsStoreExchanges(accept, request)
          ? { request: echoed, successes: storeExchanges(all) }
          : all.map(({ result }) => result),
      )
    })
  }

  async function evaluating(c: Context): Promise<Response> {
    const { address, caller } = authorized(c)
    const request = await readPackageRequest(c.req.raw)
    caller.mayUseRepository(request.repositoryUrl)
    const name = c.req.param('scan') ?? ''
    const scan = selectScan(options.policies, name)
    if (scan === undefined) throw noSuchScan(name)
    const done = pool.take()
    return whileTaken(done, async () => {
      const results = evaluations(options, address, request, scan)
      if (wantsNdjson(c.req.header('Accept'))) return await ndjsonResponse(results, done)
      const all = await collected(results)
      done()
      return c.json(all)
    })
  }

  async function fetching(c: Context): Promise<Response> {
    const { address, caller } = authorized(c)
    const { digest = '', instance = '', id = '' } = c.req.param() as Parameters
    if (!isDigest(digest)) {
      throw badRequest('The digest must be sha256: followed by 64 hexadecimal digits.')
    }
    if (!isInstanceName(instance)) {
      throw badRequest('The instance must be s3: or af: followed by the name of a store.')
    }
    if (!options.instances.some((one) => one.name === instance)) throw noSuchAttestation()
    const found = await findAttestation(database, id)
    const isMeant =
      found?.instance === instance &&
      found.packagePath === packagePath(address) &&
      found.digest === digest.toLowerCase()
    // The address names no repository: to distinguish "not there" from "not yours" would reveal what is there.
    if (!isMeant) throw caller.mayUseEveryRepository ? noSuchAttestation() : forbidden()
    caller.mayUseRepository(found.repositoryUrl)
    return new Response(`${found.envelope}\n`, {
      headers: {
        'Content-Type': wantsNdjson(c.req.header('Accept'))
          ? 'application/x-ndjson'
          : 'application/json',
        'Cache-Control': 'no-store',
      },
    })
  }

  const addresses = ['/:type/:namespace/:name/:version', '/:type/:name/:version']
  const operations = [
    // Before publishing: a scan called "attestations" would be published for a version "policy-scans".
    { method: 'POST', path: '/policy-scans/:scan', handler: evaluating },
    { method: 'POST', path: '/attestations', handler: publishing },
    { method: 'GET', path: '/:digest/attestations/:instance/:id', handler: fetching },
  ]
  for (const { method, path, handler } of operations)
    for (const address of addresses) app.on(method, `${address}${path}`, handler)
  for (const { method, path } of operations)
    for (const address of addresses)
      app.all(`${address}${path}`, (c) =>
        answerProblem(wrongMethod(c.req.method, method), { Allow: method }),
      )
  app.all('*', () => answerProblem(noSuchOperation()))
  return app
}

async function* resultsOf(
  publications: AsyncIterable<Publication>,
): AsyncGenerator<PublishResult, void, undefined> {
  for await (const { result } of publications) yield result
}

/**
 * Whether a publication is answered by what the stores said, as the vendor's Publish Action reads it
 * (docs/services.md#publish-responses): it takes any type, and always sends both lists.
 */
function wantsStoreExchanges(
  accept: string | undefined,
  { hasBothLists }: PackageRequest,
): boolean {
  return accept?.trim() === '*/*' && hasBothLists
}

type Parameters = Partial<
  Record<'type' | 'namespace' | 'name' | 'version' | 'digest' | 'instance' | 'id', string>
>

async function* evaluations(
  { database }: GovernorOptions,
  address: PackageAddress,
  { sha256, repositoryUrl }: PackageRequest,
  { policies }: SelectedScan,
): AsyncGenerator<WireResult, void, undefined> {
  const stored = await attestationsOf(database, {
    packagePath: packagePath(address),
    digest: `sha256:${sha256}`,
    repositoryUrl,
  })
  const evidence = stored.map((one) => storedEvidence(address, one))
  for (const policy of policies) yield* await evaluatePolicy(policy, evidence)
}

/** Gives the place back where the work fails before its answer has begun. */
async function whileTaken(done: () => void, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work()
  } catch (error) {
    done()
    throw error
  }
}

async function collected<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const value of values) all.push(value)
  return all
}

function answerProblem(
  { problem, status }: ProblemError,
  more: Readonly<Record<string, string>> = {},
): Response {
  const headers = new Headers({
    'Content-Type': problemJson,
    'Cache-Control': 'no-store',
    ...more,
  })
  if (status === 401) headers.set('WWW-Authenticate', 'Basic realm="packages"')
  if (status === 429) headers.set('Retry-After', '1')
  return new Response(JSON.stringify(problem), { status, headers })
}

/** Someone who uses the policy service. */
interface PackageCaller {
  readonly user: string
  /** Throws a ProblemError (403) for a package that is not the caller's to read. */
  readonly mayUse: (packagePath: string) => void
  /** Throws a ProblemError (403) for a repository that is not the caller's to read. */
  readonly mayUseRepository: (repositoryUrl: string) => void
  /** Whether every repository is. */
  readonly mayUseEveryRepository: boolean
}

/**
 * The caller behind an Authorization header: HTTP Basic with a user's password or access key, or a
 * bearer access key (docs/services.md#policy-service-authentication). Throws a ProblemError (401)
 * without a valid one.
 */
function packageCaller(
  credentials: readonly EmbeddedCredential[],
  header: string | undefined,
  now: number,
): PackageCaller {
  const [scheme = '', value = ''] = header?.trim().split(/ +/, 2) ?? []
  const found = credentials.find((credential) =>
    isShown(credential, scheme.toLowerCase(), value, now),
  )
  if (found === undefined) throw notAuthenticated()
  const ofPackage = allowed(found.packages)
  const ofRepository = allowed(found.repositories)
  return {
    user: found.user,
    mayUse: (packagePath) => {
      if (!ofPackage(packagePath)) throw forbidden()
    },
    mayUseRepository: (repositoryUrl) => {
      if (!ofRepository(repositoryPlace(repositoryUrl))) throw forbidden()
    },
    mayUseEveryRepository: found.repositories === undefined,
  }
}

/** Whether one of the patterns matches; everything is allowed where there are none to match. */
function allowed(patterns: readonly string[] | undefined): (text: string) => boolean {
  const matchers = patterns?.map(matcher)
  return (text) => matchers?.some((matches) => matches(text)) !== false
}

function isShown(
  credential: EmbeddedCredential,
  scheme: string,
  value: string,
  now: number,
): boolean {
  if (scheme === 'bearer') return callerByKey([credential], value, now) !== undefined
  if (scheme !== 'basic') return false
  const text = Buffer.from(value, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  const user = text.slice(0, colon)
  const password = text.slice(colon + 1)
  return (
    callerByPassword([credential], user, password) !== undefined ||
    (user === credential.user && callerByKey([credential], password, now) !== undefined)
  )
}

/**
 * Where a repository is, one text for all spellings of it: host and path without the scheme, without
 * a slash at the end and without `..`. `repositoryUrl` is one that a body may hold
 * (package-request.ts); what permissions are compared with must not depend on how it was typed.
 */
export function repositoryPlace(repositoryUrl: string): string {
  const text = repositoryUrl.trim()
  const { host, pathname, search } = new URL(text.includes('://') ? text : `https://${text}`)
  return `${host}${pathname.replace(/\/+$/, '')}${search}`
}
