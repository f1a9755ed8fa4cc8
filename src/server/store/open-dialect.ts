import type { Dialect as KyselyDialect } from 'kysely'
import type { Dialect } from './dialect.ts'

/** A database that answered, and how Kysely speaks to it. */
export interface OpenDialect {
  readonly dialect: Dialect
  readonly kyselyDialect: KyselyDialect
}
