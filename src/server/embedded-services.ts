import { createReadStream } from 'node:fs'
import type { Logger } from 'pino'
import { countOf } from '../protocol/count.ts'
import type { Clock } from '../protocol/clock.ts'
import { reasonOf } from '../protocol/parsed-text.ts'
import { problem, ProblemError } from '../protocol/problem.ts'
import type { Config } from './config.ts'
import { enoughForAnHour } from './embedded/content/history.ts'
import type { Imported } from './embedded/build-intake.ts'
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
 * ProblemError for a port in use and a recording that cannot be read.
 */
export async function startEmbeddedServices(
  options: EmbeddedServicesOptions,
): Promise<EmbeddedServices> {
  const { settings, database, clock, random, logger, host, port } = options
  const address = { host, port, setting: 'EMBEDDED' } as const
  await requireUsable(address)
  const company = await openCompany({
    settings,
    database,
    clock,
    random,
    logger,
    accessKey: options.accessKey,
    ...settings.accounts(),
    faults: settings.faults,
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
