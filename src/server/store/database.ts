import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type Dialect as KyselyDialect,
  Kysely,
  Migrator,
  PostgresDialect,
  sql,
  type SqliteDatabase,
  SqliteDialect,
} from 'kysely'
import Libsql from 'libsql'
import pg from 'pg'
import { problem, ProblemError } from '../../protocol/problem.ts'
import { migrations } from './migrations.ts'
import type { Dialect, Schema } from './schema.ts'

/** An open database with its tables in place. */
export interface Database {
  readonly kysely: Kysely<Schema>
  readonly dialect: Dialect
  /** Writes a row that says nothing, and throws what a write throws. */
  readonly probe: () => Promise<void>
  /** Closes it; a file then holds everything, so that a copy of it alone is a backup. */
  readonly close: () => Promise<void>
}

/**
 * Opens the database at `url` and brings its tables up to date: `file:path` (the folder is made),
 * `memory:`, or `postgres://user:password@host/name`. Safe when two processes start at once on
 * PostgreSQL. Throws a ProblemError with a plain sentence, never with the password.
 */
export async function openDatabase(url: string): Promise<Database> {
  const { dialect, kyselyDialect } = await connect(url)
  const kysely = new Kysely<Schema>({ dialect: kyselyDialect })
  const migrator = new Migrator({ db: kysely, provider: migrations(dialect) })
  const { error } = await migrator.migrateToLatest().catch((thrown: unknown) => ({ error: thrown }))
  if (error !== undefined) {
    await kysely.destroy()
    throw error instanceof ProblemError
      ? error
      : unusableDatabase('Updating its tables failed.', error)
  }
  let closing: Promise<void> | undefined
  return {
    kysely,
    dialect,
    probe: async () => {
      await kysely
        .insertInto('seeds')
        .values({ name: 'probe', is_whole: 1 })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ is_whole: 1 }))
        .execute()
    },
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

/** Why a database cannot be read or written, in a plain sentence without a secret. */
export function databaseFault(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'SQLITE_FULL' || code === '53100') return 'The disk of the database is full.'
  if (code.startsWith('SQLITE_READONLY') || code === '25006') return 'The database is read-only.'
  return "The database isn't responding. See the log."
}

async function connect(url: string): ReturnType<typeof openPostgres> {
  const scheme = url.slice(0, url.indexOf(':') + 1)
  switch (scheme) {
    case 'memory:':
      return openSqlite(':memory:')
    case 'file:':
      return openSqlite(url)
    case 'postgres:':
    case 'postgresql:':
      return openPostgres(url)
    default:
      throw unusableDatabase(
        'Its URL must start with file:, memory: or postgres://, such as file:.sightline/sightline.db.',
      )
  }
}

/** Opens an SQLite file (`file:path`, whose folder is made) or a database in memory (`:memory:`). */
export async function openSqlite(url: string): Promise<OpenDialect> {
  const path = url.startsWith('file://') ? fileURLToPath(url) : url.replace(/^file:/, '')
  if (path === '') throw unusableDatabase('Its URL needs a file name after file:.')
  try {
    if (path !== ':memory:') await makePrivateFile(path)
    const database = new Libsql(path)
    // One writer beside many readers, and a commit that survives a crash of this process.
    database.exec('pragma journal_mode = wal')
    database.exec('pragma synchronous = normal')
    database.exec('pragma busy_timeout = 5000')
    database.exec('pragma foreign_keys = on')
    // Up to 64 MB of pages stay in memory, as searches jump about in what they look up.
    database.exec('pragma cache_size = -65536')
    return { dialect: 'sqlite', kyselyDialect: new SqliteDialect({ database: tolerant(database) }) }
  } catch (error) {
    throw unusableDatabase(`Can't open or write the file ${path}.`, error)
  }
}

/** Only its owner may read what is in it; SQLite gives the files beside it the same mode. */
async function makePrivateFile(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const file = await open(path, 'a', 0o600)
  try {
    await file.chmod(0o600).catch((error: unknown) => {
      // Somebody else's file keeps the mode that they gave it.
      if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) throw error
    })
  } finally {
    await file.close()
  }
}

/** A full disk ends a transaction by itself: that there is none to roll back hides the reason. */
function tolerant(database: Libsql.Database): SqliteDatabase {
  return {
    close: () => {
      database.close()
    },
    prepare: (text) => {
      if (text !== 'rollback' || database.inTransaction) return database.prepare(text)
      return database.prepare('select 1')
    },
  }
}

/**
 * Connects to PostgreSQL and asks it one question, so that a wrong address, password or name is
 * told here. Throws a ProblemError that names host and database but no password.
 */
export async function openPostgres(url: string): Promise<OpenDialect> {
  const address = URL.canParse(url) ? new URL(url) : undefined
  if (address === undefined || address.hostname === '') {
    throw unusableDatabase('Its URL must have the form postgres://user:password@host/name.')
  }
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    types,
  })
  // A connection that dies while idle is replaced by the next query; unheard, it ends the process.
  pool.on('error', () => undefined)
  try {
    await pool.query('select 1')
  } catch (error) {
    await pool.end()
    throw unusableDatabase(
      `Can't open ${address.pathname.slice(1)} on PostgreSQL at ${address.host}: ${reason(error)}.`,
    )
  }
  return { dialect: 'postgres', kyselyDialect: new PostgresDialect({ pool }) }
}

/** 64-bit columns hold times and sequence numbers here, which are exact as JavaScript numbers. */
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
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
function unusableDatabase(why: string, cause?: unknown): ProblemError {
  return new ProblemError(
    problem(503, 'database-unusable', 'Database unavailable', `Can't use the database. ${why}`),
    cause === undefined ? {} : { cause },
  )
}
