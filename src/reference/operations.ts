import * as z from 'zod/mini'
import {
  AccessTokenList,
  accessTokensPath,
  CreatedToken,
  createTokenPath,
} from '../protocol/access-token.ts'
import { AssignmentList, assignmentsPath, NewAssignment } from '../protocol/assignment.ts'
import {
  ActionList,
  actionsExportPath,
  actionsPath,
  actorKinds,
  auditActionNames,
  auditOutcomes,
} from '../protocol/audit-log.ts'
import { BoardRunLine, boardRunPath, BoardRunRequest } from '../protocol/board-run.ts'
import { Attributes, BuildSummary, Models } from '../protocol/build-data.ts'
import { BuildEvent } from '../protocol/build-export.ts'
import { BuildMessage } from '../protocol/build-message.ts'
import {
  claimEndPath,
  claimKinds,
  ClaimList,
  claimsPath,
  type NewClaim,
  TileClaim,
} from '../protocol/claim.ts'
import {
  Decision,
  DecisionList,
  DecisionRecord,
  decisionsPath,
  NewDecision,
} from '../protocol/decision.ts'
import { deliveriesPath, DeliveryList } from '../protocol/delivery.ts'
import {
  EvaluationList,
  EvaluationRecord,
  evaluationEnds,
  evaluationsPath,
  LatestEvaluations,
  latestEvaluationsPath,
  LatestEvaluationsRequest,
} from '../protocol/evaluation.ts'
import { bundlePath, BundleRequest } from '../protocol/evidence-bundle.ts'
import { Facts } from '../protocol/facts.ts'
import {
  BuildGroups,
  BuildsRequest,
  BuildTrends,
  CachesLine,
  cachesPath,
  EarlierBuilds,
  earlierBuildsPath,
  FactsLine,
  factsPath,
  FailuresLine,
  failuresPath,
} from '../protocol/insight.ts'
import { changesPath, LiveChange } from '../protocol/live-change.ts'
import { LiveBuilds, LiveFacts, LiveGap, livePath, LiveStatus } from '../protocol/live-feed.ts'
import { ProblemDetail } from '../protocol/problem.ts'
import { configPath, ProxyConfig } from '../protocol/proxy-config.ts'
import {
  NewQuarantine,
  QuarantinedTest,
  quarantineFormats,
  QuarantineList,
  quarantinePath,
} from '../protocol/quarantine.ts'
import {
  clearQueryRunsPath,
  longestQueryName,
  longestQueryRun,
  longestSavedQuery,
  mostImported,
  mostQueryRuns,
  type NewQueryRun,
  type NewSavedQuery,
  QueryRunList,
  queryRunsPath,
  RecordedQueryRun,
  savedQueriesPath,
  type SavedQueryChange,
  type SavedQueryImport,
  savedQueryImportPath,
  StoredQuery,
  StoredQueryList,
} from '../protocol/saved-query.ts'
import {
  Activation,
  ActivationClaim,
  activationClaimPath,
  activationPath,
  ActivationWaiting,
  NewScreen,
  Screen,
  ScreenList,
  screensPath,
} from '../protocol/screen.ts'
import { Session, sessionPath } from '../protocol/session.ts'
import { SharedSearch, sharedSearchPath } from '../protocol/shared-search.ts'
import { SessionReport, SignOutAnswer, TokenSignIn } from '../protocol/sign-in.ts'
import { StatusReport, statusReportPath } from '../protocol/status-report.ts'
import { TestId, TestsLine, testsPath, TestsRequest } from '../protocol/test-insight.ts'
import {
  ChangedWaivers,
  mostWaiversAtOnce,
  NewWaiver,
  Waiver,
  waiverApprovalPath,
  waiverBulkPath,
  waiverEndPath,
  WaiverList,
  unmatchedWaiversPath,
  UnmatchedWaivers,
  waiversPath,
} from '../protocol/waiver.ts'
import {
  longestTileBranch,
  longestTileQuery,
  longestTileTitle,
  longestWallNote,
  longestWallTitle,
  mostTiles,
  WallContent,
  WallHistory,
  WallList,
  WallRevision,
  wallsPath,
  WallTile,
} from '../protocol/wall.ts'
import { buildDataPrefix, governorPrefix } from '../server/proxy/access.ts'

export interface Content {
  readonly mediaType: string
  /** Of `application/json` the body; of NDJSON a line; of server-sent events the data, by the name of the event. */
  readonly schema?: z.core.$ZodType
  readonly events?: Readonly<Record<string, z.core.$ZodType>>
}

/** One response of an operation; without content it has no body. */
export interface Answer {
  readonly is: string
  readonly content?: readonly Content[]
}

/** A parameter of the query: text, unless a schema says more. */
export interface Parameter {
  readonly is: string
  readonly schema?: z.core.$ZodType
  readonly isRequired?: true
}

export interface Operation {
  readonly group: string
  /** A line, in the imperative. */
  readonly summary: string
  readonly more?: string
  /** Of forwarded operations the allow-list has their names. */
  readonly query?: Readonly<Record<string, Parameter>>
  readonly body?: readonly Content[]
  readonly answers: Readonly<Record<number, Answer>>
  /** Problems beside those that every operation has: why, by status. */
  readonly problems?: Readonly<Record<number, string>>
}

const text = z.string()
const upTo = (most: number): z.ZodMiniString => z.string().check(z.maxLength(most))
const filledUpTo = (most: number): z.ZodMiniString =>
  z.string().check(z.minLength(1), z.maxLength(most))
const count = z.int().check(z.nonnegative())
const epochMs = count
const limit: Parameter = {
  is: 'How many are wanted (default: 100).',
  schema: z.int().check(z.minimum(1), z.maximum(500)),
}
const before: Parameter = { is: 'The `next` of the page before.' }
const tile = { query: filledUpTo(4_000), branch: z.optional(upTo(1_000)) }

// What is sent has limits that what is stored by an older release need not have.
const claimedTile = { ...tile, failingSince: z.optional(epochMs) }
const newClaim = { ...claimedTile, inPlaceOf: z.optional(z.nullable(epochMs)) }
const NewClaimBody: z.ZodMiniType<NewClaim> = z.discriminatedUnion('kind', [
  z.object({ ...newClaim, kind: z.literal('claim') }),
  z.object({ ...newClaim, kind: z.literal('sleep'), reason: filledUpTo(500), until: epochMs }),
])
const queryFields = {
  name: filledUpTo(longestQueryName),
  query: filledUpTo(longestSavedQuery),
  zone: z.nullable(upTo(100)),
}
const version = z.int().check(z.positive())
const NewQueryBody: z.ZodMiniType<NewSavedQuery> = z.object({ ...queryFields, shared: z.boolean() })
const QueryChangeBody: z.ZodMiniType<SavedQueryChange> = z.object({
  version,
  name: z.exactOptional(queryFields.name),
  query: z.exactOptional(queryFields.query),
  zone: z.exactOptional(queryFields.zone),
  shared: z.exactOptional(z.boolean()),
})
const ImportBody: z.ZodMiniType<SavedQueryImport> = z.object({
  queries: z.array(z.object(queryFields)).check(z.maxLength(mostImported)),
  runs: z.array(queryFields.query).check(z.maxLength(mostQueryRuns)),
})
const QueryRunBody: z.ZodMiniType<NewQueryRun> = z.object({
  query: filledUpTo(longestQueryRun),
  zone: queryFields.zone,
  matches: z.nullable(count),
  isComplete: z.boolean(),
})
const WallBody = z.object({
  base: count,
  wall: z.extend(WallContent, {
    title: z.optional(filledUpTo(longestWallTitle)),
    tiles: z
      .array(
        z.extend(WallTile, {
          title: filledUpTo(longestTileTitle),
          query: filledUpTo(longestTileQuery),
          branch: z.optional(filledUpTo(longestTileBranch)),
        }),
      )
      .check(z.maxLength(mostTiles)),
    order: z.enum(['failing-first', 'stable']),
    group: z.enum(['none', 'project', 'tool']),
  }),
  note: z.optional(upTo(longestWallNote)),
})
const versionText = filledUpTo(200)
const NewWaiverBody = z.extend(NewWaiver, {
  packagePath: filledUpTo(2_000),
  sha256: text.check(z.regex(/^[0-9a-fA-F]{64}$/)),
  scan: filledUpTo(256),
  policyUri: filledUpTo(2_000),
  carriedFrom: z.nullish(upTo(100)),
  renews: z.nullish(upTo(100)),
  versions: z.nullish(z.object({ from: versionText, until: z.nullable(versionText) })),
})
const WaiverBatch = z.object({
  waivers: z.array(NewWaiverBody).check(z.minLength(1), z.maxLength(mostWaiversAtOnce)),
})
const WaiverIds = z.object({
  ids: z.array(filledUpTo(100)).check(z.minLength(1), z.maxLength(mostWaiversAtOnce)),
})
const NewAssignmentBody = z.extend(NewAssignment, {
  dueAt: z.nullable(epochMs.check(z.maximum(8_640_000_000_000_000))),
})
const NewQuarantineBody = z.extend(NewQuarantine, {
  test: z.extend(TestId, { name: filledUpTo(1_000) }),
})
const Artifact = z.looseObject({ sha256: text, repositoryUrl: text })
const Publication = z.extend(Artifact, {
  buildScan: z.nullish(
    z.looseObject({ ids: z.nullish(z.array(text)), queries: z.nullish(z.array(text)) }),
  ),
})

/** The schemas that have a name of their own, so that the document refers to them. */
export const namedSchemas = {
  AccessTokenList,
  ActionList,
  Activation,
  ActivationClaim,
  ActivationWaiting,
  AssignmentList,
  Attributes,
  BoardRunLine,
  BoardRunRequest,
  BuildEvent,
  BuildGroups,
  BuildMessage,
  BuildsRequest,
  BuildSummary,
  BuildTrends,
  BundleRequest,
  ChangedWaivers,
  ClaimList,
  CreatedToken,
  Decision,
  DecisionList,
  DecisionRecord,
  DeliveryList,
  EvaluationList,
  EvaluationRecord,
  Facts,
  CachesLine,
  EarlierBuilds,
  FactsLine,
  FailuresLine,
  LatestEvaluations,
  LatestEvaluationsRequest,
  LiveBuilds,
  LiveChange,
  LiveFacts,
  LiveGap,
  LiveStatus,
  Models,
  NewAssignment: NewAssignmentBody,
  NewDecision,
  NewQuarantine: NewQuarantineBody,
  NewScreen,
  NewWaiver: NewWaiverBody,
  ProblemDetail,
  ProxyConfig,
  QuarantineList,
  QuarantinedTest,
  QueryRunList,
  RecordedQueryRun,
  Screen,
  ScreenList,
  Session,
  SessionReport,
  SharedSearch,
  SignOutAnswer,
  StatusReport,
  StoredQuery,
  StoredQueryList,
  TestsLine,
  TestsRequest,
  TileClaim,
  TokenSignIn,
  Waiver,
  WaiverList,
  WallHistory,
  WallList,
  WallRevision,
  WallTile,
} as const satisfies Readonly<Record<string, z.core.$ZodType>>

const json = (schema: z.core.$ZodType): readonly Content[] => [
  { mediaType: 'application/json', schema },
]
const ndjson = (schema: z.core.$ZodType): Content => ({
  mediaType: 'application/x-ndjson',
  schema,
})
const done = (is: string, schema: z.core.$ZodType): Answer => ({ is, content: json(schema) })
const sent = (is: string, events: NonNullable<Content['events']>): Answer => ({
  is,
  content: [{ mediaType: 'text/event-stream', events }],
})
const streamProblems = {
  429: 'This person or screen has too many streams.',
  503: 'The process shuts down or is full.',
}
const tooManyChanges = 'The person changed saved queries too often in a minute.'
/** What is read of builds, answered for each of them. */
const byBuild = (line: z.core.$ZodType): Pick<Operation, 'body' | 'answers' | 'problems'> => ({
  body: json(BuildsRequest),
  answers: { 200: { is: 'A line for each build, in any order.', content: [ndjson(line)] } },
  problems: { 503: 'Too many people are reading builds.' },
})
const zip: Answer = {
  is: 'The bundle, sent while it is made; one that cannot be finished breaks off.',
  content: [{ mediaType: 'application/zip' }],
}

const Result = z.looseObject({ policyUri: text, status: text })
const Health = z.looseObject({ status: z.literal('ok') })
const Readiness = z.looseObject({
  ready: z.boolean(),
  status: z.enum(['ready', 'degraded', 'not-ready']),
  parts: z.array(
    z.looseObject({
      name: text,
      ready: z.boolean(),
      required: z.boolean(),
      message: text,
    }),
  ),
})

const actionFilter = {
  subject: { is: 'What it was done to.' },
  kind: { is: 'Who acted.', schema: z.enum(actorKinds) },
  by: { is: 'The name of who acted.' },
  action: { is: 'What was done.', schema: z.enum(auditActionNames) },
  outcome: { is: 'How it came out.', schema: z.enum(auditOutcomes) },
  from: { is: 'From this time on, epoch ms.', schema: epochMs },
  until: { is: 'Up to this time, epoch ms, without it.', schema: epochMs },
} as const satisfies Readonly<Record<string, Parameter>>

const exportedBuilds = `${buildDataPrefix}/build-export/:exportVersion`
const exported: Operation['answers'] = {
  200: sent(
    'Server-sent events; the id of each names what to resume after. Comments are heartbeats.',
    { Build: BuildMessage, BuildEvent },
  ),
  204: { is: 'There is nothing more to send: do not reconnect.' },
}

type Operations = Readonly<Record<string, Omit<Operation, 'group'>>>

const asItIs = 'Forwarded as it is, with the credential of Sightline'
const forwarded = (summary: string, answers: Operation['answers']): Operations[string] => ({
  summary,
  more: `${asItIs}.`,
  answers,
})

const ofPackage = (address: string): Operations => ({
  [`POST ${governorPrefix}${address}/attestations`]: {
    summary: 'Publish attestations of a package',
    more: `${asItIs}, and audited.`,
    body: json(Publication),
    answers: {
      200: {
        is: 'What was stored, in one of the [shapes that servers have](../services.md#publish-responses).',
        content: [{ mediaType: 'application/json' }, ndjson(z.unknown())],
      },
    },
  },
  [`POST ${governorPrefix}${address}/policy-scans/:scan`]: {
    summary: 'Evaluate a policy scan',
    more: `${asItIs}. The header \`sightline-evaluation\` of the response is the id of its record. \`Prefer: wait=600\` lets the policy service say nothing for 600 seconds, at most 900; without it 120.`,
    body: json(Artifact),
    answers: {
      200: {
        is: 'The [results](../services.md#policy-result): all at once, or as they become available with `Accept: application/x-ndjson`.',
        content: [...json(z.array(Result)), ndjson(Result)],
      },
    },
  },
  [`GET ${governorPrefix}${address}/:digest/attestations/:instance/:id`]: forwarded(
    'Read an attestation',
    {
      200: done(
        'The attestation, most often a [DSSE envelope](../attestations.md#envelope).',
        z.looseObject({}),
      ),
    },
  ),
})

/** Everything that can be done, by group, then by method and path as the access table has them. */
const groups: Readonly<Record<string, Operations>> = {
  Operations: {
    'GET /healthz': {
      summary: 'Say that the process is alive',
      more: 'Touches neither the database nor a server.',
      answers: { 200: done('It is.', Health) },
    },
    'GET /readyz': {
      summary: 'Say whether requests can be served',
      more: 'On the operations port it takes no session.',
      answers: {
        200: done(
          'Requests can be served; `degraded` where a server behind Sightline is lost.',
          Readiness,
        ),
        503: done('Requests should go elsewhere.', Readiness),
      },
    },
    'GET /metrics': {
      summary: 'Read the metrics',
      more: 'On the operations port it takes no session.',
      answers: {
        200: {
          is: 'The text format of Prometheus.',
          content: [{ mediaType: 'text/plain' }],
        },
      },
    },
    [`GET ${statusReportPath}`]: {
      summary: 'Read how Sightline and the servers behind it are doing',
      answers: { 200: done('The report that the status page shows.', StatusReport) },
    },
  },

  Session: {
    [`POST ${sessionPath}`]: {
      summary: 'Begin a session, or renew it',
      more: 'Where people sign in, the response sets or renews the cookie `__Host-sightline`. The token is good for ten minutes then, and for 12 hours where nobody signs in. The body is read only where people sign in with access tokens.',
      body: json(TokenSignIn),
      answers: { 200: done('The session, with its bearer token.', Session) },
      problems: {
        401: 'Nobody is signed in; the problem has `mode` and `signInUrl`.',
        429: 'The person began too many sessions in a minute.',
        503: 'It cannot be known now who somebody is.',
      },
    },
    [`GET ${sessionPath}`]: {
      summary: 'Read whose session it is, and why',
      answers: {
        200: done('The person, their roles, and the rule that gave them.', SessionReport),
      },
    },
    [`DELETE ${sessionPath}`]: {
      summary: 'Sign out',
      query: { everywhere: { is: 'With any value or none: all sessions of the person.' } },
      answers: {
        200: done('It has ended, also where there was none.', SignOutAnswer),
      },
    },
    [`GET ${sessionPath}/sign-in`]: {
      summary: 'Sign in with the identity provider',
      more: 'For browsers; with `SIGHTLINE_SIGN_IN=oidc` only.',
      query: { to: { is: 'The path to come back to.' } },
      answers: {
        303: { is: 'To the identity provider, or back to the page, which says what is wrong.' },
      },
    },
    [`GET ${sessionPath}/callback`]: {
      summary: 'Come back from the identity provider',
      more: 'For browsers; the redirect URI to register with the provider.',
      query: {
        state: { is: 'Names the sign-in that was begun.' },
        code: { is: 'The authorization code.' },
      },
      answers: { 303: { is: 'To the page where signing in began.' } },
    },
    [`POST ${sessionPath}/logout`]: {
      summary: 'End sessions on behalf of the identity provider',
      more: 'OpenID Connect Back-Channel Logout 1.0.',
      body: [
        {
          mediaType: 'application/x-www-form-urlencoded',
          schema: z.object({ logout_token: text }),
        },
      ],
      answers: {
        200: { is: 'The sessions have ended.' },
        400: done(
          'The logout token is refused.',
          z.object({ error: text, error_description: text }),
        ),
      },
    },
    [`GET ${accessTokensPath}`]: {
      summary: 'List whose access tokens there are',
      answers: { 200: done('Without tokens and their hashes.', AccessTokenList) },
    },
  },

  Screens: {
    [`POST ${activationPath}`]: {
      summary: 'Get a code for a screen',
      answers: { 200: done('The code to show, and the secret to claim with.', Activation) },
      problems: {
        429: 'Too many screens wait, or too many codes were requested from this address.',
      },
    },
    [`POST ${activationClaimPath}`]: {
      summary: 'Claim the session of a screen',
      body: json(ActivationClaim),
      answers: {
        200: done(
          'The session, once, and for a claim `again` another one until it is used.',
          Session,
        ),
        202: done('Nobody has confirmed the code yet.', ActivationWaiting),
      },
      problems: { 404: 'The code has expired or was used.' },
    },
    [`GET ${screensPath}`]: {
      summary: 'List screens',
      answers: { 200: done('The newest first.', ScreenList) },
    },
    [`POST ${screensPath}`]: {
      summary: 'Confirm the code of a screen',
      body: json(NewScreen),
      answers: { 201: done('The screen.', Screen) },
      problems: { 404: 'No screen shows this code.', 429: 'Too many attempts.' },
    },
    [`DELETE ${screensPath}/:id`]: {
      summary: 'Revoke a screen',
      answers: { 204: { is: 'It is revoked, and its streams end at once.' } },
      problems: { 404: 'There is no such screen.' },
    },
  },

  Configuration: {
    [`GET ${configPath}`]: {
      summary: 'Read how this Sightline is set up',
      more: 'Nothing in it is secret.',
      answers: { 200: done('What everybody is offered.', ProxyConfig) },
    },
  },

  Live: {
    [`GET ${livePath}`]: {
      summary: 'Follow builds',
      more: 'A connection lives for ten minutes, and ends with its token; the next one resumes after `Last-Event-ID` without a gap.',
      query: {
        since: { is: '`now` (default), or a time in epoch ms; 0 is everything that is kept.' },
        batch: { is: 'With any value or none: many builds may come as one event, `Builds`.' },
      },
      answers: {
        200: sent('Server-sent events; the id is that of a build.', {
          Build: BuildMessage,
          Builds: LiveBuilds,
          Facts: LiveFacts,
          Status: LiveStatus,
          Gap: LiveGap,
        }),
      },
      problems: streamProblems,
    },
    [`GET ${changesPath}`]: {
      summary: 'Follow what others change',
      more: 'An event names what to read again; without a key anything of the topic may have changed.',
      answers: { 200: sent('Server-sent events.', { Change: LiveChange }) },
      problems: streamProblems,
    },
    [`GET ${sharedSearchPath}`]: {
      summary: 'Read the newest builds of a query, searched once for all screens',
      query: { query: { is: 'In the [query language](query-language.md).', isRequired: true } },
      answers: { 200: done('The builds, perhaps of a while ago.', SharedSearch) },
      problems: {
        400: 'The query has an error; `queryMistakes` says where.',
        429: 'Too many different queries.',
      },
    },
  },

  Evaluations: {
    [`GET ${evaluationsPath}`]: {
      summary: 'List recorded evaluations',
      query: {
        path: {
          is: 'The path of a package with its version, or without its last segment and with `/*` after it for all versions.',
        },
        scan: { is: 'The name of the policy scan.' },
        sha256: { is: 'The digest of the artifact.' },
        repository: { is: 'The repository of the artifact.' },
        ended: { is: 'How it ended.', schema: z.enum(evaluationEnds) },
        by: { is: 'A part of the name of who requested it.' },
        before,
        limit,
      },
      answers: { 200: done('The newest first.', EvaluationList) },
    },
    [`GET ${evaluationsPath}/:id`]: {
      summary: 'Read a recorded evaluation with its results',
      answers: { 200: done('Each result as the policy service wrote it.', EvaluationRecord) },
      problems: { 404: 'It is not recorded.' },
    },
    [`POST ${latestEvaluationsPath}`]: {
      summary: 'Read the last evaluations of many places',
      more: 'Changes nothing.',
      body: json(LatestEvaluationsRequest),
      answers: {
        200: done(
          'Of each place the last complete one, and later ones that broke off after a policy was unsatisfied; the newest first.',
          LatestEvaluations,
        ),
      },
    },
    [`POST ${boardRunPath}`]: {
      summary: 'Evaluate many policy scans over one connection',
      more: 'Each cell is checked and recorded like an evaluation of its own. An answer that ends without `over` was cut.',
      body: json(BoardRunRequest),
      answers: {
        200: { is: 'A line for each event, as it happens.', content: [ndjson(BoardRunLine)] },
      },
    },
    [`GET ${bundlePath}`]: {
      summary: 'Download an evidence bundle',
      more: 'Give `decision`, `run`, `board`, or `path` with `scan`, `sha256` and `repository`.',
      query: {
        decision: { is: 'The id of a decision.' },
        run: { is: 'The id of a recorded evaluation.' },
        board: { is: 'The name of a board of the configuration.' },
        path: { is: 'The path of a package.' },
        scan: { is: 'The name of the policy scan.' },
        sha256: { is: 'The digest of the artifact.' },
        repository: { is: 'The repository of the artifact.' },
      },
      answers: { 200: zip },
      problems: { 404: 'Nothing is recorded.' },
    },
    [`POST ${bundlePath}`]: {
      summary: 'Download the evidence bundle of any board',
      more: 'Changes nothing.',
      body: json(BundleRequest),
      answers: { 200: zip },
      problems: { 404: 'Nothing is recorded.' },
    },
  },

  Waivers: {
    [`GET ${waiversPath}`]: {
      summary: 'List waivers',
      query: { path: { is: 'Of one package or of all its versions, as for evaluations.' } },
      answers: { 200: done('The newest first, ended ones included.', WaiverList) },
    },
    [`GET ${unmatchedWaiversPath}`]: {
      summary: 'List the waivers that match nothing',
      answers: {
        200: done('Those in force that no recorded run has needed.', UnmatchedWaivers),
      },
    },
    [`POST ${waiversPath}`]: {
      summary: 'Waive a policy',
      body: json(NewWaiverBody),
      answers: { 201: done('The waiver.', Waiver) },
      problems: { 409: 'Somebody else has renewed or ended it meanwhile.' },
    },
    [`POST ${waiversPath}/:id/end`]: {
      summary: 'End a waiver',
      answers: { 200: done('The waiver, ended.', Waiver) },
      problems: { 404: 'There is no such waiver.', 409: 'It has ended already.' },
    },
    [`POST ${waiverBulkPath}`]: {
      summary: 'Waive several policies, all or none',
      body: json(WaiverBatch),
      answers: { 201: done('The waivers.', ChangedWaivers) },
      problems: { 409: 'Somebody else has renewed one of them meanwhile.' },
    },
    [`POST ${waiverEndPath}`]: {
      summary: 'End several waivers, all or none',
      body: json(WaiverIds),
      answers: { 200: done('The waivers, ended.', ChangedWaivers) },
      problems: { 404: 'One of them is not there.', 409: 'One of them has ended already.' },
    },
    [`POST ${waiverApprovalPath}`]: {
      summary: 'Approve several waivers, all or none',
      more: 'Takes a person who signed in and granted none of them.',
      body: json(WaiverIds),
      answers: { 200: done('The waivers, approved.', ChangedWaivers) },
      problems: {
        404: 'One of them is not there.',
        409: 'One of them does not wait for approval.',
      },
    },
  },

  Decisions: {
    [`GET ${decisionsPath}`]: {
      summary: 'List release decisions',
      query: {
        board: { is: 'The name of a board.' },
        path: { is: 'The path of a package, as for evaluations.' },
        scan: { is: 'The name of the policy scan.' },
      },
      answers: { 200: done('The newest first, up to 200.', DecisionList) },
    },
    [`GET ${decisionsPath}/:id`]: {
      summary: 'Read a decision with what it is based on',
      answers: { 200: done('The decision and its places.', DecisionRecord) },
      problems: { 404: 'There is no such decision.' },
    },
    [`POST ${decisionsPath}`]: {
      summary: 'Release, or revoke a release',
      body: json(NewDecision),
      answers: { 201: done('The decision.', Decision) },
      problems: {
        404: 'There is no such board.',
        409: 'Somebody else decided meanwhile, the board has other scans, or something speaks against it that was not confirmed.',
      },
    },
    [`GET ${assignmentsPath}`]: {
      summary: 'List who takes care of what on a board',
      query: { board: { is: 'The name of the board.' } },
      answers: { 200: done('All assignments of the board.', AssignmentList) },
    },
    [`POST ${assignmentsPath}`]: {
      summary: 'Assign cells of a board',
      body: json(NewAssignmentBody),
      answers: { 200: done('All assignments of the board.', AssignmentList) },
      problems: { 409: 'Somebody has changed a cell after `seenAt`.' },
    },
  },

  Alerts: {
    [`GET ${deliveriesPath}`]: {
      summary: 'List messages to webhooks and people',
      query: { board: { is: 'Those of the webhook of a board.' }, before },
      answers: { 200: done('The newest first.', DeliveryList) },
    },
    [`POST ${deliveriesPath}/:id/retry`]: {
      summary: 'Send a message again',
      answers: { 202: done('It is sent within a second.', z.object({ id: text })) },
      problems: {
        409: 'It was sent, is being sent, or is no longer true, or its receiver is not configured any more.',
      },
    },
  },

  'Saved queries': {
    [`GET ${savedQueriesPath}`]: {
      summary: 'List saved queries',
      answers: { 200: done("One's own and the shared ones.", StoredQueryList) },
    },
    [`POST ${savedQueriesPath}`]: {
      summary: 'Save a query',
      more: 'A shared one takes the permission `share-queries`.',
      body: json(NewQueryBody),
      answers: { 201: done('The query.', StoredQuery) },
      problems: {
        409: 'The name is taken; `current` is the query that has it.',
        429: tooManyChanges,
      },
    },
    [`POST ${savedQueriesPath}/:id`]: {
      summary: 'Change a saved query',
      body: json(QueryChangeBody),
      answers: { 200: done('The query.', StoredQuery) },
      problems: {
        404: 'There is no such query.',
        409: 'Somebody else changed it; `current` is the query as it is now.',
        429: tooManyChanges,
      },
    },
    [`POST ${savedQueriesPath}/:id/delete`]: {
      summary: 'Delete a saved query',
      body: json(z.object({ version })),
      answers: { 200: done('The query, which can be restored for a while.', StoredQuery) },
      problems: {
        404: 'There is no such query.',
        409: 'Somebody else changed it.',
        429: tooManyChanges,
      },
    },
    [`POST ${savedQueriesPath}/:id/restore`]: {
      summary: 'Restore a deleted query',
      answers: { 200: done('The query.', StoredQuery) },
      problems: { 404: 'There is no such query.', 409: 'The name is taken.', 429: tooManyChanges },
    },
    [`POST ${savedQueryImportPath}`]: {
      summary: 'Take over what a browser kept',
      more: 'Sent again, it changes nothing.',
      body: json(ImportBody),
      answers: { 200: done('All that is saved then.', StoredQueryList) },
      problems: { 429: tooManyChanges },
    },
    [`GET ${queryRunsPath}`]: {
      summary: 'List what one searched for',
      more: 'Nobody else sees it.',
      answers: { 200: done('The newest first.', QueryRunList) },
    },
    [`POST ${queryRunsPath}`]: {
      summary: 'Remember a search',
      body: json(QueryRunBody),
      answers: { 200: done('When it was remembered.', RecordedQueryRun) },
    },
    [`POST ${clearQueryRunsPath}`]: {
      summary: 'Forget what one searched for',
      answers: { 200: done('None is left.', QueryRunList) },
    },
  },

  Tests: {
    [`GET ${quarantinePath}`]: {
      summary: 'List quarantined tests',
      query: {
        format: {
          is: 'A file for a build instead of the list.',
          schema: z.enum(quarantineFormats),
        },
        project: { is: 'Of this project only; empty for tests without one.' },
      },
      answers: {
        200: {
          is: 'The list, or the file.',
          content: [
            {
              mediaType: 'application/json',
              schema: z.union([QuarantineList, z.array(QuarantinedTest)]),
            },
            { mediaType: 'text/plain' },
            { mediaType: 'text/csv' },
          ],
        },
      },
    },
    [`POST ${quarantinePath}`]: {
      summary: 'Quarantine a test',
      body: json(NewQuarantineBody),
      answers: { 201: done('The test.', QuarantinedTest) },
      problems: { 409: 'Too many tests are quarantined.' },
    },
    [`POST ${quarantinePath}/:id/end`]: {
      summary: 'End the quarantine of a test',
      answers: { 200: done('The test.', QuarantinedTest) },
      problems: { 409: 'It has ended already.' },
    },
    [`POST ${testsPath}`]: {
      summary: 'Read the tests of the builds of a query',
      more: 'Changes nothing.',
      body: json(TestsRequest),
      answers: {
        200: {
          is: 'Lines as builds are read; the last one is `done` or `failed`.',
          content: [ndjson(TestsLine)],
        },
      },
      problems: { 503: 'Too many people are reading builds.' },
    },
  },

  Builds: {
    [`POST ${cachesPath}`]: {
      summary: 'Read what builds had from the build cache',
      more: 'Changes nothing.',
      ...byBuild(CachesLine),
    },
    [`POST ${factsPath}`]: {
      summary: 'Read facts of builds from their events',
      more: 'For servers whose build list has no attributes. Changes nothing.',
      ...byBuild(FactsLine),
    },
    [`GET ${earlierBuildsPath}`]: {
      summary: 'List builds received before a time, newest first',
      more: 'For servers that list builds oldest first, or not at all.',
      query: {
        before: { is: 'Epoch milliseconds; without it, until now.', schema: epochMs },
        most: {
          is: 'How many builds, 1 to 1,000; those that share the time of the last are added.',
          schema: z.int(),
        },
      },
      answers: { 200: done('The builds; empty only if none came before.', EarlierBuilds) },
    },
    [`POST ${failuresPath}`]: {
      summary: 'Read why builds failed',
      more: 'Changes nothing.',
      ...byBuild(FailuresLine),
    },
  },

  Walls: {
    [`GET ${wallsPath}`]: {
      summary: 'List walls',
      answers: { 200: done('By name, with those that are hidden or deleted.', WallList) },
    },
    [`GET ${wallsPath}/:name`]: {
      summary: 'List the revisions of a wall',
      query: { before: { is: 'Only revisions before this number.', schema: z.int() } },
      answers: { 200: done('The newest first, 50 of them.', WallHistory) },
      problems: { 404: 'No wall is saved under this name.' },
    },
    [`POST ${wallsPath}/:name`]: {
      summary: 'Save a wall for everybody',
      body: json(WallBody),
      answers: { 200: done('The new revision.', WallRevision) },
      problems: {
        400: 'A tile has a mistake; `mistakes` says where.',
        409: 'Somebody else saved it meanwhile (`current`), or it comes from the configuration file.',
      },
    },
    [`POST ${wallsPath}/:name/delete`]: {
      summary: 'Delete a saved wall',
      body: json(z.object({ base: count })),
      answers: { 200: done('The revision that deletes it.', WallRevision) },
      problems: {
        404: 'No wall is saved under this name.',
        409: 'Somebody else saved it meanwhile.',
      },
    },
    [`POST ${wallsPath}/:name/restore`]: {
      summary: 'Restore an earlier revision of a wall',
      body: json(z.object({ base: count, number: version })),
      answers: { 200: done('The new revision.', WallRevision) },
      problems: {
        404: 'The revision is no longer kept.',
        409: 'Somebody else saved it meanwhile.',
      },
    },
    [`GET ${claimsPath}`]: {
      summary: 'List who is on which failing tile, and which tiles sleep',
      answers: { 200: done('The newest first.', ClaimList) },
    },
    [`POST ${claimsPath}`]: {
      summary: 'Claim a failing tile, or let it sleep',
      more: 'A tile sleeps for 30 days at most.',
      body: json(NewClaimBody),
      answers: { 201: done('What is said of the tile now.', TileClaim) },
      problems: {
        409: 'Somebody else has said something of this failure that is not `inPlaceOf`.',
      },
    },
    [`POST ${claimEndPath}`]: {
      summary: 'Release a tile, or wake it',
      body: json(z.object({ ...tile, kind: z.enum(claimKinds), createdAt: z.optional(epochMs) })),
      answers: { 200: done('It is over.', z.object({})) },
      problems: { 409: 'It was over already, or is not what was said at `createdAt`.' },
    },
  },

  'Audit log': {
    [`GET ${actionsPath}`]: {
      summary: 'List audited actions',
      more: 'The whole audit log takes the permission `read-audit-log`.',
      query: {
        scope: {
          is: '`shared` (default) is what everybody sees, `all` the whole audit log.',
          schema: z.enum(['shared', 'all']),
        },
        ...actionFilter,
        before,
        limit,
      },
      answers: { 200: done('The newest first.', ActionList) },
    },
    [`GET ${actionsExportPath}`]: {
      summary: 'Export the audit log',
      query: { format: { is: 'Default: csv.', schema: z.enum(['csv', 'jsonl']) }, ...actionFilter },
      answers: {
        200: {
          is: 'The newest first; the header `sightline-rows` says how many come. One that cannot be finished breaks off.',
          content: [{ mediaType: 'text/csv' }, { mediaType: 'application/x-ndjson' }],
        },
      },
      problems: { 413: 'More than 250,000 actions match.' },
    },
  },

  'Build server': {
    [`POST ${createTokenPath}`]: {
      summary: 'Create an access token of the build server',
      more: 'Off unless `SIGHTLINE_CREATE_TOKENS` is `on`. The token is in this response and nowhere else.',
      query: {
        permissions: { is: 'Names, separated by commas; without it all that the key has.' },
        projectIds: { is: 'Names, separated by commas; without it all projects.' },
        expiresInHours: { is: 'Above 0, at most 24.', schema: z.number() },
      },
      answers: { 200: done('The token.', CreatedToken) },
      problems: { 404: 'It is off.', 403: 'The build server refuses it; `reason` says why.' },
    },
    [`GET ${exportedBuilds}/builds/since/:date`]: forwarded('Stream builds since a time', exported),
    [`GET ${exportedBuilds}/builds/sinceBuild/:buildId`]: forwarded(
      'Stream builds after a build',
      exported,
    ),
    [`GET ${exportedBuilds}/build/:buildId/events`]: forwarded(
      'Stream the events of a build',
      exported,
    ),
    [`GET ${buildDataPrefix}/api/builds`]: forwarded('List builds', {
      200: done('A page of builds, with models where they were requested.', z.array(BuildSummary)),
    }),
    [`GET ${buildDataPrefix}/api/builds/groups`]: forwarded('Group the builds of a query', {
      200: done('Optional: of the embedded services only.', BuildGroups),
    }),
    [`GET ${buildDataPrefix}/api/builds/trends`]: forwarded(
      'Count the builds of a query over time',
      {
        200: done('Optional: of the embedded services only.', BuildTrends),
      },
    ),
    [`GET ${buildDataPrefix}/api/builds/:buildId`]: forwarded('Read a build', {
      200: done('The build.', BuildSummary),
    }),
    [`GET ${buildDataPrefix}/api/builds/:buildId/:attributes`]: forwarded(
      'Read the attributes of a build',
      { 200: done('The attributes of its tool.', Attributes) },
    ),
    [`GET ${buildDataPrefix}/api/version`]: forwarded('Read the release of the build server', {
      200: done('The release.', z.looseObject({ string: text })),
    }),
  },

  'Policy service': {
    ...ofPackage('/packages/:type/:namespace/:name/:version'),
    ...ofPackage('/packages/:type/:name/:version'),
  },
}

/** The same by method and path alone. */
export const operations: Readonly<Record<string, Operation>> = Object.fromEntries(
  Object.entries(groups).flatMap(([group, operations]) =>
    Object.entries(operations).map(([route, operation]) => [route, { group, ...operation }]),
  ),
)
