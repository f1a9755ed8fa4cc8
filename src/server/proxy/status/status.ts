import { type Clock, dayMs, wait } from '../../../protocol/clock.ts'
import { countOf } from '../../../protocol/count.ts'
import type {
  AlertStatus,
  LiveLogStatus,
  PeopleStatus,
  StatusReport,
} from '../../../protocol/status-report.ts'
import { countAlerts } from '../../store/alerts.ts'
import { type Database, databaseFault } from '../../store/database.ts'
import { listScreens } from '../../store/screens.ts'
import type { Webhook } from '../alerts/webhook.ts'
import type { LiveEndpoint, LiveLogUse } from '../live/live-route.ts'
import type { UpstreamLog } from '../upstream/upstream-log.ts'
import type { ExportVersionSetting, Upstream } from '../upstream/upstream.ts'
import { createCheck } from './check.ts'
import type { DatabaseWatch } from './database-status.ts'
import { createBuildServerWatch, createPolicyServiceWatch } from './server-status.ts'

/** What the status is made from, beside the servers. */
export interface StatusSources {
  /** Everything that was requested from the servers. */
  readonly log: UpstreamLog
  readonly exportVersion: ExportVersionSetting
  /** What is odd about the configuration, a sentence each. */
  readonly warnings: readonly string[]
  /** Where alerts and screens are kept; without it neither is counted. */
  readonly database?: Database
  /** Where alerts go; without it none are sent. */
  readonly webhooks?: readonly NamedWebhook[]
  /** How many sessions are open; left out where nobody signs in. */
  readonly sessions?: () => Promise<number>
}

export interface StatusOptions extends StatusSources {
  readonly buildData: Upstream
  readonly governor: Upstream | undefined
  readonly live: LiveEndpoint
  readonly databaseWatch: DatabaseWatch | undefined
  readonly version: string
  /** A text with the credentials of all servers in it replaced. */
  readonly redact: (text: string) => string
  readonly clock: Clock
}

/** How this Sightline stands, as far as it is known. */
export interface Status {
  /** What is known now; nothing is requested for it. */
  readonly known: () => StatusReport
  /** Whether people's requests to each server go well, as far as is known. */
  readonly isServing: () => { readonly buildServer: boolean; readonly policyService: boolean }
  /** The same as `known` after what is out of date was looked at, for 3 s at most. */
  readonly report: () => Promise<StatusReport>
  /** Looks at the policy service, unless that was done within the last minute. */
  readonly refreshPolicyService: () => Promise<void>
}

/** Longer than a report takes where everything responds. */
const patienceMs = 3000
const seenMs = 20 * 60_000

/** Puts the parts together (docs/design.md#status): each is looked at on its own, and has its own fault. */
export function createStatus(options: StatusOptions): Status {
  const { clock, log, live, databaseWatch, database, version } = options
  const startedAt = clock.now()
  const buildServer = createBuildServerWatch({
    upstream: options.buildData,
    redact: options.redact,
    log,
    live: () => (isFollowed(live.liveLog?.()) ? live.upstream?.() : undefined),
    exportVersion: options.exportVersion,
    clock,
  })
  const policyService = createPolicyServiceWatch({ upstream: options.governor, log, clock })
  const limits = {
    everyMs: 15_000,
    everyMsAfterFault: 500,
    longestMs: 5000,
    // An attempt since changes how many alerts wait or were delivered.
    isOutdated: (at: number) => (options.webhooks ?? []).some(({ last }) => (last()?.at ?? 0) > at),
  }
  const counting = createCheck(clock, limits, () => counts(options))

  const known = (): StatusReport => {
    const outcome = counting.last()
    const counted = outcome?.ok === true ? outcome.value : undefined
    const fault = outcome?.ok === false ? databaseFault(outcome.fault) : undefined
    return {
      at: clock.now(),
      product: { version, startedAt, warnings: [...options.warnings] },
      buildServer: buildServer.status(),
      policyService: policyService.status(),
      database: databaseWatch?.status() ?? null,
      liveLog: liveLogStatus(live.liveLog?.()),
      alerts:
        database === undefined ? null : alertStatus(options.webhooks ?? [], counted?.alerts, fault),
      people: peopleStatus(live, counted, fault),
      ...noticed(log, options.redact),
    }
  }
  const refresh = async (): Promise<void> => {
    await Promise.all([
      buildServer.refresh(),
      policyService.refresh(),
      databaseWatch?.refresh(),
      ...(database === undefined ? [] : [counting.refresh()]),
    ])
  }
  return {
    known,
    isServing: () => ({
      buildServer: buildServer.isServing(),
      policyService: policyService.isServing(),
    }),
    refreshPolicyService: policyService.refresh,
    report: async () => {
      const done = new AbortController()
      await Promise.race([refresh(), wait(clock, patienceMs, done.signal)])
      done.abort()
      return known()
    },
  }
}

/** What was noticed of the servers, without a credential that one of them echoed. */
export function noticed(
  log: UpstreamLog,
  redact: (text: string) => string,
): Pick<StatusReport, 'deprecated' | 'losses'> {
  const { deprecated, losses } = log.report()
  const orNull = (text: string | null): string | null => (text === null ? null : redact(text))
  return {
    deprecated: deprecated.map((endpoint) => ({ ...endpoint, links: endpoint.links.map(redact) })),
    losses: {
      ...losses,
      last: losses.last.map((loss) => ({
        ...loss,
        build: orNull(loss.build),
        field: orNull(loss.field),
      })),
    },
  }
}

/** What only the database knows. */
interface Counts {
  readonly alerts: Awaited<ReturnType<typeof countAlerts>>
  readonly screens: NonNullable<PeopleStatus['screens']>
  readonly sessions: number | null
}

async function counts({ database, sessions, clock }: StatusOptions): Promise<Counts | undefined> {
  if (database === undefined) return undefined
  const now = clock.now()
  const [alerts, screens, open] = await Promise.all([
    countAlerts(database, now - dayMs),
    listScreens(database, now),
    sessions?.(),
  ])
  const seen = screens.filter(({ lastSeenAt }) => now - (lastSeenAt ?? 0) <= seenMs)
  return {
    alerts,
    screens: { paired: screens.length, seen: seen.length },
    sessions: open ?? null,
  }
}

/** A receiver of alerts, by the name that the list of alerts gives it. */
type NamedWebhook = Pick<Webhook, 'last'> & { readonly name: string }

/** `fault` says why they can't be counted. */
function alertStatus(
  webhooks: readonly NamedWebhook[],
  counted: Counts['alerts'] | undefined,
  fault: string | undefined,
): AlertStatus {
  const attempts = webhooks
    .flatMap(({ name, last }) => {
      const attempt = last()
      return attempt === undefined ? [] : [{ name, ...attempt }]
    })
    .sort((a, b) => b.at - a.at)
  const failing = attempts.flatMap((attempt) => (attempt.kind === 'sent' ? [] : [attempt]))
  const [first] = failing
  // A receiver that fails hides behind the others that don't.
  const at = (first ?? attempts[0])?.at
  const facts = {
    waiting: counted?.waiting ?? null,
    failed: counted?.failed ?? null,
    sent: counted?.sent ?? null,
    last:
      at === undefined
        ? null
        : { at, isDelivered: first === undefined, reason: first?.reason ?? null },
    notes: [],
  }
  if (webhooks.length === 0)
    return { ...facts, health: 'off', message: 'No alerts are configured.' }
  if (first !== undefined) {
    const isOfSome = failing.every((attempt) => 'leftTo' in attempt)
    const what = isOfSome ? "Alerts don't reach everyone" : "Alerts aren't delivered"
    const where = isOfSome ? 'of' : 'to'
    if (failing.length === 1) {
      const whose = webhooks.length === 1 ? '' : ` ${where} ${first.name}`
      return { ...facts, health: 'warning', message: `${what}${whose}. ${first.reason}` }
    }
    const message = `${what} ${where} ${failing.length} of ${countOf(webhooks.length, 'receiver')}.`
    const notes = failing.map(({ name, reason }) => `${name}: ${reason}`)
    return { ...facts, notes, health: 'warning', message }
  }
  if (fault !== undefined)
    return { ...facts, health: 'unknown', message: `Alerts can't be counted. ${fault}` }
  const { failed } = facts
  return failed !== null && failed > 0
    ? {
        ...facts,
        health: 'warning',
        message: `${countOf(failed, 'alert')} given up within the last 24 hours.`,
      }
    : { ...facts, health: 'ok', message: 'Alerts are configured.' }
}

/** Whether somebody knows how the export stream stands: who follows it says so by the live log. */
function isFollowed(log: LiveLogUse | undefined): boolean {
  if (log === undefined || log.kind === 'memory' || log.follower === 'this') return true
  return log.isReachable && log.follower === 'another'
}

/** Nothing where no other process could be on it. */
function liveLogStatus(log: LiveLogUse | undefined): LiveLogStatus | null {
  if (log === undefined || log.kind === 'memory') return null
  const { kind, isReachable, since, follower } = log
  const facts = { kind, isReachable, since, follower, notes: [] }
  if (!isReachable) {
    const health = follower === 'this' ? 'warning' : 'failed'
    return { ...facts, health, message: log.message ?? "Can't reach the live log." }
  }
  if (follower === 'nobody') {
    const message = 'No Sightline server is following the build server.'
    return { ...facts, health: 'warning', message }
  }
  const who = follower === 'this' ? 'This' : 'Another'
  return { ...facts, health: 'ok', message: `${who} Sightline server follows the build server.` }
}

function peopleStatus(
  live: LiveEndpoint,
  counted: Counts | undefined,
  fault: string | undefined,
): PeopleStatus {
  const streams = live.metrics().gauges.readers ?? 0
  return {
    health: 'ok',
    message: `${countOf(streams, 'stream')} open.`,
    notes: fault === undefined ? [] : [`Sessions and screens can't be counted. ${fault}`],
    sessions: counted?.sessions ?? null,
    streams,
    screens: counted?.screens ?? null,
  }
}
