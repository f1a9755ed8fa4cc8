import { statSync } from 'node:fs'
import { access, chmod, constants, mkdir, open, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Kysely, PostgresDialect, sql, type SqliteDatabase, SqliteDialect } from 'kysely'
import Libsql from 'libsql'
import pg from 'pg'
import { ProblemError } from '../../protocol/problem.ts'
import {
  codeOf,
  type Database,
  type DatabaseFacts,
  databaseFault,
  databaseOn,
  diskFull,
  inspected,
  mayNotWrite,
  type OpenDialect,
  reason,
  unusableDatabase,
} from './database.ts'
import { refuseNewer } from './migrate.ts'
import type { Schema } from './schema.ts'

/**
 * Opens the database at `url` and brings its tables up to date: `file:path` (the folder is made),
 * `memory:`, or `postgres://user:password@host/name`. Safe when two processes start at once on
 * PostgreSQL. Throws a ProblemError with a plain sentence, never with the password.
 */
export async function openDatabase(url: string): Promise<Database> {
  return databaseOn(await connect(url), url.startsWith('file:') ? pathOf(url) : undefined)
}

/**
 * Whether the database at `url` can be opened and written, without writing to it or updating its
 * tables; undefined where it will only be made by a start. Throws a ProblemError like `openDatabase`.
 */
export async function checkDatabase(url: string): Promise<DatabaseFacts | undefined> {
  if (url === 'memory:') return undefined
  if (url.startsWith('file:')) {
    const path = pathOf(url)
    const isThere = await access(path).then(
      () => true,
      () => false,
    )
    if (!isThere) {
      await checkFolder(dirname(path))
      return undefined
    }
    await checkRoom(path)
  }
  const { dialect, kyselyDialect } = await connect(url)
  const kysely = new Kysely<Schema>({ dialect: kyselyDialect })
  try {
    await refuseNewer(kysely, dialect)
    if (dialect === 'sqlite') {
      // Takes the lock that a write needs, and gives it back.
      await kysely.connection().execute(async (connection) => {
        await sql`begin immediate`.execute(connection)
        await sql`rollback`.execute(connection)
      })
      const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(kysely)
      if (rows[0]?.quick_check !== 'ok') {
        throw unusableDatabase('The database is damaged: restore a backup.')
      }
    } else {
      const settings = sql<{
        readonly readonly: string
        readonly writes: boolean | null
      }>`select current_setting('transaction_read_only') as readonly,
          case when to_regclass('seeds') is null then has_schema_privilege(current_schema(), 'create')
            else has_table_privilege(to_regclass('seeds')::oid, 'insert') end as writes`
      const [row] = (await settings.execute(kysely)).rows
      if (row?.readonly === 'on') throw unusableDatabase('It is read-only.')
      if (row?.writes !== true) throw unusableDatabase(mayNotWrite)
    }
    return await inspected(kysely, dialect)
  } catch (error) {
    if (error instanceof ProblemError) throw error
    throw unusableDatabase(databaseFault(error, `Reading it failed: ${reason(error)}.`), error)
  } finally {
    await kysely.destroy()
  }
}

/** Throws on a full disk, which a write that is rolled back would not notice. */
async function checkRoom(path: string): Promise<void> {
  const { bavail, bsize, blocks } = await statfs(path)
  if (blocks > 0 && bavail * bsize < leastRoom) throw unusableDatabase(diskFull)
}

/** Bytes. */
const leastRoom = 100_000

/** Throws where a file could not be made, or one of the folders above it, or the disk is full. */
async function checkFolder(folder: string): Promise<void> {
  try {
    // A file here is no folder, and nothing can be below it.
    await access(`${folder}/`, constants.W_OK)
  } catch (error) {
    const isMissing = codeOf(error) === 'ENOENT'
    if (!isMissing || dirname(folder) === folder) {
      throw unusableDatabase(`Can't write to the folder ${folder}.`, error)
    }
    return checkFolder(dirname(folder))
  }
  await checkRoom(folder)
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
  const path = pathOf(url)
  if (path === '') throw unusableDatabase('Its URL needs a file name after file:.')
  let database: Libsql.Database | undefined
  try {
    if (path !== ':memory:') await makeFile(path)
    database = new Libsql(path)
    database.exec('pragma busy_timeout = 5000')
    const kyselyDialect = new SqliteDialect({ database: tolerant(database, inPlace(path)) })
    // Looks before anything is set, as a mode or a journal would change the file.
    await refuseNewer(new Kysely<Schema>({ dialect: kyselyDialect }), 'sqlite')
    if (path !== ':memory:') await makePrivate(path)
    // One writer beside many readers, and a commit that survives a crash of this process.
    database.exec('pragma journal_mode = wal')
    database.exec('pragma synchronous = normal')
    database.exec('pragma foreign_keys = on')
    // Up to 64 MB of pages stay in memory, as searches jump about in what they look up.
    database.exec('pragma cache_size = -65536')
    return { dialect: 'sqlite', kyselyDialect }
  } catch (error) {
    database?.close()
    if (error instanceof ProblemError) throw error
    const why = databaseFault(error, '') || (await folderFault(path))
    throw unusableDatabase(`Can't open or write the file ${path}. ${why}`.trimEnd(), error)
  }
}

function pathOf(url: string): string {
  return url.startsWith('file://') ? fileURLToPath(url) : url.replace(/^file:/, '')
}

/**
 * A file that is there is not opened here: when a process closes a file, the system takes away all
 * locks that it has on it, and then another process takes itself for the only one of the database
 * and deletes the log of writes that this one goes on with.
 */
async function makeFile(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  try {
    await (await open(path, 'wx', 0o600)).close()
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    if ((await stat(path)).isDirectory()) throw Object.assign(new Error(path), { code: 'EISDIR' })
    await access(path, constants.R_OK | constants.W_OK)
  }
}

/** Only its owner may read what is in it; SQLite gives the files that it makes beside it the same mode. */
async function makePrivate(path: string): Promise<void> {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    try {
      await chmod(file, 0o600)
    } catch (error) {
      // Somebody else's file keeps the mode that they gave it.
      if (codeOf(error) !== 'EPERM' && (file === path || codeOf(error) !== 'ENOENT')) throw error
    }
  }
}

/** SQLite makes its log of writes beside the file; a folder that has it already may be one that nobody can write to. */
async function folderFault(path: string): Promise<string> {
  const folder = dirname(path)
  return access(folder, constants.W_OK).then(
    () => '',
    () =>
      `This account may not write to the folder ${folder}, as SQLite has to: give it the right to.`,
  )
}

/**
 * Throws where the file that was opened no longer stands at its path, as SQLite does of all journals but this one: what is
 * written to it then would be gone with the process.
 */
function inPlace(path: string): () => void {
  if (path === ':memory:') return () => undefined
  const inode = (): number | undefined => statSync(path, { throwIfNoEntry: false })?.ino
  const opened = inode()
  return () => {
    if (inode() === opened) return
    throw Object.assign(new Error('the database file was moved'), {
      code: 'SQLITE_READONLY_DBMOVED',
    })
  }
}

/** `mayWrite` throws where nothing can be written that lasts. */
function tolerant(database: Libsql.Database, mayWrite: () => void): SqliteDatabase {
  /**
   * A statement that found the database locked is in progress until it is started again or garbage,
   * and no write is committed meanwhile; so it is started where it can only fail.
   */
  function ended<T>(execute: () => T): T {
    try {
      return execute()
    } catch (error) {
      if (codeOf(error).startsWith('SQLITE_BUSY')) {
        database.exec('pragma query_only = on')
        try {
          execute()
        } catch {
          // What it fails with now is no news.
        }
        database.exec('pragma query_only = off')
      }
      throw error
    }
  }
  return {
    close: () => {
      database.close()
    },
    prepare: (text) => {
      if (!database.inTransaction && writing.test(text)) mayWrite()
      // A full disk ends a transaction by itself: that there is none to roll back hides the reason.
      const isEnded = text === 'rollback' && !database.inTransaction
      // A transaction that writes only after it has read would fail at once where another process writes, and not wait for it.
      const begins = text === 'begin' ? 'begin immediate' : text
      const statement = database.prepare(isEnded ? 'select 1' : begins)
      return {
        reader: statement.reader,
        all: (parameters) => ended(() => statement.all(parameters)),
        run: (parameters) => ended(() => statement.run(parameters)),
        iterate: (parameters) => statement.iterate(parameters),
      }
    },
  }
}

/** What begins a write outside of a transaction, or the transaction itself. */
const writing = /^(?:begin|insert|update|delete|replace)\b/i

/**
 * Connects to PostgreSQL and asks it one question, so that a wrong address, password or name is
 * told here. Throws a ProblemError that names host and database but no password.
 */
export async function openPostgres(url: string): Promise<OpenDialect> {
  // A socket's folder stands in the query, in place of the host.
  const whole = url.replace('@/', '@localhost/')
  const address = URL.canParse(whole) ? new URL(whole) : undefined
  const host = address?.searchParams.get('host') ?? address?.host ?? ''
  if (address === undefined || host === '') {
    throw unusableDatabase('Its URL must have the form postgres://user:password@host/name.')
  }
  const pool = new pg.Pool({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    // Finds idle connections whose other end has gone without a word.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: exactNumbers(),
  })
  // A connection that dies, idle or between two queries, is replaced; unheard, it ends the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => {
    client.on('error', () => undefined)
  })
  try {
    await pool.query('select 1')
  } catch (error) {
    await pool.end()
    throw unusableDatabase(
      `Can't open ${address.pathname.slice(1) || 'the default database'} on PostgreSQL at ${host}: ${reason(error)}.`,
    )
  }
  return { dialect: 'postgres', kyselyDialect: new PostgresDialect({ pool }) }
}

/** 64-bit columns hold times and sequence numbers here, which are exact as JavaScript numbers. */
function exactNumbers(): pg.CustomTypesConfig {
  const types = new pg.TypeOverrides()
  types.setTypeParser(pg.types.builtins.INT8, Number)
  return types
}
