import { type Dialect as KyselyDialect, Kysely, sql } from 'kysely'
import { problem, ProblemError } from '../../protocol/problem.ts'
import { migrate } from './migrate.ts'
import type { Dialect, Schema } from './schema.ts'

/** An open database with its tables in place. */
export interface Database {
  readonly kysely: Kysely<Schema>
  readonly dialect: Dialect
  /** The path of its file, for SQLite outside memory. */
  readonly file: string | undefined
  /** Writes a row that says nothing, and throws what a write throws. */
  readonly probe: () => Promise<void>
  /** Its release, such as "SQLite 3.45.1", and how large it is. */
  readonly inspect: () => Promise<DatabaseFacts>
  /** Closes it; a file then holds everything, so that a copy of it alone is a backup. */
  readonly close: () => Promise<void>
}

/** What a database says of itself. */
export interface DatabaseFacts {
  readonly version: string
  readonly sizeBytes: number
}

/**
 * A database that was connected to, with its tables brought up to date; `file` is the path of its
 * file, for SQLite outside memory. Throws a ProblemError with a plain sentence.
 */
export async function databaseOn(
  { dialect, kyselyDialect }: OpenDialect,
  file?: string,
): Promise<Database> {
  const kysely = new Kysely<Schema>({ dialect: kyselyDialect })
  try {
    await migrate(kysely, dialect)
  } catch (error) {
    await kysely.destroy()
    throw error instanceof ProblemError
      ? error
      : unusableDatabase(
          databaseFault(error, `Updating its tables failed: ${reason(error)}.`),
          error,
        )
  }
  let closing: Promise<void> | undefined
  return {
    kysely,
    dialect,
    file,
    probe: () => (dialect === 'sqlite' ? growingWrite(kysely) : smallWrite(kysely)),
    inspect: () => inspected(kysely, dialect),
    close: () => (closing ??= closed()),
  }

  async function closed(): Promise<void> {
    try {
      // A closed database leaves its last writes in a file beside it otherwise.
      if (dialect === 'sqlite') await sql`pragma wal_checkpoint(truncate)`.execute(kysely)
    } finally {
      await kysely.destroy()
    }
  }
}

async function smallWrite(kysely: Kysely<Schema>): Promise<void> {
  await kysely
    .insertInto('seeds')
    .values({ name: 'probe', is_whole: 1 })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ is_whole: 1 }))
    .execute()
}

/** Takes new pages and gives them back: a full file still takes a change of what stands in it. */
async function growingWrite(kysely: Kysely<Schema>): Promise<void> {
  await kysely.transaction().execute(async (within) => {
    const name = `probe ${'x'.repeat(probeBytes)}`
    await within
      .insertInto('seeds')
      .values({ name, is_whole: 1 })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ is_whole: 1 }))
      .execute()
    await within.deleteFrom('seeds').where('name', '=', name).execute()
  })
}

/** Two pages of SQLite. */
const probeBytes = 8192

export async function inspected(kysely: Kysely<Schema>, dialect: Dialect): Promise<DatabaseFacts> {
  const query =
    dialect === 'sqlite'
      ? sql<DatabaseFacts>`select 'SQLite ' || sqlite_version() as version,
          page_count * page_size as "sizeBytes" from pragma_page_count(), pragma_page_size()`
      : sql<DatabaseFacts>`select 'PostgreSQL ' || current_setting('server_version') as version,
          pg_database_size(current_database()) as "sizeBytes"`
  const [facts] = (await query.execute(kysely)).rows
  if (facts === undefined) throw new Error('the database says nothing of itself')
  return facts
}

/** Why a database cannot be read or written, in a plain sentence without a secret. */
export function databaseFault(error: unknown, otherwise = passingFault(codeOf(error))): string {
  const code = codeOf(error)
  return faults.find(([codes]) => codes.test(code))?.[1] ?? otherwise
}

/**
 * A query that failed of the state of Sightline's own database, in a sentence of what to do (500, and 503 for a full
 * disk and a lock); undefined for all other errors. `docs/running.md#backup-and-restore` says how.
 */
export function databaseProblem(error: unknown): ProblemError | undefined {
  const fault = databaseFault(error, '')
  if (fault === '') return undefined
  const isFull = fault === diskFull
  const sentence = `Sightline can't use its database. ${fault}${isFull ? ' Make room on it, and try again.' : ''}`
  const status = isFull || fault === locked ? 503 : 500
  return new ProblemError(problem(status, 'database-unusable', 'Database unavailable', sentence), {
    cause: error,
  })
}

export const mayNotWrite =
  "The database user can't create or write tables there. Make it the owner of the database."

/** What passes by itself as a rule: it isn't the state of the database. */
function passingFault(code: string): string {
  if (code === '53300') return 'The database takes no more connections.'
  if (/^57P0[123]$/.test(code)) return 'The database is starting or shutting down.'
  // One that refuses something has responded (SQLSTATE).
  return /^(?:\d[0-9A-Z]|F0|HV|P0|XX)[0-9A-Z]{3}$/.test(code)
    ? `The database responded with error ${code}. See the log.`
    : "The database isn't responding. See the log."
}

export const diskFull = 'The disk of the database is full.'
const locked =
  'Another process has locked the database: end that process, or wait until it is done.'

/** Codes of SQLite, with their extensions, of PostgreSQL and of the file system. */
const faults: readonly (readonly [codes: RegExp, sentence: string])[] = [
  [/^(?:SQLITE_FULL|ENOSPC|53100)/, diskFull],
  [/^SQLITE_(?:BUSY|LOCKED)/, locked],
  [
    /^SQLITE_READONLY_DBMOVED/,
    'Its file was moved, removed or replaced. Stop Sightline, put the file back, and start it again.',
  ],
  [/^(?:SQLITE_READONLY|EROFS|25006)/, 'The database is read-only.'],
  [
    /^(?:SQLITE_CORRUPT|XX00[12])/,
    'The database is damaged: test it with --check, and restore a backup.',
  ],
  [/^SQLITE_NOTADB/, "It isn't an SQLite database: name another file."],
  [/^EISDIR/, 'It is a folder: name a file in it.'],
  [/^(?:ENOTDIR|EEXIST)/, 'A folder on its path is a file: name another folder.'],
  [/^(?:EACCES|EPERM|SQLITE_PERM)/, 'This account may not write there: give it the right to.'],
  [/^42501/, mayNotWrite],
]

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

export function reason(error: unknown): string {
  const code = codeOf(error)
  switch (code) {
    case 'ECONNREFUSED':
      return 'connection refused'
    case 'ENOTFOUND':
      return 'host not found'
    case '28P01':
    case '28000':
      return 'wrong user or password'
    case '3D000':
      return 'database not found'
    default:
      return error instanceof Error && error.message !== '' ? error.message : `error ${code}`
  }
}

/** A database that answered, and how Kysely speaks to it. */
export interface OpenDialect {
  readonly dialect: Dialect
  readonly kyselyDialect: KyselyDialect
}

/** The database cannot be used, and why in one or two plain sentences that hold no secret. */
export function unusableDatabase(why: string, cause?: unknown): ProblemError {
  return new ProblemError(
    problem(503, 'database-unusable', 'Database unavailable', `Can't use the database. ${why}`),
    cause === undefined ? {} : { cause },
  )
}
