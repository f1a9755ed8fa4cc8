import { Kysely, Migrator } from 'kysely'
import { ProblemError } from '../../protocol/problem.ts'
import type { Dialect } from './dialect.ts'
import { migrations } from './migrations.ts'
import { openPostgres } from './postgres.ts'
import type { Schema } from './schema.ts'
import { openSqlite } from './sqlite.ts'
import { unusableDatabase } from './unusable-database.ts'

/** An open database with its tables in place. */
export interface Database {
  readonly kysely: Kysely<Schema>
  readonly dialect: Dialect
  readonly close: () => Promise<void>
}

/**
 * Opens the database at `url` and brings its tables up to date: `file:path` (the folder is made),
 * `memory:`, or `postgres://user:password@host/name`. Safe when two processes start at once on
 * PostgreSQL. Throws a ProblemError with a plain sentence, never with the password.
 */
export async function openDatabase(url: string): Promise<Database> {
  const { dialect, kyselyDialect } = await open(url)
  const kysely = new Kysely<Schema>({ dialect: kyselyDialect })
  const migrator = new Migrator({ db: kysely, provider: migrations(dialect) })
  const { error } = await migrator.migrateToLatest().catch((thrown: unknown) => ({ error: thrown }))
  if (error !== undefined) {
    await kysely.destroy()
    throw error instanceof ProblemError
      ? error
      : unusableDatabase('Its tables could not be brought up to date.', error)
  }
  return { kysely, dialect, close: () => kysely.destroy() }
}

async function open(url: string): ReturnType<typeof openPostgres> {
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
        'Its address must begin with file:, memory: or postgres://, such as file:.sightline/sightline.db.',
      )
  }
}
