import { Hono } from 'hono'
import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { BuildMessage } from '../../protocol/build-message.ts'
import type { Clock } from '../../protocol/clock.ts'
import { ProblemError, problemJson } from '../../protocol/problem.ts'
import { addBuilds, type NewBuild } from '../store/build-writing.ts'
import { type Database, databaseProblem } from '../store/database.ts'
import { notFound, tokenRefused, unexpected } from './api-problem.ts'
import { createArrivals, createPendingWrites, watchOtherProcesses } from './arrivals.ts'
import { createBuildDataService, createBuildPages } from './build-data-service.ts'
import { type Imported, importRecording } from './build-intake.ts'
import { createBuildId } from './content/seeded-random.ts'
import { createBuildCounter, startCounting } from './counting.ts'
import {
  type AccessTokens,
  type Authorisation,
  type Caller,
  createAccessTokens,
  createAuthorisation,
  type EmbeddedCredential,
  isPermission,
  type Permission,
} from './credentials.ts'
import { createExportService } from './export-service.ts'
import { type Fault, faultMiddleware } from './faults.ts'
import { type StoreInstance, usualInstances } from './governor/evidence.ts'
import { createGovernorService } from './governor/governor-service.ts'
import type { PolicySet } from './governor/policy-definition.ts'
import type { Signer } from './governor/publish.ts'
import { createRequestPool } from './governor/request-pool.ts'
import { selectBuilds } from './governor/select-builds.ts'
import { createIntakeEndpoint } from './intake-endpoint.ts'
import { decimalNumber, readQuery, texts } from './query-parameters.ts'
import { factsOfBuild, startSearchPreparation } from './search-preparation.ts'

/** What the embedded services stand on. */
export interface EmbeddedOptions {
  readonly database: Database
  readonly clock: Clock
  /** For made-up build ids; 0 to 1. */
  readonly random: () => number
  /** Who may do what. Without any, every request is denied. */
  readonly credentials: readonly EmbeddedCredential[]
  /** How long an idle stream stays silent before a comment says that it lives, ms. */
  readonly heartbeatMs?: number
  /** What access tokens are signed with: made up, and lost with the process, where it is left out. */
  readonly tokenKey?: Uint8Array
  /** Faults to practise with; none by default (faults.ts). */
  readonly faults?: readonly Fault[]
  /** false: a server that knows only what spec/ names. */
  readonly models?: boolean
  /** Whether tokens are bound to projects (docs/services.md#access-tokens). */
  readonly projectAccessControl?: boolean
  /** The attestation and policy scan service; there is none without. */
  readonly governor?: EmbeddedGovernor
  /** Where people look at builds, if it is known: the address of a dashboard, without a slash at its end. */
  readonly dashboard?: () => string | undefined
  readonly logger?: EmbeddedLogger
}

/** What the attestation and policy scan service signs with, judges by and stores into. */
export interface EmbeddedGovernor {
  readonly signer: Signer
  readonly policies: PolicySet
  readonly instances?: readonly StoreInstance[]
  /** How many evaluations and publications may run at once; 16 by default. */
  readonly poolSize?: number
}

/** The part of a logger that is used; pino's fits. */
export interface EmbeddedLogger {
  readonly error: (details: object, message: string) => void
}

/** The embedded services: a handler, and a way to add builds that every open stream hears of. */
export interface Embedded {
  readonly app: Hono
  readonly add: (build: NewBuild) => Promise<void>
  /**
   * Many at once, in order of receipt: for a history. With `first` they stand from that position on,
   * which must be free: for a history that comes after its end.
   */
  readonly addAll: (builds: Iterable<NewBuild>, first?: number) => Promise<void>
  /** Stores a recording (build-intake.ts says what it is and what is thrown). */
  readonly importRecording: (bytes: AsyncIterable<Uint8Array>) => Promise<Imported>
  /** Ends every stream and waiting request. The database stays open: it belongs to the caller. */
  readonly close: () => Promise<void>
}

/** Makes the embedded services over a database. */
export function createEmbedded(options: EmbeddedOptions): Embedded {
  const { database, clock, random, heartbeatMs = 15_000, faults = [], logger } = options
  const { models = true, projectAccessControl = false } = options
  const arrivals = createArrivals(clock)
  const stopWatching =
    database.dialect === 'postgres' ? watchOtherProcesses(database, clock, arrivals) : undefined
  const tokens = createAccessTokens(clock, options.tokenKey ?? randomBytes(32))
  const authorisation = createAuthorisation(options.credentials, tokens, clock)
  const pending = createPendingWrites()
  const preparation = startSearchPreparation(database, clock, (error) => {
    logger?.error({ err: error }, 'indexing a build failed')
  })
  const counting = startCounting(database, preparation.tried, (error) => {
    logger?.error({ err: error }, 'counting a build failed')
  })
  const source = { database, counting, arrivals, clock, heartbeatMs, pending, preparation }
  const missing = (): Partial<BuildMessage> => ({
    buildId: createBuildId(random),
    timestamp: clock.now(),
  })

  // Clients that join a base address and a path leave slashes at the end.
  const app = new Hono({ strict: false })
  app.notFound(() => answerProblem(notFound()))
  app.onError((error) => {
    if (error instanceof ProblemError) return answerProblem(error)
    logger?.error({ err: error }, 'the embedded services failed')
    return answerProblem(databaseProblem(error) ?? unexpected())
  })
  if (faults.length > 0) app.use(faultMiddleware(faults, clock))

  async function addAll(builds: Iterable<NewBuild>, first?: number): Promise<void> {
    let position = first
    for (const batch of batches(builds)) {
      await addBuilds(database, batch, position)
      if (position !== undefined) position += batch.length
      arrivals.notify()
    }
  }

  const embedded: Embedded = {
    app,
    add: (build) => addAll([build]),
    addAll,
    importRecording: (bytes) =>
      importRecording({ database, announced: arrivals.notify, pending, missing }, bytes),
    close: async () => {
      arrivals.close()
      await Promise.all([preparation.stop(), counting.stop(), stopWatching?.()])
    },
  }
  app.route('/build-export', createExportService(source, authorisation))
  app.route('/api', createBuildDataService(source, authorisation, models))
  app.route('/api/auth', createTokenEndpoint(tokens, authorisation, clock, projectAccessControl))
  if (options.governor !== undefined) {
    const { signer, policies, instances = usualInstances, poolSize = 16 } = options.governor
    const governor = createGovernorService({
      database,
      clock,
      random,
      signer,
      policies,
      instances,
      pool: createRequestPool(poolSize, clock),
      credentials: options.credentials,
      selectBuilds: (selection, origin) => selectBuilds(database, clock, selection, origin),
      failed: (error) => {
        logger?.error({ err: error }, 'the policy service failed')
      },
    })
    app.route('/packages', governor)
  }
  app.route('/s', createBuildPages(database, options.dashboard ?? (() => undefined)))
  app.route('/embedded', createIntakeEndpoint({ ...embedded, missing }, authorisation))
  return embedded
}

/** Some builds at a time, with what they are searched by. */
function* batches(builds: Iterable<NewBuild>): Generator<NewBuild[], void, undefined> {
  let batch: NewBuild[] = []
  for (const build of builds) {
    const { message, attributes, events } = build
    const counter = createBuildCounter()
    for (const text of events) counter.take(text)
    batch.push({ ...counter.result(factsOfBuild(message, attributes, events)), ...build })
    if (batch.length === 200) {
      yield batch
      batch = []
    }
  }
  if (batch.length > 0) yield batch
}

/** A fault as problem detail (docs/services.md#build-data-problems). */
function answerProblem({ problem, status, retryAfterMs }: ProblemError): Response {
  const headers = new Headers({ 'Content-Type': problemJson, 'Cache-Control': 'no-store' })
  if (retryAfterMs !== undefined) headers.set('Retry-After', String(Math.ceil(retryAfterMs / 1000)))
  if (status === 401) headers.set('WWW-Authenticate', 'Bearer realm="embedded"')
  return new Response(JSON.stringify(problem), { status, headers })
}

const hour = 3_600_000

const TokenRequest = z.object({
  permissions: texts.optional(),
  projectIds: texts.optional(),
  expiresInHours: decimalNumber.pipe(z.number().gt(0).max(24)).optional(),
})

/**
 * Makes short-lived access tokens (docs/services.md#access-tokens): never more than the caller's
 * own permissions, projects and lifetime. The answer is the token as plain text. Without
 * project-level access control projects are not looked at, and every token may see what has no
 * project.
 */
function createTokenEndpoint(
  tokens: AccessTokens,
  authorisation: Authorisation,
  clock: Clock,
  projectAccessControl: boolean,
): Hono {
  const app = new Hono()
  app.post('/token', async (c) => {
    const caller = await authorisation.rest(c.req.header('Authorization'), null)
    const requested = readQuery(TokenRequest, c.req.queries())
    const permissions = grantedPermissions(caller, requested.permissions)
    if (!projectAccessControl) permissions.add('accessDataWithoutAssociatedProject')
    const projects = projectAccessControl
      ? grantedProjects(caller, requested.projectIds)
      : new Set<string>()
    const expiresAt = grantedUntil(caller, requested.expiresInHours, clock.now())
    return c.text(await tokens.sign({ user: caller.user, permissions, projects, expiresAt }))
  })
  return app
}

function grantedPermissions(
  caller: Caller,
  requested: readonly string[] | undefined,
): Set<Permission> {
  if (requested === undefined) return new Set(caller.permissions)
  const granted = requested.filter(isPermission).filter((one) => caller.permissions.has(one))
  const missing = requested.filter((one) => !granted.some((other) => other === one))
  if (missing.length > 0) {
    throw tokenRefused(
      'Missing requested permission.',
      `The permissions [${missing.join(', ')}] were requested for the access token, but were not granted to this user.`,
    )
  }
  return new Set(granted)
}

function grantedProjects(caller: Caller, requested: readonly string[] | undefined): Set<string> {
  if (requested === undefined) return new Set(caller.projects)
  const missing = requested.filter((one) => !caller.projects.has(one))
  if (missing.length > 0) {
    throw tokenRefused(
      'Missing requested projects.',
      `The projects [${missing.join(', ')}] were requested for the access token, but were not assigned to this user.`,
    )
  }
  return new Set(requested)
}

function grantedUntil(caller: Caller, hours: number | undefined, now: number): number {
  const end = caller.expiresAt ?? Infinity
  const requested = now + (hours ?? 2) * hour
  if (hours === undefined) return Math.min(requested, end)
  if (requested > end) {
    throw tokenRefused(
      'Requested expiration exceeds current.',
      `The credential used to authenticate this request expires at ${new Date(end).toISOString()}, which is sooner than the requested expiration time of ${hours} hours from now.`,
    )
  }
  return requested
}
