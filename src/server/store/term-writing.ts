import { type Kysely, sql, type SqlBool, type Transaction } from 'kysely'
import type { Facts } from '../../protocol/facts.ts'
import { wholeNumber } from './build-rows.ts'
import type { Database } from './database.ts'
import { manyValues } from './many-values.ts'
import type { Dialect, Schema } from './schema.ts'
import { termsOf } from './search-terms.ts'

/** Facts of the build at a position. */
export interface FactsAt {
  readonly position: number
  readonly facts: Facts
}

/**
 * Stores what some builds are searched by: their facts whole, and the texts in them. Builds that
 * have facts already must not be among them. Whoever writes on PostgreSQL holds the lock of
 * `inOrder`, so that no text is dropped as unused meanwhile.
 */
export async function insertFacts(
  transaction: Transaction<Schema>,
  dialect: Dialect,
  builds: readonly FactsAt[],
): Promise<void> {
  if (builds.length === 0) return
  await transaction
    .insertInto('build_facts')
    .values(
      builds.map(({ position, facts }) => ({ build_seq: position, facts: JSON.stringify(facts) })),
    )
    .execute()
  await widenStartBlocks(transaction, dialect, builds)
  const found = builds.map(({ position, facts }) => ({ position, terms: termsOf(facts) }))
  const ids = await termIds(transaction, dialect, [...new Set(found.flatMap(({ terms }) => terms))])
  const rows = found.flatMap(({ position, terms }) =>
    terms.map((term): [number, number] => [ids.get(term) ?? missing(term), position]),
  )
  if (rows.length === 0) return
  // In the order of the table, so that its pages are written one after the other.
  rows.sort((a, b) => a[0] - b[0] || a[1] - b[1])
  const all = manyValues(dialect).pairRows(rows)
  await sql`insert into build_terms (term, build_seq) ${all}`.execute(transaction)
}

/** Forgets by which texts some builds were found, and the texts that no build has any more. */
export async function deleteTerms(
  transaction: Transaction<Schema>,
  dialect: Dialect,
  positions: readonly number[],
): Promise<void> {
  const { isNumberAmong } = manyValues(dialect)
  const terms = await transaction
    .selectFrom('build_terms')
    .select('term')
    .distinct()
    .where(isNumberAmong('build_seq', positions))
    .execute()
  await transaction.deleteFrom('build_terms').where(isNumberAmong('build_seq', positions)).execute()
  const ids = terms.map(({ term }) => term)
  await transaction
    .deleteFrom('search_terms')
    .where(isNumberAmong('id', ids))
    .where(sql<SqlBool>`not exists (select 1 from build_terms where term = search_terms.id)`)
    .execute()
}

/** The ids of texts, which are stored where they are new. */
async function termIds(
  transaction: Transaction<Schema>,
  dialect: Dialect,
  texts: readonly string[],
): Promise<Map<string, number>> {
  const known = await knownTerms(transaction, dialect, texts)
  const added = texts.filter((text) => !known.has(text))
  if (added.length === 0) return known
  const rows = manyValues(dialect).textRows(added)
  await sql`insert into search_terms (text) ${rows} on conflict do nothing`.execute(transaction)
  return new Map([...known, ...(await knownTerms(transaction, dialect, added))])
}

/** The ids of those of the texts that some build has. */
export async function knownTerms(
  kysely: Kysely<Schema>,
  dialect: Dialect,
  texts: readonly string[],
): Promise<Map<string, number>> {
  const rows = await kysely
    .selectFrom('search_terms')
    .select(['id', 'text'])
    .where(manyValues(dialect).isTextAmong('text', texts))
    .execute()
  return new Map(rows.map(({ id, text }) => [text, id]))
}

function missing(term: string): never {
  throw new Error(`the database did not keep the term ${term}`)
}

/**
 * Builds arrive about in the order in which they started: of each so many positions it is kept when
 * the first and the last of them started, so that a search by start time knows where to look.
 */
const blockSize = 2048

/** Makes the blocks of some builds wide enough; builds of which no start is known are in none. */
export async function widenStartBlocks(
  transaction: Transaction<Schema>,
  dialect: Dialect,
  builds: readonly { readonly position: number; readonly facts: Facts }[],
): Promise<void> {
  const blocks = new Map<number, { earliest: number; latest: number }>()
  for (const { position, facts } of builds) {
    if (typeof facts.startTime !== 'number') continue
    const start = wholeNumber(facts.startTime)
    const block = Math.floor(position / blockSize)
    const { earliest, latest } = blocks.get(block) ?? { earliest: start, latest: start }
    blocks.set(block, { earliest: Math.min(earliest, start), latest: Math.max(latest, start) })
  }
  if (blocks.size === 0) return
  const [least, greatest] = dialect === 'postgres' ? ['least', 'greatest'] : ['min', 'max']
  await transaction
    .insertInto('start_blocks')
    .values([...blocks].map(([block, times]) => ({ block, ...times })))
    .onConflict((conflict) =>
      conflict.column('block').doUpdateSet({
        earliest: sql`${sql.raw(least)}(start_blocks.earliest, excluded.earliest)`,
        latest: sql`${sql.raw(greatest)}(start_blocks.latest, excluded.latest)`,
      }),
    )
    .execute()
}

/** Between which positions all builds lie that started from `low` to `high`; undefined for none. */
export async function positionsByStart(
  { kysely }: Database,
  low: number,
  high: number,
): Promise<{ readonly low: number; readonly high: number } | undefined> {
  const found = await kysely
    .selectFrom('start_blocks')
    .select(({ fn }) => [
      fn.min<number | null>('block').as('first'),
      fn.max<number | null>('block').as('last'),
    ])
    .where('latest', '>=', low)
    .where('earliest', '<=', high)
    .executeTakeFirst()
  if (found?.first === null || found?.last === null || found === undefined) return undefined
  return { low: found.first * blockSize, high: (found.last + 1) * blockSize - 1 }
}

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
