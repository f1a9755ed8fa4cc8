import { sql } from 'kysely'
import type { Facts } from '../../src/protocol/facts.ts'
import { buildRow, factColumns } from '../../src/server/store/build-rows.ts'
import type { Database } from '../../src/server/store/database.ts'
import { manyValues } from '../../src/server/store/many-values.ts'
import { termsOf } from '../../src/server/store/search-terms.ts'
import { widenStartBlocks } from '../../src/server/store/term-writing.ts'

const batchSize = 20_000
const rowsAtOnce = 1000

/** Puts more builds into a database. */
export type Fill = (builds: Iterable<Facts>) => Promise<void>

/**
 * Fills an empty database in bulk: the rows that the store would have written, without events. The
 * positions of the builds are 1, 2, 3 and so on.
 */
export function createFill(database: Database): Fill {
  const ids = new Map<string, number>()
  let position = 1
  return async (builds) => {
    for (const batch of batches(builds)) {
      await store(database, batch, position, ids)
      position += batch.length
    }
  }
}

function store(
  { kysely, dialect }: Database,
  batch: readonly Facts[],
  first: number,
  ids: Map<string, number>,
): Promise<void> {
  const added: string[] = []
  const pairs: [number, number][] = []
  batch.forEach((facts, index) => {
    for (const term of termsOf(facts)) {
      let id = ids.get(term)
      if (id === undefined) {
        id = ids.size + 1
        ids.set(term, id)
        added.push(term)
      }
      pairs.push([id, first + index])
    }
  })
  pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1])
  const rows = batch.map((facts, index) => ({
    seq: first + index,
    ...buildRow(messageOf(facts), true),
    ...factColumns(facts),
  }))
  const { textRows, pairRows } = manyValues(dialect)
  return kysely.transaction().execute(async (transaction) => {
    for (let start = 0; start < batch.length; start += rowsAtOnce) {
      const end = start + rowsAtOnce
      await transaction.insertInto('builds').values(rows.slice(start, end)).execute()
      const facts = batch.slice(start, end).map((known, index) => ({
        build_seq: first + start + index,
        facts: JSON.stringify(known),
      }))
      await transaction.insertInto('build_facts').values(facts).execute()
    }
    const starts = batch.map((facts, index) => ({ position: first + index, facts }))
    await widenStartBlocks(transaction, dialect, starts)
    await sql`insert into search_terms (text) ${textRows(added)}`.execute(transaction)
    await sql`insert into build_terms (term, build_seq) ${pairRows(pairs)}`.execute(transaction)
  })
}

function messageOf(facts: Facts) {
  return {
    buildId: facts.buildId,
    timestamp: facts.receivedAt,
    toolType: facts.buildTool,
    toolVersion: facts.buildToolVersion,
    agentVersion: facts.agentVersion,
  }
}

function* batches(builds: Iterable<Facts>): Generator<Facts[], void, undefined> {
  let batch: Facts[] = []
  for (const build of builds) {
    batch.push(build)
    if (batch.length === batchSize) {
      yield batch
      batch = []
    }
  }
  if (batch.length > 0) yield batch
}
