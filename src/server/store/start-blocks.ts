import { sql, type Transaction } from 'kysely'
import type { Facts } from '../../protocol/facts.ts'
import { wholeNumber } from './build-rows.ts'
import type { Database } from './database.ts'
import type { Dialect } from './dialect.ts'
import type { Schema } from './schema.ts'

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
