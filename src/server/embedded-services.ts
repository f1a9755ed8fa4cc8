import { createReadStream, readFileSync } from 'node:fs'
import type { Logger } from 'pino'
import { parse } from 'yaml'
import { z } from 'zod'
import { countOf } from '../protocol/count.ts'
import type { Clock } from '../protocol/clock.ts'
import { reasonOf } from '../protocol/parsed-text.ts'
import { problem, problemError, ProblemError } from '../protocol/problem.ts'
import type { Config } from './config.ts'
import { enoughForAnHour } from './embedded/content/history.ts'
import { type Imported, mistakes } from './embedded/build-intake.ts'
import { allPermissions, type EmbeddedCredential, isPermission } from './embedded/credentials.ts'
import { parseFaults } from './embedded/faults.ts'
import { seedEvaluations, seedWaivers } from './demo-history.ts'
import { type Company, openCompany } from './embedded-company.ts'
import { listen, requireUsable } from './listen.ts'
import type { Secret } from './read-settings.ts'
import type { Database } from './store/database.ts'
import type { FirstProcess } from './store/process-lock.ts'

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
  readonly offered: Company['offered']
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
  const { settings, database, clock, random, logger, host, port } = options
  const address = { host, port, setting: 'EMBEDDED' } as const
  await requireUsable(address)
  const accounts = accountsOf(settings.accounts)
  const company = await openCompany({
    settings,
    database,
    clock,
    random,
    logger,
    accessKey: options.accessKey,
    credentials: accounts.credentials,
    projectAccessControl: accounts.projectAccessControl,
    faults: faultsOf(settings.faults),
    ...(options.dashboard === undefined ? {} : { dashboard: options.dashboard }),
  })
  const { embedded } = company
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
    ...address,
    clock,
    // A build with half a million events takes its time to be sent here.
    requestTimeoutMs: 300_000,
    maxBodyBytes: Infinity,
  })
  const origin = new URL(server.url).origin
  await company.publishPackages(origin)
  if (settings.builds >= enoughForAnHour) {
    await seedEvaluations({
      database,
      clock,
      logger,
      scans: company.offered.boards.flatMap(({ scans }) => scans),
      evaluate: async (path, body) =>
        embedded.app.request(`${origin}${path}`, {
          method: 'POST',
          headers: {
            Authorization: `Bearer ${options.accessKey.reveal()}`,
            'Content-Type': 'application/json',
            Accept: 'application/x-ndjson',
          },
          body,
        }),
    })
    await seedWaivers(database, clock)
  }
  if (settings.rate > 0) options.first.whileFirst(company.startPresent)
  return {
    url: new URL(server.url),
    offered: company.offered,
    close: async () => {
      await options.first.close()
      await embedded.close()
      await server.close()
    },
  }
}

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

function importSentence(path: string, { buildId, events, repeated }: Imported): string {
  const leftOut =
    repeated === 0 ? '' : ` ${countOf(repeated, 'event')} that the recording repeats were left out.`
  return `Imported build ${buildId} from ${path}: ${countOf(events, 'event')}.${leftOut}`
}

function importProblem(path: string, error: unknown): ProblemError {
  const code = error instanceof Error && 'syscall' in error && 'code' in error ? error.code : ''
  const why =
    code === ''
      ? reasonOf(error)
      : `the file can't be read (${String(code)}). Check the path after --import.`
  return new ProblemError(
    problem(400, 'import', "Can't import the recording", `Can't import ${path}: ${why}`),
    { cause: error },
  )
}

/** Who may use the embedded services, as a file says it. */
interface Accounts {
  readonly credentials: readonly EmbeddedCredential[]
  /** Whether tokens are bound to projects (docs/services.md#access-tokens). */
  readonly projectAccessControl: boolean
}

const someText = z.string().min(1)
const permission = z.string().refine(isPermission, {
  error: `not a permission; known: all, ${allPermissions.join(', ')}`,
})
const patterns = z.array(someText).optional()

const Account = z
  .strictObject({
    user: someText.regex(/^[^:]+$/, 'must not contain a colon'),
    password: someText.optional(),
    accessKey: someText.optional(),
    accessKeyExpiresAt: z
      .string()
      .refine((at) => Number.isFinite(Date.parse(at)), 'not a date, such as 2027-01-31T10:00:00Z')
      .transform((at) => Date.parse(at))
      .optional(),
    permissions: z.union([z.literal('all').transform(() => allPermissions), z.array(permission)]),
    projects: patterns,
    packages: patterns,
    repositories: patterns,
  })
  .refine(({ password, accessKey }) => password !== undefined || accessKey !== undefined, {
    error: 'has neither a password nor an access key',
  })

const AccountsFile = z
  .strictObject({
    projectAccessControl: z.boolean().default(false),
    accounts: z.array(Account),
  })
  .refine(({ accounts }) => new Set(accounts.map(({ user }) => user)).size === accounts.length, {
    error: 'two accounts have the same user',
  })

/**
 * Reads the accounts of the embedded services from YAML or JSON (docs/services.md#accounts-of-the-embedded-services).
 * Throws a ProblemError (400) that says what is wrong where; `name` is what the text is called in it.
 */
export function readAccounts(source: string, name: string): Accounts {
  try {
    const { accounts, projectAccessControl } = AccountsFile.parse(
      parse(source, { logLevel: 'error' }),
    )
    return { credentials: accounts, projectAccessControl }
  } catch (error) {
    // The other lines of what is wrong with YAML show the text, with its passwords.
    const [first = ''] = String(error).split('\n')
    const what = error instanceof z.core.$ZodError ? mistakes(error) : first.replace(/:$/, '')
    throw problemError(400, 'accounts', "Can't read the accounts", `${name}: ${what}.`)
  }
}
