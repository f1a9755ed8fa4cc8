import { PostgresDialect } from 'kysely'
import pg from 'pg'
import type { OpenDialect } from './open-dialect.ts'
import { unusableDatabase } from './unusable-database.ts'

/**
 * Connects to PostgreSQL and asks it one question, so that a wrong address, password or name is
 * told here. Throws a ProblemError that names host and database but no password.
 */
export async function openPostgres(url: string): Promise<OpenDialect> {
  const address = URL.canParse(url) ? new URL(url) : undefined
  if (address === undefined || address.hostname === '') {
    throw unusableDatabase('Its address is not of the form postgres://user:password@host/name.')
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
      `PostgreSQL at ${address.host} did not open ${address.pathname.slice(1)}: ${reason(error)}.`,
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
      return 'nothing listens there'
    case 'ENOTFOUND':
      return 'there is no such host'
    case '28P01':
    case '28000':
      return 'it refused the user or the password'
    case '3D000':
      return 'there is no such database'
    default:
      return error instanceof Error && error.message !== '' ? error.message : `it failed (${code})`
  }
}
