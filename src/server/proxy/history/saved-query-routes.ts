import type { Context } from 'hono'
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { countOf } from '../../../protocol/count.ts'
import { mayDo, rolesFor } from '../../../protocol/permission.ts'
import { problemError } from '../../../protocol/problem.ts'
import {
  longestQueryName,
  longestQueryRun,
  longestSavedQuery,
  mostImported,
  mostQueryRuns,
  type NewSavedQuery,
  type StoredQuery,
} from '../../../protocol/saved-query.ts'
import { format } from '../../../search/format.ts'
import { parse } from '../../../search/parse.ts'
import type { Database } from '../../store/database.ts'
import {
  changeQuery,
  clearQueryRuns,
  deleteQuery,
  type KeyedQueryRun,
  listQueryRuns,
  listSavedQueries,
  mostSaved,
  type QueryAct,
  recordQueryRuns,
  restoreQuery,
  saveQuery,
  type SavingResult,
} from '../../store/saved-queries.ts'
import { anyText, checkedBody, readJsonBody, textUpTo } from '../read-request.ts'
import type { ProxyEnv, RouteHandler } from '../sessions.ts'
import { originOf } from './audit.ts'
import type { HistoryOptions } from './history.ts'

/** `GET /history/queries`: one's own and the shared ones. */
export function savedQueryList({ database }: HistoryOptions): RouteHandler {
  return async (c) => c.json({ queries: await listSavedQueries(database, personOf(c)) })
}

/** `POST /history/queries`: answers 201 with what was saved, and 409 where the name is taken. */
export function saveNewQuery({ database, clock, changes }: HistoryOptions): RouteHandler {
  return async (c) => {
    const asked = await bodyOf(c, NewBody)
    const query = savedOf(await saveQuery(database, asked, actOf(c, clock.now())))
    changes.publish('queries', query.id)
    return c.json(query, 201)
  }
}

/** `POST /history/queries/:id`: 409 where somebody else changed it since it was seen. */
export function changeSavedQuery({ database, clock, changes }: HistoryOptions): RouteHandler {
  return async (c) => {
    const { name, query, zone, shared, version } = await bodyOf(c, ChangeBody)
    const change = {
      version,
      ...(name === undefined ? {} : { name }),
      ...(query === undefined ? {} : { query }),
      ...(zone === undefined ? {} : { zone }),
      ...(shared === undefined ? {} : { shared }),
    }
    const id = c.req.param('id') ?? ''
    const changed = savedOf(await changeQuery(database, id, change, actOf(c, clock.now())))
    changes.publish('queries', id)
    return c.json(changed)
  }
}

/** `POST /history/queries/:id/delete`: what can be restored for a while. */
export function deleteSavedQuery({ database, clock, changes }: HistoryOptions): RouteHandler {
  return async (c) => {
    const { version } = await bodyOf(c, VersionBody)
    const id = c.req.param('id') ?? ''
    const deleted = savedOf(await deleteQuery(database, id, version, actOf(c, clock.now())))
    changes.publish('queries', id)
    return c.json(deleted)
  }
}

/** `POST /history/queries/:id/restore`: takes a deletion back. */
export function restoreSavedQuery({ database, clock, changes }: HistoryOptions): RouteHandler {
  return async (c) => {
    const id = c.req.param('id') ?? ''
    const restored = savedOf(await restoreQuery(database, id, actOf(c, clock.now())))
    changes.publish('queries', id)
    return c.json(restored)
  }
}

/**
 * `POST /history/query-import`: takes over what a browser kept by itself, and answers with all that is
 * saved then. Sent again it changes nothing: a query that is there already stays as it is, and one
 * whose name has another query gets a number behind it.
 */
export function importQueries({ database, clock, changes }: HistoryOptions): RouteHandler {
  return async (c) => {
    const { queries, runs } = await bodyOf(c, ImportBody)
    const act = actOf(c, clock.now())
    for (const query of queries) {
      const { id } = await imported(database, { ...query, shared: false }, act)
      changes.publish('queries', id)
    }
    await importRuns(database, runs, act)
    return c.json({ queries: await listSavedQueries(database, act.person) })
  }
}

/** Nobody knows when they were run: they come behind those that are recorded already. */
async function importRuns(
  database: Database,
  runs: readonly string[],
  { person, at }: QueryAct,
): Promise<void> {
  const recorded = await listQueryRuns(database, person)
  const known = new Set(recorded.map((run) => keyed(run).key))
  const before = Math.min(at, ...recorded.map((run) => run.at))
  const fresh = runs
    .map((query, place) => ({
      ...keyed({ query, zone: null, matches: null, isComplete: false }),
      at: before - 1 - place,
    }))
    .filter(({ key }) => !known.has(key))
  await recordQueryRuns(database, person, fresh)
}

async function imported(
  database: Database,
  asked: NewSavedQuery,
  act: QueryAct,
): Promise<StoredQuery> {
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : ` (${number})`
    const name = asked.name.slice(0, longestQueryName - suffix.length) + suffix
    const result = await saveQuery(database, { ...asked, name }, act)
    if (result.is !== 'name-taken') return savedOf(result)
    const { current } = result
    if (current.query === asked.query && current.zone === asked.zone) return current
  }
}

/** `GET /history/query-runs`: what the person of the session searched for. */
export function queryRunList({ database }: HistoryOptions): RouteHandler {
  return async (c) => c.json({ runs: await listQueryRuns(database, personOf(c)) })
}

/** `POST /history/query-runs`: remembers a search and how many builds it found, and answers when. */
export function recordQueryRun({ database, clock }: HistoryOptions): RouteHandler {
  return async (c) => {
    const run = await bodyOf(c, RunBody)
    const recorded = { ...keyed(run), at: clock.now() }
    await recordQueryRuns(database, personOf(c), [recorded])
    return c.json({ at: recorded.at })
  }
}

/** `POST /history/query-runs/clear`: forgets them all. */
export function clearRuns({ database }: HistoryOptions): RouteHandler {
  return async (c) => {
    await clearQueryRuns(database, personOf(c))
    return c.json({ runs: [] })
  }
}

function keyed<Run extends { readonly query: string }>(run: Run): Run & Pick<KeyedQueryRun, 'key'> {
  const key = createHash('sha256')
    .update(format(parse(run.query)))
    .digest('hex')
  return { ...run, key }
}

/** Throws a ProblemError 401 that has the browser renew its session. */
function personOf(c: Context<ProxyEnv>): string {
  const { person } = c.get('session')
  if (person !== undefined) return person
  throw problemError(
    401,
    'no-session',
    'Session of an earlier release',
    'The session was begun with an earlier release of Sightline. Reload the page.',
  )
}

function actOf(c: Context<ProxyEnv>, at: number): QueryAct {
  const mayShare = mayDo(c.get('session').user, 'share-queries')
  return { ...originOf(c), person: personOf(c), at, mayShare }
}

function savedOf(result: SavingResult): StoredQuery {
  switch (result.is) {
    case 'saved':
      return result.query
    case 'name-taken':
      throw problemError(
        409,
        'saved-query-name-taken',
        'Name taken',
        `A ${result.current.shared ? 'shared ' : ''}query named ${result.current.name} already exists. Choose another name, or replace that query.`,
        { current: result.current },
      )
    case 'changed':
      throw problemError(
        409,
        'saved-query-changed',
        'Changed meanwhile',
        `${result.current.changedBy} changed ${result.current.name} in the meantime. Your change wasn't saved.`,
        { current: result.current },
      )
    case 'gone':
      throw problemError(
        404,
        'no-saved-query',
        'Query not found',
        'This query was deleted, or is no longer shared.',
      )
    case 'refused':
      throw problemError(
        403,
        'no-permission',
        'Not allowed',
        `Only the owner can stop sharing a query, and saving or changing a shared query requires the role ${rolesFor('share-queries')}. Save it for yourself instead.`,
        { requires: 'share-queries' },
      )
    case 'full':
      throw problemError(
        409,
        'too-many-saved-queries',
        'Too many saved queries',
        `There are ${countOf(mostSaved, 'saved query', 'saved queries')} already. Delete some that are no longer needed.`,
      )
  }
}

async function bodyOf<T>(c: Context<ProxyEnv>, schema: z.ZodType<T>): Promise<T> {
  return checkedBody(await readJsonBody(c), schema, {
    code: 'bad-saved-query',
    title: 'Bad request',
  })
}

// Messages follow the name of their field.
const name = textUpTo(longestQueryName, anyText.trim().min(1, 'is empty.'))
const query = textUpTo(longestSavedQuery).refine((typed) => typed.trim() !== '', 'is empty.')
const zone = textUpTo(100).nullable()
const shared = z.boolean('must be true or false.')
const version = z.int('must be the version that was changed.').positive('must be at least 1.')
const error = 'The body must be a JSON object with the fields of a query.'

const NewBody = z.object({ name, query, zone, shared }, error)
const ChangeBody = z.object(
  {
    version,
    name: name.optional(),
    query: query.optional(),
    zone: zone.optional(),
    shared: shared.optional(),
  },
  error,
)
const VersionBody = z.object({ version }, error)
const RunBody = z.object(
  {
    query: query.max(longestQueryRun, `has more than ${longestQueryRun} characters.`),
    zone,
    matches: z.int('must be a count, or null.').nonnegative('must be a count.').nullable(),
    isComplete: z.boolean('must be true or false.'),
  },
  error,
)
const ImportBody = z.object(
  {
    queries: z.array(z.object({ name, query, zone })).max(mostImported, 'has too many entries.'),
    runs: z.array(query).max(mostQueryRuns, 'has too many entries.'),
  },
  error,
)
