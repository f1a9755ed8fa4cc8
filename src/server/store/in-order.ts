import { sql, type Transaction } from 'kysely'
import type { Database } from './database.ts'
import type { Schema } from './schema.ts'

/**
 * Runs `work` in a transaction as the only one that adds or removes builds or what they are found by:
 * PostgreSQL hands out positions before a transaction commits, so that two writers could make a build
 * visible behind a reader that has gone past it, and one could drop a text that the other just uses.
 */
export function inOrder<T>(
  { kysely, dialect }: Database,
  work: (transaction: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  return kysely.transaction().execute(async (transaction) => {
    if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(778232)`.execute(transaction)
    return work(transaction)
  })
}
