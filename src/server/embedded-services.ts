import { randomBytes } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import type { Logger } from 'pino'
import { countOf } from '../protocol/count.ts'
import type { Clock } from '../protocol/clock.ts'
import { problem, problemError, ProblemError } from '../protocol/problem.ts'
import type { SharedConfig } from '../protocol/proxy-config.ts'
import type { Config } from './config.ts'
import { generatePast } from './embedded/content/history.ts'
import { type Accounts, readAccounts } from './embedded/accounts.ts'
import { allPermissions, type EmbeddedCredential } from './embedded/credentials.ts'
import type { Imported } from './embedded/build-intake.ts'
import { createEmbedded } from './embedded/embedded.ts'
import { parseFaults } from './embedded/faults.ts'
import { openSigner } from './embedded/governor/publish.ts'
import { offeredBoard, offeredPackages, seedPackages } from './embedded/governor/seed-packages.ts'
import { usualPolicies } from './embedded/governor/usual-policies.ts'
import { offeredWalls } from './embedded/content/company.ts'
import { listen } from './listen.ts'
import { type LivingPresent, startLivingPresent } from './living-present.ts'
import type { Secret } from './read-settings.ts'
import { forgetAttestations, hasAttestations, keptSecret } from './store/attestations.ts'
import { lastPosition } from './store/build-listing.ts'
import type { Database } from './store/database.ts'
import type { FirstProcess } from './store/process-lock.ts'
import { forgetBuilds, pruneBuilds } from './store/retention.ts'
import { seedOnce } from './store/seed-once.ts'

/** What the embedded services need to run. */
export interface EmbeddedServicesOptions {
  readonly settings: Config['embedded']
  readonly host: string
  readonly port: number
  readonly accessKey: Secret
  readonly database: Database
  /** Makes the living present while it is the first of those on the database. */
  readonly first: FirstProcess
  readonly clock: Clock
  readonly random: () => number
  readonly logger: Logger
  /** Where the dashboard is, once it is known. */
  readonly dashboard?: () => string | undefined
  /** Recordings to import before anything is served: paths of NDJSON files. */
  readonly imports: readonly string[]
  /** Told what became of each, in a sentence. */
  readonly imported?: (sentence: string) => void
}

/** The embedded services behind an address of their own. */
export interface EmbeddedServices {
  readonly url: URL
  /** The key that its attestations are signed with, and what there is to look at. */
  readonly offered: Pick<SharedConfig, 'trustedKeys' | 'packages' | 'boards' | 'walls'>
  readonly close: () => Promise<void>
}

/**
 * Runs the embedded services on a port: a history where the database has no builds yet, then the
 * living present, over the same sockets that a real server would be reached by. Throws a
 * ProblemError for faults that do not parse, a port in use and a recording that cannot be read.
 */
export async function startEmbeddedServices(
  options: EmbeddedServicesOptions,
): Promise<EmbeddedServices> {
  const { settings, database, clock, random, logger } = options
  const signer = await openSigner(database)
  const tokenKey = await keptSecret(database, 'embedded-tokens', () =>
    randomBytes(32).toString('base64'),
  )
  const accounts = accountsOf(settings.accounts)
  const instances = settings.stores.map((name) => ({ name }))
  const embedded = createEmbedded({
    database,
    clock,
    random,
    logger,
    governor: { signer, policies: usualPolicies(signer.publicPem), instances },
    models: settings.models,
    faults: faultsOf(settings.faults),
    ...(options.dashboard === undefined ? {} : { dashboard: options.dashboard }),
    credentials: withOwn(accounts.credentials, options.accessKey),
    tokenKey: Buffer.from(tokenKey, 'base64'),
    projectAccessControl: accounts.projectAccessControl,
  })
  if (settings.builds > 0) {
    await seedOnce(database, clock, {
      name: 'builds',
      isThere: async () => (await lastPosition(database)) > 0,
      undo: () => forgetBuilds(database),
      make: () =>
        embedded.addAll(
          generatePast({
            seed: settings.seed,
            count: settings.builds,
            until: clock.now(),
            ratePerSecond: settings.rate,
            random,
          }),
        ),
    })
  }
  for (const path of options.imports) {
    try {
      options.imported?.(
        importSentence(path, await embedded.importRecording(createReadStream(path))),
      )
    } catch (error) {
      // So that the same command can be given twice.
      const isThere = error instanceof ProblemError && error.status === 409
      if (!isThere) throw importProblem(path, error)
      options.imported?.(`${path} has already been imported.`)
    }
  }
  const server = await listen({
    app: embedded.app,
    host: options.host,
    port: options.port,
    clock,
    // A build with half a million events takes its time to be sent here.
    requestTimeoutMs: 300_000,
    maxBodyBytes: Infinity,
  })
  const origin = new URL(server.url).origin
  if (settings.builds > 0) {
    await seedOnce(database, clock, {
      name: 'packages',
      isThere: () => hasAttestations(database),
      undo: () => forgetAttestations(database),
      make: () => seedPackages({ database, clock, random, signer, instances }, origin),
    })
  }
  if (settings.rate > 0) options.first.whileFirst(live)

  function live(): LivingPresent {
    let sincePruned = 0
    return startLivingPresent({
      clock,
      random,
      seed: settings.seed,
      ratePerSecond: settings.rate,
      store: async (builds) => {
        await embedded.addAll(builds)
        sincePruned += builds.length
        if (sincePruned < pruneEvery) return
        sincePruned = 0
        await pruneBuilds(database, Math.max(settings.builds, keepAtLeast))
      },
      failed: (error) => {
        logger.error({ err: error }, 'storing new builds failed')
      },
    })
  }

  return {
    url: new URL(server.url),
    offered: {
      trustedKeys: { 'acme-release': { pem: signer.publicPem } },
      ...(settings.builds > 0
        ? { packages: offeredPackages(), boards: [offeredBoard()], walls: offeredWalls() }
        : { packages: [], boards: [], walls: [] }),
    },
    close: async () => {
      await options.first.close()
      await embedded.close()
      await server.close()
    },
  }
}

/** So that a demonstration may run for weeks without filling a disk. */
const keepAtLeast = 50_000
const pruneEvery = 1_000

function faultsOf(text: string | undefined): ReturnType<typeof requireFaults> {
  return text === undefined ? [] : requireFaults(text)
}

function requireFaults(
  text: string,
): Extract<ReturnType<typeof parseFaults>, { ok: true }>['faults'] {
  const parsed = parseFaults(text)
  if (parsed.ok) return parsed.faults
  throw problemError(
    400,
    'faults',
    "Can't read the faults",
    `SIGHTLINE_EMBEDDED_FAULTS: ${parsed.mistakes.join(' ')}`,
  )
}

function accountsOf(path: string | undefined): Accounts {
  if (path === undefined) return { credentials: [], projectAccessControl: false }
  const name = `SIGHTLINE_EMBEDDED_ACCOUNTS (${path})`
  try {
    return readAccounts(readFileSync(path, 'utf8'), name)
  } catch (error) {
    if (error instanceof ProblemError) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    throw problemError(400, 'accounts', "Can't read the accounts", `${name}: ${code}.`)
  }
}

/**
 * Sightline's own account may do everything, by its key as a bearer token or as the password of
 * `sightline`, unless the file has an account with that key.
 */
function withOwn(
  accounts: readonly EmbeddedCredential[],
  accessKey: Secret,
): readonly EmbeddedCredential[] {
  const own = accessKey.reveal()
  if (accounts.some((account) => account.accessKey === own)) return accounts
  const sightline = { user: 'sightline', accessKey: own, password: own }
  return [...accounts, { ...sightline, permissions: allPermissions }]
}

function importSentence(path: string, { buildId, events, repeated }: Imported): string {
  const leftOut =
    repeated === 0 ? '' : ` ${countOf(repeated, 'event')} that the recording repeats were left out.`
  return `Imported build ${buildId} from ${path}: ${countOf(events, 'event')}.${leftOut}`
}

function importProblem(path: string, error: unknown): ProblemError {
  const why = error instanceof Error ? error.message : String(error)
  return new ProblemError(
    problem(400, 'import', "Can't import the recording", `Can't import ${path}: ${why}`),
    { cause: error },
  )
}
