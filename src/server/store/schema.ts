import type { Generated } from 'kysely'
import type { ClaimKind } from '../../protocol/claim.ts'
import type { DecidedVerdict } from '../../protocol/decision.ts'
import { packageNameOf } from '../../protocol/package-address.ts'

/** A build and the columns by which builds are searched. Times are epoch ms, durations ms. */
interface BuildsTable {
  /** The order of receipt: ids are not ordered and times may tie. Never used twice. */
  seq: Generated<number>
  build_id: string
  received_at: number
  tool_type: string
  tool_version: string
  agent_version: string
  /** 0 while its events are still being stored, 1 afterwards. */
  readable: number
  /** The build tool as `textKey` writes it. */
  tool_key: string
  outcome: string | null
  start_time: number | null
  duration_ms: number | null
  /** The Build message of version 2 as JSON. */
  message: string
}

/** Apart from the builds, so that a listing does not read past them. */
interface BuildAttributesTable {
  build_seq: number
  /** The model of the build's own tool as JSON. */
  attributes: string
}

/** What a search is evaluated on, apart as well. A build without a row is known by its message only. */
interface BuildFactsTable {
  build_seq: number
  /** `Facts` as JSON. */
  facts: string
}

/** The texts that builds are found by (search-terms.ts), each once. */
interface SearchTermsTable {
  id: Generated<number>
  text: string
}

/** Which builds have a text, in the order of receipt. */
interface BuildTermsTable {
  term: number
  build_seq: number
}

/** Builds whose positions divided by the size of a block are the same: when they started. */
interface StartBlocksTable {
  block: number
  earliest: number
  latest: number
}

/** One row: up to which position builds of an earlier release have yet to be made searchable. */
interface SearchBackfillTable {
  upto: number
}

/** The events of a build, some hundred to a row: small on disk, and streamed row by row. */
interface EventChunksTable {
  build_seq: number
  /** Sequence numbers of the first and last event in it, from 1. */
  first_id: number
  last_id: number
  /** The types of its events as a JSON array, so that a chunk without a wanted one is skipped. */
  types: string
  /** The events as NDJSON, gzip. */
  body: Uint8Array | ArrayBuffer
}

/**
 * Builds that are gone: their ids still say where a reader was
 * (docs/services.md#build-list-parameters).
 */
interface RemovedBuildsTable {
  build_id: string
  seq: number
}

/** Signed attestations of packages. */
interface AttestationsTable {
  seq: Generated<number>
  attestation_id: string
  package_path: string
  /** `sha256:` and lower-case hex. */
  digest: string
  repository_url: string
  /** `s3:<name>` or `af:<name>`. */
  instance: string
  predicate_type: string
  sourced_from_uri: string | null
  created_at: number
  /** A DSSE envelope as JSON. */
  envelope: string
}

/** What the embedded service signs with. */
interface SigningKeysTable {
  name: string
  /** PKCS #8. */
  private_pem: string
}

/** Evaluations that the proxy saw go by; times are epoch ms. */
interface EvaluationsTable {
  /** Sorts by `started_at` (actions.ts). */
  id: string
  started_at: number
  ended_at: number
  by_user: string
  /** The path of the package, and the same without its version. */
  package_path: string
  package_name: string
  sha256: string
  repository_url: string
  scan: string
  ended: 'complete' | 'broken' | 'cancelled'
  verdict: 'releasable' | 'not-releasable' | 'undecided' | 'nothing-applied'
  satisfied: number
  unsatisfied: number
  not_applicable: number
  unknown: number
  results: number
  unreadable: number
  /** JSON arrays of policy URIs. */
  failing: string
  waived: string
  /** Why it came out so, as JSON; null in runs of an earlier release. */
  reasons: string | null
}

/** What was answered, apart from the evaluations so that a listing does not read past it. */
interface EvaluationAnswersTable {
  evaluation_id: string
  left_out: number
  /** Results as NDJSON, gzip. */
  body: Uint8Array | ArrayBuffer
}

/** Policies that somebody let pass for a time. */
interface WaiversTable {
  /** Sorts by `created_at`. */
  id: string
  package_path: string
  package_name: string
  sha256: string
  scan: string
  policy_uri: string
  reason: string
  person: string
  by_user: string
  /** What names the one who gave it in all their sessions; null where an older release kept it. */
  by_person: string | null
  created_at: number
  expires_at: number
  carried_from: string | null
  ended_at: number | null
  ended_by: string | null
  /** Versions that it covers, both included; null: only its artifact, or no last version. */
  from_version: string | null
  until_version: string | null
  ticket: string | null
  /** What those have in common that were given at once. */
  group_id: string | null
  renews: string | null
  renewed_by: string | null
  /** 1 where it counts only once it is approved. */
  needs_approval: number
  approved_at: number | null
  approved_by: string | null
}

/** Who looks after a cell of a board. */
interface AssignmentsTable {
  board: string
  /** The key of its place on the board. */
  cell: string
  assignee: string
  note: string
  due_at: number | null
  by_user: string
  changed_at: number
}

/** Tests whose failures are accepted for a time. */
interface QuarantineTable {
  /** Sorts by `created_at`. */
  id: string
  /** A hash that is equal for the same test. */
  test_key: string
  project: string | null
  task: string
  class_name: string | null
  name: string
  reason: string
  until_at: number
  by_user: string
  created_at: number
  /** Set where it was ended or replaced before its time. */
  ended_at: number | null
  ended_by: string | null
}

/** What walls were: rows are added and swept by age, and never changed. */
interface WallRevisionsTable {
  name: string
  /** From 1. */
  number: number
  /** `WallContent` as JSON. */
  body: string
  by_user: string
  at: number
  note: string
  is_deleted: number
  /** The number of the revision that was taken again. */
  restored: number | null
}

/** Who is on tiles that fail, and which of them sleep. */
interface ClaimsTable {
  /** A hash that is equal for the same tile. */
  tile_key: string
  kind: ClaimKind
  tile: string
  by_user: string
  created_at: number
  reason: string | null
  until_at: number | null
  failing_since: number | null
}

/** Releases and what revoked them: rows are added, and never changed or removed. */
interface DecisionsTable {
  /** Sorts by `at`. */
  id: string
  at: number
  by_user: string
  /** `decisionSubjectKey`. */
  subject_key: string
  /** The decision on the subject before it; empty for the first. Two never follow the same one. */
  follows: string
  /** JSON, and what of it is looked for. */
  subject: string
  board: string | null
  package_path: string | null
  package_name: string | null
  scan: string | null
  action: 'release' | 'revoke'
  reason: string
  verdict: DecidedVerdict | null
  content: string | null
  runs: number
  /** JSON arrays. */
  waivers: string
  concerns: string
  places: string
}

/** Evaluations that a decision stands on. */
interface DecisionRunsTable {
  evaluation_id: string
  decision_id: string
}

/** Waivers that a decision stands on. */
interface DecisionWaiversTable {
  waiver_id: string
  decision_id: string
}

/** What someone did: rows are added and swept by age, and never changed but for `times`. */
interface ActionsTable {
  /** Sorts by `at`. */
  id: string
  at: number
  by_user: string
  actor_kind: string
  session_id: string | null
  action: string
  subject: string
  detail: string
  outcome: string
  from_address: string | null
  /** How often it happened, and when for the last time. */
  times: number
  last_at: number | null
  /** The waiver it is about: kept as long as that. */
  waiver_id: string | null
}

/** A sweep that is going on: the database lets it remove the actions before a time. */
interface ActionSweepsTable {
  /** Epoch ms. */
  keep_from: number
}

/** Queries under their names. */
interface SavedQueriesTable {
  /** Sorts by when it was saved. */
  id: string
  /** Whose it is (`VerifiedSession.person`), and what they are called. */
  person: string
  by_user: string
  /** 1 where everybody sees it. */
  is_shared: number
  /** The person again, empty of a shared one: within it no two have the same name. */
  name_scope: string
  name: string
  /** The name in lower case. */
  name_key: string
  query: string
  zone: string | null
  changed_by: string
  changed_at: number
  version: number
  /** Until it is swept it can be restored. */
  deleted_at: number | null
}

/** What people searched for. */
interface QueryRunsTable {
  person: string
  /** The hash of the query however it is spelled. */
  query_key: string
  query: string
  zone: string | null
  at: number
  matches: number | null
  is_complete: number
}

/** Screens with a credential of their own; times are epoch ms. */
interface ScreensTable {
  id: string
  name: string
  by_user: string
  /** Of the credential; null until the screen has taken it. */
  secret_hash: string | null
  created_at: number
  expires_at: number
  last_seen_at: number | null
}

/** Codes that screens show until somebody confirms them. */
interface ScreenActivationsTable {
  secret_hash: string
  code_hash: string
  expires_at: number
  /** Set when it is confirmed. */
  screen_id: string | null
}

/** How the tiles stand of which people are told. */
interface AlertTilesTable {
  tile: string
  is_failing: number
  /** What names the present stretch of failures or successes. */
  spell: string
  since: number
  /** What happened before it is told nobody. */
  watched_since: number
}

/** What people are told, once for each tile, spell and kind. */
interface AlertsTable {
  tile: string
  spell: string
  kind: string
  text: string
  created_at: number
  /** When it is tried next; moved on by whoever tries. */
  next_at: number
  attempts: number
  /** `left-out`: it was no news any more when it could have been sent. */
  ended: 'sent' | 'given-up' | 'left-out' | null
  /** When the last attempt began; null before the first. */
  tried_at: number | null
  /** Why the last attempt failed; null while it is under way. */
  reason: string | null
  /** Its receiver, which its kind ends with; empty for the one without a name. */
  route: string
  /** The same as the text in parts, JSON; null where there are none. */
  message: string | null
  /** The addresses that haven't got it while others have, one a line; null for all. */
  left_to: string | null
}

/** Sessions of people who signed in; times are epoch ms. */
export interface SessionsTable {
  id: string
  /** Of the part of the cookie that names the session. */
  key_hash: string
  mode: string
  subject: string
  /** JSON. */
  identity: string
  sealed: string | null
  provider_session: string | null
  generation: number
  /** The last generation that has reached the browser. */
  confirmed: number
  created_at: number
  renewed_at: number
  expires_at: number
  /** While a proxy is renewing it. */
  renewing_until: number | null
  ended_at: number | null
}

/** Sign-ins with an identity provider that were begun, or that failed. */
interface SignInAttemptsTable {
  state_hash: string
  browser_hash: string
  sealed: string | null
  failure: string | null
  expires_at: number
}

/** Logout tokens that were used: each is good for once. */
interface UsedLogoutTokensTable {
  id_hash: string
  expires_at: number
}

/** What the database was begun with; `is_whole` is 0 while a process is still making it. */
interface SeedsTable {
  name: string
  is_whole: number
}

/** When access tokens were used. */
interface TokenUsesTable {
  /** Of the token, in hex. */
  sha256: string
  /** To within a minute, epoch ms. */
  last_used_at: number
}

/** A build as it is counted (build-points.ts): texts by their ids, 0 where there is none. */
interface BuildPointsTable {
  build_seq: number
  /** Where that isn't known, when it was received; epoch ms. */
  start_time: number
  /** `outcomeNumbers`. */
  outcome: number
  duration_ms: number | null
  project: number
  branch: number
  user_name: number
  tool: number
  requested: number
  failure: number
  cache_hits: number | null
  cacheable: number | null
}

/** The texts that builds are counted under. */
interface PointTextsTable {
  id: Generated<number>
  kind: string
  text: string
}

/** Builds that are counted together (build-rollups.ts). */
interface BuildRollupsTable {
  /** `seriesNumber`. */
  series: number
  /** When they started, in hours or days since 1970. */
  bucket: number
  a: number
  b: number
  tool: number
  outcome: number
  builds: number
  /** A packed histogram (duration-histogram.ts). */
  durations: Uint8Array | ArrayBuffer
  cache_hits: number
  cacheable: number
}

/** One row: up to which position builds of an earlier release have yet to be counted. */
interface PointBackfillTable {
  upto: number
}

/** What was read of a build's events (build-insights.ts). */
interface BuildInsightsTable {
  build_id: string
  /** What it is about, such as `failures`. */
  kind: string
  /** Of the reading: another one reads the events again. */
  version: number
  /** JSON, gzip. */
  body: Uint8Array | ArrayBuffer
  /** Epoch ms. */
  read_at: number
}

/** All tables, as the newest migration leaves them. */
export interface Schema {
  builds: BuildsTable
  build_attributes: BuildAttributesTable
  build_facts: BuildFactsTable
  search_terms: SearchTermsTable
  build_terms: BuildTermsTable
  start_blocks: StartBlocksTable
  search_backfill: SearchBackfillTable
  event_chunks: EventChunksTable
  removed_builds: RemovedBuildsTable
  attestations: AttestationsTable
  signing_keys: SigningKeysTable
  evaluations: EvaluationsTable
  evaluation_answers: EvaluationAnswersTable
  waivers: WaiversTable
  assignments: AssignmentsTable
  quarantine: QuarantineTable
  claims: ClaimsTable
  wall_revisions: WallRevisionsTable
  decisions: DecisionsTable
  decision_runs: DecisionRunsTable
  decision_waivers: DecisionWaiversTable
  actions: ActionsTable
  action_sweeps: ActionSweepsTable
  saved_queries: SavedQueriesTable
  query_runs: QueryRunsTable
  screens: ScreensTable
  screen_activations: ScreenActivationsTable
  alert_tiles: AlertTilesTable
  alerts: AlertsTable
  seeds: SeedsTable
  sessions: SessionsTable
  sign_in_attempts: SignInAttemptsTable
  used_logout_tokens: UsedLogoutTokensTable
  token_uses: TokenUsesTable
  build_insights: BuildInsightsTable
  build_points: BuildPointsTable
  point_texts: PointTextsTable
  build_rollups: BuildRollupsTable
  point_backfill: PointBackfillTable
}

/** The two databases that are spoken to. */
export type Dialect = 'sqlite' | 'postgres'

/**
 * A text as both databases take it: PostgreSQL knows neither NUL nor halves of characters, which are
 * replaced.
 */
export function storableText(text: string): string {
  return text.replace(/[\0\p{Surrogate}]/gu, '\ufffd')
}

/**
 * So many characters of a text that stands in an index: PostgreSQL takes 2,700 bytes into an entry of one, and
 * a character may have three.
 */
export const longestIndexed = 800

/** The column by which a path is looked for, and its value: `/*` at the end stands for any version. */
export function packageColumn(
  path: string,
): readonly [column: 'package_name' | 'package_path', value: string] {
  return path.endsWith('/*') ? ['package_name', packageNameOf(path)] : ['package_path', path]
}
