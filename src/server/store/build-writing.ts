import type { Transaction } from 'kysely'
import type { Attributes } from '../../protocol/build-data.ts'
import type { BuildMessage } from '../../protocol/build-message.ts'
import type { Facts } from '../../protocol/facts.ts'
import { problemError } from '../../protocol/problem.ts'
import { type EventChunk, lastEventId, packEvents } from './build-events.ts'
import { type BuildCounts, insertPoints, noCounts, removePoints } from './build-points.ts'
import { buildRow, factColumns } from './build-rows.ts'
import type { Database } from './database.ts'
import type { Schema } from './schema.ts'
import { deleteTerms, inOrder, insertFacts } from './term-writing.ts'

/** What becomes known of a build when the last of its events is stored. */
export interface Completion {
  readonly attributes: Attributes | null
  readonly facts?: Facts
  readonly counts?: BuildCounts
}

const batchSize = 200

/**
 * Stores whole builds, readable at once, in the order given; up to 200 in one transaction. They come
 * after all others, or, on SQLite, have positions from `first` on, which must be free. Throws a ProblemError (409)
 * that names a build whose id exists, and nothing of its batch is stored.
 */
export async function addBuilds(
  database: Database,
  builds: readonly NewBuild[],
  first?: number,
): Promise<void> {
  for (let start = 0; start < builds.length; start += batchSize) {
    const position = first === undefined ? undefined : first + start
    await addBatch(database, builds.slice(start, start + batchSize), position)
  }
}

/** Announces a build: listed from now on, not readable until it is completed. Throws as addBuilds. */
export async function beginBuild(database: Database, message: BuildMessage): Promise<number> {
  return inOrder(database, async (transaction) => {
    const positions = await insertBuilds(transaction, [buildRow(message, false)])
    return at(positions, message.buildId)
  })
}

/** Adds events at the end of a build that was begun. */
export async function appendEvents(
  database: Database,
  position: number,
  texts: readonly string[],
): Promise<void> {
  const chunks = await packEvents(texts, (await lastEventId(database, position)) + 1)
  for (const chunk of chunks) {
    await database.kysely.insertInto('event_chunks').values(chunkRow(position, chunk)).execute()
  }
}

/** Drops the events of a build that was begun: a second Build message starts it again. */
export async function restartBuild({ kysely }: Database, position: number): Promise<void> {
  await kysely.deleteFrom('event_chunks').where('build_seq', '=', position).execute()
}

/** Makes a build that was begun readable, and found by its facts. */
export async function completeBuild(
  database: Database,
  position: number,
  { attributes, facts, counts = noCounts }: Completion,
): Promise<void> {
  await inOrder(database, async (transaction) => {
    if (attributes !== null) {
      const row = { build_seq: position, attributes: JSON.stringify(attributes) }
      await transaction.insertInto('build_attributes').values(row).execute()
    }
    await transaction
      .updateTable('builds')
      .set({ ...(facts === undefined ? {} : factColumns(facts)), readable: 1 })
      .where('seq', '=', position)
      .execute()
    if (facts !== undefined) {
      await insertFacts(transaction, database.dialect, [{ position, facts }])
      await insertPoints(transaction, database.dialect, [{ position, facts, counts }])
    }
  })
}

async function addBatch(
  database: Database,
  builds: readonly NewBuild[],
  first: number | undefined,
): Promise<void> {
  const packed = await Promise.all(
    builds.map(async (build) => ({ ...build, chunks: await packEvents(build.events, 1) })),
  )
  await inOrder(database, async (transaction) => {
    const positions = await insertBuilds(
      transaction,
      packed.map(({ message, facts }, index) => ({
        ...(first === undefined ? {} : { seq: first + index }),
        ...buildRow(message, true),
        ...(facts === undefined ? {} : factColumns(facts)),
      })),
    )
    const attributes = packed.flatMap((build) =>
      build.attributes === null
        ? []
        : [
            {
              build_seq: at(positions, build.message.buildId),
              attributes: JSON.stringify(build.attributes),
            },
          ],
    )
    if (attributes.length > 0) {
      await transaction.insertInto('build_attributes').values(attributes).execute()
    }
    const chunks = packed.flatMap((build) =>
      build.chunks.map((chunk) => chunkRow(at(positions, build.message.buildId), chunk)),
    )
    for (let start = 0; start < chunks.length; start += batchSize) {
      const rows = chunks.slice(start, start + batchSize)
      await transaction.insertInto('event_chunks').values(rows).execute()
    }
    const known = packed.flatMap(({ message, facts, counts = noCounts }) =>
      facts === undefined ? [] : [{ position: at(positions, message.buildId), facts, counts }],
    )
    await insertFacts(transaction, database.dialect, known)
    await insertPoints(transaction, database.dialect, known)
  })
}

async function insertBuilds(
  transaction: Transaction<Schema>,
  rows: readonly ReturnType<typeof buildRow>[],
): Promise<Map<string, number>> {
  await refuseKnown(
    transaction,
    rows.map((row) => row.build_id),
  )
  const inserted = await transaction
    .insertInto('builds')
    .values(rows)
    .returning(['build_id', 'seq'])
    .execute()
  return new Map(inserted.map((row) => [row.build_id, row.seq]))
}

async function refuseKnown(
  transaction: Transaction<Schema>,
  ids: readonly string[],
): Promise<void> {
  const known = await transaction
    .selectFrom('builds')
    .select('build_id')
    .where('build_id', 'in', ids)
    .executeTakeFirst()
  const twice = known?.build_id ?? ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice === undefined) return
  throw problemError(409, 'build-exists', 'Build already exists', `Build ${twice} already exists.`)
}

function chunkRow(position: number, chunk: EventChunk): Schema['event_chunks'] {
  return {
    build_seq: position,
    first_id: chunk.firstId,
    last_id: chunk.lastId,
    types: JSON.stringify(chunk.types),
    body: chunk.body,
  }
}

function at(positions: ReadonlyMap<string, number>, buildId: string): number {
  const position = positions.get(buildId)
  if (position === undefined) throw new Error(`the database didn't respond for build ${buildId}`)
  return position
}

/**
 * A whole build as it is given to the store. `events` are oldest first, each as its JSON text on
 * one line, so that 64-bit ids stay exact. `attributes` is null where only events are known;
 * `facts` fill the columns by which builds are searched, absent ones stay empty; `counts` are what is
 * counted of it beside them.
 */
export interface NewBuild {
  readonly message: BuildMessage
  readonly attributes: Attributes | null
  readonly events: readonly string[]
  readonly facts?: Facts
  readonly counts?: BuildCounts
}

const removedAtOnce = 500
const rememberedIds = 100_000

/**
 * Removes all builds but the newest `keepNewest`, in small transactions so that readers are not
 * held up. The ids of the last 100,000 removed ones still serve as cursors. Answers how many were
 * removed.
 */
export async function pruneBuilds(database: Database, keepNewest: number): Promise<number> {
  const { kysely } = database
  const oldestGone = await kysely
    .selectFrom('builds')
    .select('seq')
    .orderBy('seq', 'desc')
    .offset(keepNewest)
    .limit(1)
    .executeTakeFirst()
  let removed = 0
  for (let batch = -1; oldestGone !== undefined && batch !== 0; removed += Math.max(0, batch)) {
    const rows = await kysely
      .selectFrom('builds')
      .select(['seq', 'build_id'])
      .where('seq', '<=', oldestGone.seq)
      .orderBy('seq')
      .limit(removedAtOnce)
      .execute()
    await removeBuilds(database, rows)
    batch = rows.length
  }
  const oldestRemembered = await kysely
    .selectFrom('removed_builds')
    .select('seq')
    .orderBy('seq', 'desc')
    .offset(rememberedIds)
    .limit(1)
    .executeTakeFirst()
  if (oldestRemembered !== undefined) {
    await kysely.deleteFrom('removed_builds').where('seq', '<=', oldestRemembered.seq).execute()
  }
  return removed
}

/** Removes all builds, as if none had ever been stored. */
export async function forgetBuilds(database: Database): Promise<void> {
  await pruneBuilds(database, 0)
  await database.kysely.deleteFrom('removed_builds').execute()
}

/** Removes one build with its events; its id still serves as a cursor. */
export async function removeBuild(
  database: Database,
  position: number,
  buildId: string,
): Promise<void> {
  await removeBuilds(database, [{ seq: position, build_id: buildId }])
}

async function removeBuilds(
  database: Database,
  rows: readonly { readonly seq: number; readonly build_id: string }[],
): Promise<void> {
  if (rows.length === 0) return
  await inOrder(database, async (transaction) => {
    await transaction
      .insertInto('removed_builds')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('build_id').doUpdateSet((row) => ({ seq: row.ref('excluded.seq') })),
      )
      .execute()
    const positions = rows.map((row) => row.seq)
    await deleteTerms(transaction, database.dialect, positions)
    await removePoints(transaction, database.dialect, positions)
    await transaction.deleteFrom('builds').where('seq', 'in', positions).execute()
  })
}
