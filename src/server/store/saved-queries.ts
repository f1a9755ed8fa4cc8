import type { Kysely, Selectable, Transaction } from 'kysely'
import {
  mostQueryRuns,
  type NewQueryRun,
  type NewSavedQuery,
  type QueryRun,
  type SavedQueryChange,
  type StoredQuery,
} from '../../protocol/saved-query.ts'
import { type Act, addAction, inTurn, sortableId } from './actions.ts'
import type { Database } from './database.ts'
import { type Schema, storableText } from './schema.ts'

/** Who acts, from where, and when (epoch ms). */
export interface QueryAct extends Act {
  /** What names the person in every session of theirs. */
  readonly person: string
  /** Whether they may change what everybody shares. */
  readonly mayShare: boolean
}

/** How saving or changing a query came out. */
export type SavingResult =
  | { readonly is: 'saved'; readonly query: StoredQuery }
  /** Another one, visible to the same people, has the name. */
  | { readonly is: 'name-taken'; readonly current: StoredQuery }
  /** Somebody else changed it meanwhile. */
  | { readonly is: 'changed'; readonly current: StoredQuery }
  /** It is somebody else's, or was deleted. */
  | { readonly is: 'gone' }
  | { readonly is: 'refused' }
  | { readonly is: 'full' }

/** As many queries of one person, and as many that are shared. */
export const mostSaved = 1000

/** A person's own queries and all shared ones, by name. */
export async function listSavedQueries(
  { kysely }: Database,
  person: string,
): Promise<StoredQuery[]> {
  const rows = await kysely
    .selectFrom('saved_queries')
    .selectAll()
    .where('deleted_at', 'is', null)
    .where('name_scope', 'in', ['', storableText(person)])
    .orderBy('name_key')
    .orderBy('id')
    .execute()
  return rows.map((row) => seenBy(person, row))
}

/** Saves a query under a name that is free, and notes it. */
export async function saveQuery(
  database: Database,
  asked: NewSavedQuery,
  act: QueryAct,
): Promise<SavingResult> {
  if (asked.shared && !act.mayShare) return { is: 'refused' }
  const scope = scopeOf(asked, act.person)
  const saving = await orNameTaken(database, scope, asked.name, act, async (within) => {
    if (await isFull(within, scope)) return { is: 'full' }
    const row: SavedRow = {
      id: sortableId(act.at),
      person: storableText(act.person),
      by_user: storableText(act.actor.name),
      ...columnsOf(asked, act.person),
      changed_by: storableText(act.actor.name),
      changed_at: act.at,
      version: 1,
      deleted_at: null,
    }
    await within.insertInto('saved_queries').values(row).execute()
    await note(within, row, 'query-saved', `Saved the query ${asked.name}`, act)
    return { is: 'saved', query: seenBy(act.person, row) }
  })
  return orDone(saving, (current) => current.mine && isSame(current, asked))
}

/** What is sent again, as its answer was lost, is done already. */
function orDone(result: SavingResult, isDone: (current: StoredQuery) => boolean): SavingResult {
  return (result.is === 'name-taken' || result.is === 'changed') && isDone(result.current)
    ? { is: 'saved', query: result.current }
    : result
}

function isSame(current: NewSavedQuery, { name, query, zone, shared }: NewSavedQuery): boolean {
  return (
    current.name === storableText(name) &&
    current.query === storableText(query) &&
    current.zone === (zone === null ? null : storableText(zone)) &&
    current.shared === shared
  )
}

/** Changes a query, or its name, of the version that was seen, and notes it. */
export async function changeQuery(
  database: Database,
  id: string,
  { version, ...change }: SavedQueryChange,
  act: QueryAct,
): Promise<SavingResult> {
  const found = await find(database.kysely, id, act.person)
  if (found?.deleted_at !== null) return { is: 'gone' }
  const before = seenBy(act.person, found)
  const wanted = { ...before, ...change }
  if (!mayChange(before, wanted, act)) return { is: 'refused' }
  const scope = scopeOf(wanted, found.person)
  const exceptItself = { ...act, except: id }
  const changing = await orNameTaken(database, scope, wanted.name, exceptItself, async (within) => {
    if (scope !== found.name_scope && (await isFull(within, scope))) return { is: 'full' }
    const row: SavedRow = {
      ...found,
      ...columnsOf(wanted, found.person),
      changed_by: storableText(act.actor.name),
      changed_at: act.at,
      version: version + 1,
    }
    if (!(await replace(within, row, version))) return changed(within, id, act.person)
    await note(within, row, 'query-changed', whatChanged(before, wanted), act)
    return { is: 'saved', query: seenBy(act.person, row) }
  })
  return orDone(
    changing,
    (current) =>
      current.version === version + 1 &&
      current.changedBy === storableText(act.actor.name) &&
      isSame(current, wanted),
  )
}

/** Deletes a query of the version that was seen; it can be restored until old history is swept. */
export async function deleteQuery(
  { kysely }: Database,
  id: string,
  version: number,
  act: QueryAct,
): Promise<SavingResult> {
  return kysely.transaction().execute(async (within): Promise<SavingResult> => {
    const found = await find(within, id, act.person)
    if (found === undefined) return { is: 'gone' }
    const before = seenBy(act.person, found)
    const isAllowed = mayChange(before, before, act)
    if (found.deleted_at !== null) {
      // Who deletes it once more wants what is the case.
      return isAllowed && found.version === version + 1
        ? { is: 'saved', query: before }
        : { is: 'gone' }
    }
    if (!isAllowed) return { is: 'refused' }
    const row = { ...found, version: version + 1, deleted_at: act.at }
    if (!(await replace(within, row, version))) return changed(within, id, act.person)
    await note(within, row, 'query-deleted', `Deleted the query ${found.name}`, act)
    return { is: 'saved', query: seenBy(act.person, row) }
  })
}

/** Takes a deletion back, unless the name was given to another query since. */
export async function restoreQuery(
  database: Database,
  id: string,
  act: QueryAct,
): Promise<SavingResult> {
  const found = await find(database.kysely, id, act.person)
  if (found === undefined) return { is: 'gone' }
  const before = seenBy(act.person, found)
  if (!mayChange(before, before, act)) return { is: 'refused' }
  if (found.deleted_at === null) return { is: 'saved', query: before }
  return orNameTaken(database, found.name_scope, found.name, act, async (within) => {
    if (await isFull(within, found.name_scope)) return { is: 'full' }
    const row = { ...found, version: found.version + 1, deleted_at: null }
    if (!(await replace(within, row, found.version))) return changed(within, id, act.person)
    await note(within, row, 'query-restored', `Restored the query ${found.name}`, act)
    return { is: 'saved', query: seenBy(act.person, row) }
  })
}

type SavedRow = Selectable<Schema['saved_queries']>

function seenBy(person: string, row: SavedRow): StoredQuery {
  return {
    id: row.id,
    name: row.name,
    query: row.query,
    zone: row.zone,
    shared: row.is_shared === 1,
    mine: row.person === storableText(person),
    by: row.by_user,
    changedBy: row.changed_by,
    changedAt: row.changed_at,
    version: row.version,
  }
}

/** Only the owner takes a query back from everybody: it would be nobody else's. */
function mayChange(
  before: StoredQuery,
  wanted: Pick<NewSavedQuery, 'shared'>,
  { mayShare }: QueryAct,
): boolean {
  if ((before.shared || wanted.shared) && !mayShare) return false
  return before.mine || (before.shared && wanted.shared)
}

function scopeOf({ shared }: Pick<NewSavedQuery, 'shared'>, person: string): string {
  return shared ? '' : storableText(person)
}

function columnsOf({ name, query, zone, shared }: NewSavedQuery, person: string) {
  return {
    is_shared: shared ? 1 : 0,
    name_scope: scopeOf({ shared }, person),
    name: storableText(name),
    name_key: keyOf(name),
    query: storableText(query),
    zone: zone === null ? null : storableText(zone),
  }
}

function keyOf(name: string): string {
  return storableText(name).toLowerCase()
}

function find(kysely: Kysely<Schema>, id: string, person: string): Promise<SavedRow | undefined> {
  return kysely
    .selectFrom('saved_queries')
    .selectAll()
    .where('id', '=', storableText(id))
    .where('name_scope', 'in', ['', storableText(person)])
    .executeTakeFirst()
}

/** Whether it was still of that version. */
async function replace(
  within: Transaction<Schema>,
  { id, ...row }: SavedRow,
  version: number,
): Promise<boolean> {
  const { numUpdatedRows } = await within
    .updateTable('saved_queries')
    .set(row)
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

async function changed(
  within: Transaction<Schema>,
  id: string,
  person: string,
): Promise<SavingResult> {
  const row = await find(within, id, person)
  if (row?.deleted_at !== null) return { is: 'gone' }
  return { is: 'changed', current: seenBy(person, row) }
}

async function isFull(within: Transaction<Schema>, scope: string): Promise<boolean> {
  const { count } = await within
    .selectFrom('saved_queries')
    .select((of) => of.fn.countAll<number | string>().as('count'))
    .where('name_scope', '=', scope)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count) >= mostSaved
}

/** Does it in a transaction; of two who take one name at once the database refuses one. */
async function orNameTaken(
  database: Database,
  scope: string,
  name: string,
  { person, except }: { readonly person: string; readonly except?: string },
  work: (within: Transaction<Schema>) => Promise<SavingResult>,
): Promise<SavingResult> {
  const taken = async (): Promise<SavingResult | undefined> => {
    const row = await database.kysely
      .selectFrom('saved_queries')
      .selectAll()
      .where('name_scope', '=', scope)
      .where('name_key', '=', keyOf(name))
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    return row === undefined || row.id === except
      ? undefined
      : { is: 'name-taken', current: seenBy(person, row) }
  }
  const before = await taken()
  if (before !== undefined) return before
  try {
    // One after another, as they are counted.
    return await inTurn(database, ['saved-queries', scope], work)
  } catch (error) {
    const since = await taken()
    if (since === undefined) throw error
    return since
  }
}

/** What is everybody's is noted with its text, what is one's own without. */
async function note(
  within: Transaction<Schema>,
  { id, name, query, is_shared }: SavedRow,
  action: 'query-saved' | 'query-changed' | 'query-deleted' | 'query-restored',
  what: string,
  { actor, from, redact, at }: QueryAct,
): Promise<void> {
  const detail = is_shared === 1 ? `${what}, shared with everyone: ${query}` : `${what}.`
  const origin = { actor, from, ...(redact && { redact }) }
  await addAction(within, { ...origin, at, action, subject: `${name} (${id})`, detail })
}

function whatChanged(before: NewSavedQuery, wanted: NewSavedQuery): string {
  if (before.name !== wanted.name) return `Renamed the query ${before.name} to ${wanted.name}`
  if (before.shared && !wanted.shared) return `Stopped sharing the query ${wanted.name}`
  return `Changed the query ${wanted.name}`
}

/** A search that is to be remembered, with the key that all its spellings have. */
export interface KeyedQueryRun extends NewQueryRun {
  readonly key: string
  /** Epoch ms. */
  readonly at: number
}

/** Remembers searches of a person: each query once, and of all the newest 200. */
export async function recordQueryRuns(
  { kysely }: Database,
  person: string,
  runs: readonly KeyedQueryRun[],
): Promise<void> {
  const whose = storableText(person)
  await kysely.transaction().execute(async (within) => {
    // In one order, so that two who record at once don't wait for each other.
    const inOrder = [...runs].sort((a, b) => (a.key < b.key ? -1 : 1))
    for (const { key, query, zone, at, matches, isComplete } of inOrder) {
      const set = {
        query: storableText(query),
        zone: zone === null ? null : storableText(zone),
        at,
        matches,
        is_complete: isComplete ? 1 : 0,
      }
      await within
        .insertInto('query_runs')
        .values({ person: whose, query_key: key, ...set })
        .onConflict((conflict) =>
          conflict
            .columns(['person', 'query_key'])
            .doUpdateSet(set)
            .where('query_runs.at', '<=', at),
        )
        .execute()
    }
    const oldestKept = await within
      .selectFrom('query_runs')
      .select('at')
      .where('person', '=', whose)
      .orderBy('at', 'desc')
      .offset(mostQueryRuns - 1)
      .limit(1)
      .executeTakeFirst()
    if (oldestKept === undefined) return
    await within
      .deleteFrom('query_runs')
      .where('person', '=', whose)
      .where('at', '<', oldestKept.at)
      .execute()
  })
}

/** What a person searched for, the newest first. */
export async function listQueryRuns({ kysely }: Database, person: string): Promise<QueryRun[]> {
  const rows = await kysely
    .selectFrom('query_runs')
    .selectAll()
    .where('person', '=', storableText(person))
    .orderBy('at', 'desc')
    .orderBy('query_key')
    .limit(mostQueryRuns)
    .execute()
  return rows.map(({ query, zone, at, matches, is_complete }) => ({
    query,
    zone,
    at,
    matches,
    isComplete: is_complete === 1,
  }))
}

/** Forgets all that a person searched for. */
export async function clearQueryRuns({ kysely }: Database, person: string): Promise<void> {
  await kysely.deleteFrom('query_runs').where('person', '=', storableText(person)).execute()
}
