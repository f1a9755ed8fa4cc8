import * as z from 'zod/mini'
import { EpochMs } from './build-message.ts'

/** Where queries are saved: one's own, and those that everybody shares. */
export const savedQueriesPath = '/history/queries'

/** Where queries that a browser kept by itself are taken over, all at once. */
export const savedQueryImportPath = '/history/query-import'

/** Where it is kept what somebody has searched for; nobody else sees it. */
export const queryRunsPath = '/history/query-runs'

/** Forgets all that somebody has searched for. */
export const clearQueryRunsPath = `${queryRunsPath}/clear`

/** The longest name and the longest query that are saved, characters. */
export const longestQueryName = 100
export const longestSavedQuery = 20_000

/** As many searches of a person are kept, and the longest of them in characters. */
export const mostQueryRuns = 200
export const longestQueryRun = 8000

/** As many queries a browser may hand over at once. */
export const mostImported = 500

/** A query under its name. */
export const StoredQuery = z.looseObject({
  id: z.string().check(z.minLength(1)),
  name: z.string().check(z.minLength(1)),
  /** In docs/services.md#advanced-search-syntax, as it was typed. */
  query: z.string(),
  /** The IANA zone of its times where they are written without one. */
  zone: z.nullable(z.string()),
  shared: z.boolean(),
  mine: z.boolean(),
  /** Who saved it, and who changed it last. */
  by: z.string(),
  changedBy: z.string(),
  changedAt: EpochMs,
  /** Goes up with each change: whoever changes it says which one they have seen. */
  version: z.int().check(z.positive()),
})
export type StoredQuery = z.infer<typeof StoredQuery>

/** The answer of `GET /history/queries`: one's own and the shared ones, by name. */
export const StoredQueryList = z.looseObject({ queries: z.array(StoredQuery) })
export type StoredQueryList = z.infer<typeof StoredQueryList>

export interface NewSavedQuery {
  readonly name: string
  readonly query: string
  readonly zone: string | null
  readonly shared: boolean
}

/** What somebody changes of a query that they have seen in this version; what is absent stays. */
export interface SavedQueryChange extends Partial<NewSavedQuery> {
  readonly version: number
}

/** What a browser hands over of what it kept by itself. */
export interface SavedQueryImport {
  readonly queries: readonly Pick<NewSavedQuery, 'name' | 'query' | 'zone'>[]
  /** The newest first. */
  readonly runs: readonly string[]
}

/** The `current` query of a 409: somebody changed it (`saved-query-changed`), or has its name (`…-name-taken`). */
export const SavedQueryConflict = z.looseObject({ current: StoredQuery })

export const QueryRun = z.looseObject({
  query: z.string(),
  zone: z.nullable(z.string()),
  at: EpochMs,
  /** How many builds matched; null where it is not known. */
  matches: z.nullable(z.int().check(z.nonnegative())),
  isComplete: z.boolean(),
})
export type QueryRun = z.infer<typeof QueryRun>

/** What a browser says of a search that it ran. */
export type NewQueryRun = Pick<QueryRun, 'query' | 'zone' | 'matches' | 'isComplete'>

/** The answer of `POST /history/query-runs`. */
export const RecordedQueryRun = z.looseObject({ at: EpochMs })

/** The answer of `GET /history/query-runs`, the newest first. */
export const QueryRunList = z.looseObject({ runs: z.array(QueryRun) })
export type QueryRunList = z.infer<typeof QueryRunList>
