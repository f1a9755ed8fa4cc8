import * as z from 'zod/mini'
import { EpochMs } from './build-message.ts'
import { CredentialState } from './credential-state.ts'

/** What the status page, metrics, readiness and `--check` show (docs/design.md#status); nothing of it is secret. */
export const statusReportPath = '/upstream/report'

/** `off`: not configured. `unknown`: not checked yet. `warning`: it works, but someone should look. */
export const Health = z.enum(['ok', 'warning', 'failed', 'unknown', 'off'])
export type Health = z.infer<typeof Health>

const Count = z.int().check(z.nonnegative())
const Ms = z.number().check(z.nonnegative())

/** What every part has: each has its own fault, and none hides another. */
const part = {
  health: Health,
  /** The most important sentence about it, with what to do where something is wrong. */
  message: z.string(),
  /** What else is worth knowing, a sentence each. */
  notes: z.array(z.string()),
}
export type StatusPart = Pick<ServerStatus, keyof typeof part>

/** How long a server takes to begin a response, over the requests of the last ten minutes. */
const Latency = z.object({
  lastMs: Ms,
  medianMs: Ms,
  slowestMs: Ms,
  requests: Count,
})
export type Latency = z.infer<typeof Latency>

const Permission = z.object({
  /** As the server's settings call it, such as "Export API". */
  name: z.string(),
  state: z.enum(['granted', 'missing', 'unknown']),
  /** The same in words, with what is known where it is `unknown`; releases up to 0.2.0 have none. */
  known: z.optional(z.string()),
  /** What Sightline needs it for. */
  purpose: z.string(),
})
export type Permission = z.infer<typeof Permission>

const server = {
  ...part,
  kind: z.enum(['embedded', 'server', 'none']),
  /** Its origin; null for the embedded services and for none. */
  address: z.nullable(z.string()),
  /** When it last responded, epoch ms; null before the first response. */
  lastResponseAt: z.nullable(EpochMs),
  latency: z.nullable(Latency),
  /** Null where nothing is configured. */
  credential: z.nullable(CredentialState),
  permissions: z.array(Permission),
  /** How far its clock is ahead of this machine's, ms; null before the first response. */
  clockSkewMs: z.nullable(z.number()),
}
const ServerStatus = z.object(server)
export type ServerStatus = z.infer<typeof ServerStatus>

const BuildServerStatus = z.object({
  ...server,
  /** Such as "2025.1.2"; null for servers that don't say. */
  release: z.nullable(z.string()),
  /** The setting, and the version of the export stream that is spoken; null before a response. */
  exportVersion: z.object({
    setting: z.enum(['auto', 'v1', 'v2']),
    spoken: z.nullable(z.enum(['v1', 'v2'])),
  }),
  /** When the newest build that came live was received there, epoch ms by this machine's clock. */
  newestBuildAt: z.nullable(EpochMs),
  /** How long builds take from the build server to here, ms: the last one and the median of 100. */
  deliveryMs: z.nullable(z.object({ last: Ms, median: Ms })),
})
export type BuildServerStatus = z.infer<typeof BuildServerStatus>

const DatabaseStatus = z.object({
  ...part,
  kind: z.enum(['sqlite', 'postgres']),
  /** Such as "SQLite 3.45.1"; null where it doesn't respond. */
  version: z.nullable(z.string()),
  sizeBytes: z.nullable(Count),
  /** How long a small write takes. */
  latencyMs: z.nullable(Ms),
  /** Evaluations and actions since the start, and when one last couldn't be written, epoch ms. */
  recording: z.object({
    written: Count,
    waiting: Count,
    lost: Count,
    lastProblemAt: z.nullable(EpochMs),
  }),
})
export type DatabaseStatus = z.infer<typeof DatabaseStatus>

const LiveLogStatus = z.object({
  ...part,
  kind: z.enum(['postgres', 'redis']),
  isReachable: z.boolean(),
  /** Since when it is, or is not, epoch ms. */
  since: EpochMs,
  /** Which process follows the build server for all of them, as far as this one knows. */
  follower: z.enum(['this', 'another', 'nobody']),
})
export type LiveLogStatus = z.infer<typeof LiveLogStatus>

const AlertStatus = z.object({
  ...part,
  /** Not yet delivered, and given up or delivered within the last 24 hours; null if unknown. */
  waiting: z.nullable(Count),
  failed: z.nullable(Count),
  sent: z.nullable(Count),
  /** The last attempt of this process. */
  last: z.nullable(
    z.object({ at: EpochMs, isDelivered: z.boolean(), reason: z.nullable(z.string()) }),
  ),
})
export type AlertStatus = z.infer<typeof AlertStatus>

const PeopleStatus = z.object({
  ...part,
  /** Who is signed in; null where nobody signs in. */
  sessions: z.nullable(Count),
  streams: Count,
  /** Paired screens, and how many of them were seen within 20 minutes; null if unknown. */
  screens: z.nullable(z.object({ paired: Count, seen: Count })),
})
export type PeopleStatus = z.infer<typeof PeopleStatus>

/** Something that a server sent and that could not be read. */
const Loss = z.object({
  /** When it came, epoch ms. */
  at: EpochMs,
  /** What people call the server, such as `build server`. */
  server: z.string(),
  /** The operation, such as `GET /build-export/v2/builds/since/:date`. */
  endpoint: z.string(),
  /** The build it was about, as far as that could be read. */
  build: z.nullable(z.string()),
  /** The field that was lost; null where the whole message was. */
  field: z.nullable(z.string()),
  /** Why, in a few words that hold nothing of the value. */
  reason: z.string(),
})
export type Loss = z.infer<typeof Loss>

/** An operation that its server announces the end of (docs/services.md#deprecation). */
const DeprecatedEndpoint = z.object({
  server: z.string(),
  endpoint: z.string(),
  /** Since when it is deprecated, epoch ms; null where the server names no time. */
  since: z.nullable(EpochMs),
  /** When it is removed, epoch ms; null where that is not said. */
  until: z.nullable(EpochMs),
  /** Where the server explains it: http(s) addresses. */
  links: z.array(z.string()),
  /** When it was last answered so, epoch ms, and how often since the start. */
  lastAt: EpochMs,
  count: z.int().check(z.positive()),
})
export type DeprecatedEndpoint = z.infer<typeof DeprecatedEndpoint>

/** The answer of `GET /upstream/report`; a part that doesn't apply is null. */
export const StatusReport = z.object({
  /** When it was made, epoch ms. */
  at: EpochMs,
  product: z.object({
    version: z.string(),
    startedAt: EpochMs,
    /** What is odd about the configuration, a sentence each. */
    warnings: z.array(z.string()),
  }),
  buildServer: BuildServerStatus,
  policyService: ServerStatus,
  database: z.nullable(DatabaseStatus),
  /** Null where this process is the only one, and keeps the log in memory. */
  liveLog: z.nullable(LiveLogStatus),
  alerts: z.nullable(AlertStatus),
  people: z.nullable(PeopleStatus),
  deprecated: z.array(DeprecatedEndpoint),
  losses: z.object({
    count: Count,
    /** The last 100, newest first. */
    last: z.array(Loss),
  }),
})
export type StatusReport = z.infer<typeof StatusReport>

/** Whether everything works, in one sentence; `unknown` while nothing is known to be wrong yet. */
export function statusHeadline(report: StatusReport): StatusPart {
  const parts = partsOf(report)
  const having = (health: Health) => parts.filter(([, { health: own }]) => own === health)
  const failed = having('failed')
  const warned = having('warning')
  const { warnings } = report.product
  const notes = [...failed, ...warned].flatMap(([, { message, notes }]) => [message, ...notes])
  const headline = (health: Health, message: string): StatusPart => ({ health, message, notes })
  const [first] = failed
  if (failed.length === 1 && first !== undefined) return headline('failed', first[1].message)
  if (first !== undefined) return headline('failed', `Not working: ${namesOf(failed)}.`)
  const concerns = warned.length + warnings.length
  const [concern] = [...warned.map(([, { message }]) => message), ...warnings]
  if (concerns === 1 && concern !== undefined) return headline('warning', concern)
  if (concerns > 1) {
    const names = namesOf([...warned, ...(warnings.length > 0 ? [['configuration'] as const] : [])])
    return headline('warning', `Working, with ${concerns} warnings: ${names}.`)
  }
  const unknown = having('unknown')
  return unknown.length > 0
    ? headline('unknown', `Checking the ${namesOf(unknown)}…`)
    : headline('ok', 'Everything is working.')
}

function partsOf(report: StatusReport): readonly (readonly [string, StatusPart])[] {
  const { buildServer, policyService, database, liveLog, alerts, people } = report
  return [
    ['build server', buildServer],
    ['policy service', policyService],
    ...(database === null ? [] : [['database', database] as const]),
    ...(liveLog === null ? [] : [['live log', liveLog] as const]),
    ...(alerts === null ? [] : [['alerts', alerts] as const]),
    ...(people === null ? [] : [['sessions and screens', people] as const]),
  ]
}

function namesOf(parts: readonly (readonly [string, ...unknown[]])[]): string {
  return new Intl.ListFormat('en').format(parts.map(([name]) => name))
}
