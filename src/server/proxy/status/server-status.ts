import { z } from 'zod'
import { buildListPath, versionPath } from '../../../protocol/build-data.ts'
import type { Clock } from '../../../protocol/clock.ts'
import { expiryText } from '../../../protocol/credential-state.ts'
import { ProblemError, problemError } from '../../../protocol/problem.ts'
import type {
  BuildServerStatus,
  Permission,
  ServerStatus,
  StatusPart,
} from '../../../protocol/status-report.ts'
import type { LiveUpstream } from '../live/live-route.ts'
import { governorAllowList } from '../upstream/routes.ts'
import { readBounded, type UpstreamResponse } from '../upstream/upstream-client.ts'
import type { Observations, UpstreamLog } from '../upstream/upstream-log.ts'
import { acceptResponse, misdirection } from '../upstream/upstream-response.ts'
import { type ExportVersionSetting, nothingStored, type Upstream } from '../upstream/upstream.ts'
import { type Check, type CheckLimits, CheckTimeout, createCheck, type Outcome } from './check.ts'

/** One server, looked after on demand. */
export interface ServerWatch<T extends ServerStatus = ServerStatus> {
  /** What is known of it now. */
  readonly status: () => T
  /** Whether people's requests to it go well, as far as is known: beside a live export stream they may not. */
  readonly isServing: () => boolean
  /** Requests what the traffic of the last minute doesn't show. Never rejects. */
  readonly refresh: () => Promise<void>
}

/** At most once a minute, and every 5 s while it fails, as pages wait for its recovery; for 10 s at most. */
const limits = { everyMs: 60_000, everyMsAfterFault: 5000, longestMs: 10_000 }
/** So long a permission counts as known. */
const permissionMs = 10 * 60_000
/** Clocks that differ by more confuse people and tokens. */
const mostSkewMs = 30_000
const lateMs = 60_000
const expiryWarningMs = 7 * 24 * 60 * 60 * 1000

/** What a build server's status is made from. */
export interface BuildServerOptions {
  readonly upstream: Upstream
  readonly log: UpstreamLog
  /** How the export stream stands; undefined where nobody follows it, as far as is known. */
  readonly live?: (() => LiveUpstream | undefined) | undefined
  readonly exportVersion: ExportVersionSetting
  /** A text with the credentials of all servers in it replaced. */
  readonly redact: (text: string) => string
  readonly clock: Clock
}

/**
 * Looks after the build server: mostly by what the live feed and people's requests show; its release
 * and the permission for the build data API are requested.
 */
export function createBuildServerWatch(
  options: BuildServerOptions,
): ServerWatch<BuildServerStatus> {
  const { upstream, log, clock } = options
  let release: string | null = null
  const observed = (): Observations => log.observed(upstream.name)
  const check: Check<void> = createCheck(clock, limitsFor(observed), async (signal) => {
    throwIfRefused(check, observed(), clock.now())
    const { statusOf } = observed()
    if (release === null || !isHeard(observed(), clock.now())) {
      release = await fetchRelease(upstream, signal)
      if (release !== null) release = options.redact(release)
    }
    const list = statusOf(buildListEndpoint)
    const knownMs = list?.status === 401 ? limits.everyMs : permissionMs
    if (!wasWithin(list?.at, knownMs) || isUnavailable(list?.status)) {
      const path = buildListPath({ since: clock.now(), maxBuilds: 1 })
      const response = await upstream.client.request({ path, signal })
      response.cancel()
    }
    const status = observed().statusOf(buildListEndpoint)?.status
    // Whatever else it says is about the permission.
    if (status === 401) throw unusable(rejectedText(upstream, ' (401)'), status)
    if (isUnavailable(status)) throw unusable(unavailable(upstream, status), status)
  })
  const wasWithin = (at: number | undefined, ms: number): boolean =>
    at !== undefined && clock.now() - at < ms
  // At a start the stream says enough, and nothing else is requested for it.
  let isAsked = false
  const watch: ServerWatch<BuildServerStatus> = {
    refresh: () => {
      if (upstream.kind === 'none') return Promise.resolve()
      isAsked = true
      return check.refresh()
    },
    isServing: () => check.last()?.ok !== false && watch.status().health !== 'failed',
    status: () => {
      const facts = factsOf(upstream, observed())
      const { spoken } = log.report()
      const live = options.live?.()
      const skewMs = facts.clockSkewMs ?? 0
      const deliveries = live?.deliveriesMs.map((ms) => Math.max(0, ms + skewMs)) ?? []
      const isRefused = facts.credential?.state === 'refused' || refusalIn(check.last()) === 401
      const credential =
        facts.credential !== null && live?.upstream === 'live' && isRefused
          ? { ...facts.credential, state: 'partly' as const }
          : facts.credential
      const status = {
        ...facts,
        credential,
        permissions: upstream.kind === 'none' ? [] : permissionsOf(observed(), check.last(), live),
        release,
        exportVersion: { setting: options.exportVersion, spoken },
        newestBuildAt: typeof live?.newestBuildAt === 'number' ? live.newestBuildAt - skewMs : null,
        deliveryMs: deliveryOf(deliveries),
      }
      return {
        ...status,
        ...buildServerHealth(status, {
          upstream,
          observed: observed(),
          live,
          check: check.last(),
          isAsked,
          clock,
        }),
      }
    },
  }
  return watch
}

type WithoutHealth<T> = Omit<T, keyof StatusPart>

function factsOf(
  upstream: Upstream | undefined,
  { lastResponse, latency, clockSkewMs }: Observations,
): WithoutHealth<ServerStatus> {
  const kind = upstream?.kind ?? 'none'
  return {
    kind,
    address: upstream?.origin ?? null,
    lastResponseAt: lastResponse?.at ?? null,
    latency,
    credential: upstream === undefined || kind === 'none' ? null : upstream.credential(),
    permissions: [],
    clockSkewMs,
  }
}

const buildListEndpoint = 'GET /api/builds'
const exportEndpoints = ['v2', 'v1'].flatMap((version) => [
  `GET /build-export/${version}/builds/since/:date`,
  `GET /build-export/${version}/builds/sinceBuild/:buildId`,
])

function permissionsOf(
  { statusOf }: Observations,
  check: Outcome<void> | undefined,
  live: LiveUpstream | undefined,
): Permission[] {
  const newest = (
    endpoints: readonly string[],
    isSilent: boolean,
  ): Pick<Permission, 'state' | 'known'> => {
    const [last] = endpoints
      .flatMap((endpoint) => statusOf(endpoint) ?? [])
      .toSorted((a, b) => b.at - a.at)
    const status = last?.status
    if (status === 200 || status === 204) return { state: 'granted', known: 'granted' }
    if (status === 403) return { state: 'missing', known: 'missing' }
    const known =
      typeof status !== 'number'
        ? isSilent
          ? 'unknown, no response'
          : 'not checked yet'
        : status === 401
          ? 'unknown, the credential is rejected (401)'
          : `unknown, the server responded with ${status}`
    return { state: 'unknown', known }
  }
  return [
    {
      name: 'Export API',
      ...newest(exportEndpoints, live !== undefined && live.upstream !== 'connecting'),
      purpose: 'builds as they arrive, and the events of each build',
    },
    {
      name: 'Access build data via the API',
      ...newest([buildListEndpoint], check?.ok === false && check.fault instanceof CheckTimeout),
      purpose: 'searching builds, and the details of each build',
    },
  ]
}

function deliveryOf(deliveries: readonly number[]): BuildServerStatus['deliveryMs'] {
  const last = deliveries.at(-1)
  const median = deliveries.toSorted((a, b) => a - b)[Math.floor(deliveries.length / 2)]
  return last === undefined || median === undefined ? null : { last, median }
}

/** Something to say of a server, and how bad it is. */
type Concern = readonly [health: 'failed' | 'warning' | 'ok', sentence: string]

function buildServerHealth(
  status: WithoutHealth<BuildServerStatus>,
  {
    upstream,
    observed,
    live,
    check,
    isAsked,
    clock,
  }: {
    readonly observed: Observations
    readonly upstream: Upstream
    readonly live: LiveUpstream | undefined
    readonly check: Outcome<void> | undefined
    /** Whether the check was begun. */
    readonly isAsked: boolean
    readonly clock: Clock
  },
): StatusPart {
  if (upstream.kind === 'none') return notConfigured('build server', upstream.settings.url)
  const now = clock.now()
  const stream = live === undefined ? undefined : streamConcern(live, upstream, now)
  const isStreamed = live?.upstream === 'live' || live?.upstream === 'polling'
  const lacks = status.permissions.some(
    ({ name, state }) => name.startsWith('Access') && state === 'missing',
  )
  const isDenied = lacks && refusalIn(check) === 403
  // One request that failed beside a live stream says little, a check that failed does.
  const faults = isStreamed
    ? check?.ok === false && !isDenied
      ? [['warning', besideStream(check.fault, upstream)] as const]
      : []
    : faultConcern(check, observed, upstream)
  const apiFault = isStreamed || stream === undefined ? faults : []
  const rejected = isStreamed
    ? (['warning', besideStream(unusable('', 401), upstream)] as const)
    : (['failed', rejectedText(upstream)] as const)
  const isSaid = stream?.[0] === 'failed' || apiFault.length > 0
  const hasNoList = observed.statusOf(buildListEndpoint)?.status === 404
  const { deliveryMs, newestBuildAt } = status
  const isLate =
    deliveryMs !== null &&
    Math.min(deliveryMs.last, deliveryMs.median) >= lateMs &&
    now - (newestBuildAt ?? 0) - deliveryMs.last < permissionMs
  const concerns: Concern[] = [
    ...(stream === undefined ? [] : [stream]),
    ...apiFault,
    ...commonConcerns(status, observed, upstream, now, isSaid ? [] : [rejected]),
    ...(lacks ? [['warning', noDataAccess] as const] : []),
    ...(hasNoList ? [['ok', noBuildList] as const] : []),
    ...(isLate ? [['warning', `Builds arrive ${spanText(deliveryMs.median)} late.`] as const] : []),
  ]
  const isHeardOf = check !== undefined || (live !== undefined && !isAsked)
  const isKnown = isHeardOf && live?.upstream !== 'connecting'
  const { spoken } = status.exportVersion
  const ok = [
    'Reachable',
    ...(spoken === null || !isStreamed
      ? []
      : [`export stream ${spoken}${spoken === 'v1' ? ' (Gradle builds only)' : ''}`]),
    ...(status.release === null ? [] : [`release ${status.release}`]),
  ].join(', ')
  const pending = isStreamed
    ? "Builds arrive. The build server hasn't responded to other requests yet, such as for the build list."
    : 'Connecting to the build server.'
  return healthOf(concerns, isKnown ? `${ok}.` : pending, isKnown)
}

const noDataAccess =
  'The build server denies the permission "Access build data via the API", so details come from each build\'s events.'

/** An older release works so; nobody knows which of the two it is. */
const noBuildList =
  'The build server has no build list, or Sightline\'s user lacks the permission "Access build data via the API", so details come from each build\'s events.'

/** A fault of other requests while builds arrive: the server is there. */
function besideStream(fault: unknown, upstream: Upstream): string {
  const { name, settings } = upstream
  const others = 'other requests, such as for the build list'
  const status = statusIn(fault)
  const what =
    fault instanceof CheckTimeout
      ? `didn't respond to other requests within ${limits.longestMs / 1000} s, such as for the build list. Check its load, and proxies before it.`
      : status === 401
        ? `rejects Sightline's credentials for ${others} (401). Check ${settings.credential}.`
        : status === 429
          ? `refuses ${others}, because there are too many (429). Sightline tries again by itself.`
          : isUnavailable(status)
            ? `is unavailable for ${others} (${status}).`
            : undefined
  return what === undefined
    ? faultSentence(fault, upstream)
    : `Builds arrive, but the ${name} ${what}`
}

/** The status that an unusable response had; undefined for other faults. */
function statusIn(fault: unknown): number | undefined {
  const status = fault instanceof ProblemError ? fault.problem.upstreamStatus : undefined
  return typeof status === 'number' ? status : undefined
}

function refusalIn(check: Outcome<void> | undefined): number | undefined {
  return check?.ok === false ? statusIn(check.fault) : undefined
}

/** What the state of the export stream says; undefined where nothing is wrong. */
function streamConcern(live: LiveUpstream, upstream: Upstream, now: number): Concern | undefined {
  const message = live.message.replace(/ Reconnecting\.$/, '')
  switch (live.upstream) {
    case 'live':
    case 'connecting':
    case 'none':
      return undefined
    case 'polling':
    case 'complete':
      return ['warning', message]
    case 'retrying':
      // A stream that was cut comes back sooner, as a rule.
      return [now - live.since < 5000 && live.lastHeardAt !== null ? 'warning' : 'failed', message]
    case 'refused':
      return upstream.credential().kind === 'none'
        ? [
            'failed',
            `The build server requires a credential, and none is configured. Set ${upstream.settings.credential}.`,
          ]
        : ['failed', message]
  }
}

function commonConcerns(
  { credential, clockSkewMs }: WithoutHealth<ServerStatus>,
  { lastResponse }: Observations,
  { name, settings }: Upstream,
  now: number,
  rejected: readonly Concern[],
): Concern[] {
  const concerns: Concern[] = []
  if (credential !== null && credential.kind !== 'none') {
    const left = (credential.expiresAt ?? Infinity) - now
    // Not every response that comes after signing in says that to the credential's own record.
    const isAccepted =
      isGood(lastResponse?.status) && (lastResponse?.at ?? 0) > (credential.checkedAt ?? 0)
    if (/refused|partly/.test(credential.state) && !isAccepted && rejected.length > 0)
      concerns.push(...rejected)
    else if (left < expiryWarningMs) {
      const ends = `${expiryText(credential, now) ?? ''} Replace it in ${settings.credential}.`
      concerns.push([left <= 0 ? 'failed' : 'warning', ends])
    }
    if (credential.notice !== null) concerns.push(['ok', credential.notice])
  }
  const skewMs = clockSkewMs ?? 0
  if (Math.abs(skewMs) >= mostSkewMs) {
    const direction = skewMs > 0 ? 'ahead of' : 'behind'
    concerns.push([
      'warning',
      `The ${name}'s clock is ${spanText(Math.abs(skewMs))} ${direction} this machine's. Synchronize both clocks.`,
    ])
  }
  return concerns
}

/** The worst concern first; `ok` is said where there is none. */
function healthOf(concerns: readonly Concern[], ok: string, isKnown: boolean): StatusPart {
  const having = (health: Concern[0]): string[] =>
    concerns.filter(([own]) => own === health).map(([, sentence]) => sentence)
  const failed = having('failed')
  const warned = having('warning')
  const notes = having('ok')
  const [first, ...rest] = [...failed, ...warned]
  return first === undefined
    ? { health: isKnown ? 'ok' : 'unknown', message: ok, notes }
    : failed.length > 0
      ? { health: 'failed', message: first, notes: [...rest, ...notes] }
      : { health: 'warning', message: first, notes: [...rest, ...(isKnown ? [ok] : []), ...notes] }
}

function notConfigured(name: string, setting: string): StatusPart {
  const message = `No ${name} is configured. To connect one, set ${setting} and restart Sightline.`
  return { health: 'off', message, notes: [] }
}

/** The fault of a check, or of a request since, unless a response came after it. */
function faultConcern(
  outcome: Outcome<void> | undefined,
  { lastResponse, lastFailure }: Observations,
  upstream: Upstream,
): Concern[] {
  const respondedAt = isGood(lastResponse?.status) ? (lastResponse?.at ?? 0) : 0
  const failedAt = lastFailure?.at ?? 0
  if (failedAt > respondedAt && failedAt > (outcome?.at ?? 0)) {
    return [['failed', lastFailure?.reason ?? `Can't reach the ${upstream.name}.`]]
  }
  return outcome?.ok === false && outcome.at >= respondedAt
    ? [['failed', faultSentence(outcome.fault, upstream)]]
    : []
}

function faultSentence(fault: unknown, { name, settings }: Upstream): string {
  if (fault instanceof CheckTimeout) {
    return `The ${name} sent nothing for ${limits.longestMs / 1000} s. Check ${settings.url}, the network and its firewalls.`
  }
  if (!(fault instanceof ProblemError)) return `Can't reach the ${name}.`
  const { sentence } = fault
  return sentence.includes(name) ? sentence : `The ${name} reports: ${sentence}`
}

const Version = z.object({ string: z.string().min(1).max(100) })

/** Null for servers that have no such operation; throws a ProblemError where nothing else works either. */
async function fetchRelease(upstream: Upstream, signal: AbortSignal): Promise<string | null> {
  const response = await upstream.client.request({
    path: versionPath,
    headers: { accept: 'application/json' },
    signal,
  })
  const fault = faultOf(response, upstream)
  if (response.status !== 200 || fault !== undefined) response.cancel()
  if (fault !== undefined) throw unusable(fault, response.status)
  if (response.status !== 200) return null
  const text = (await readBounded(response, 16_384)).toString('utf8')
  try {
    const { string } = Version.parse(JSON.parse(text))
    return string.replace(/[^\x20-\x7e]/g, '\ufffd')
  } catch {
    return null
  }
}

function faultOf(response: UpstreamResponse, upstream: Upstream): string | undefined {
  const { name, settings } = upstream
  const { status } = response
  if (status === 401) return rejectedText(upstream, ` (${status})`)
  // It comes after signing in, or from a proxy before the server.
  if (status === 403) {
    return `The ${name} denies access (403). Check the permissions of ${settings.credential}, and proxies before it.`
  }
  return isUnavailable(status)
    ? unavailable(upstream, status)
    : misdirection(response, name, settings.url)
}

function rejectedText({ name, settings }: Upstream, how = ''): string {
  return `The ${name} rejects Sightline's credentials${how}. Check ${settings.credential}.`
}

function unavailable({ name }: Upstream, status: number): string {
  return status === 429
    ? `The ${name} gets too many requests (429). Sightline tries again by itself.`
    : `The ${name} is unavailable (${status}).`
}

function unusable(fault: string, upstreamStatus: number): ProblemError {
  return problemError(502, 'upstream-answer', 'Unusable response', fault, { upstreamStatus })
}

/** A response that says nothing but that the server can't serve requests now. */
function isUnavailable(status: number | null | undefined): status is number {
  return typeof status === 'number' && (status >= 500 || status === 429)
}

/** What a policy service's status is made from. */
export interface PolicyServiceOptions {
  readonly upstream: Upstream | undefined
  readonly log: UpstreamLog
  readonly clock: Clock
}

/**
 * Looks after the policy service: by people's requests or, where there are none, by fetching an
 * attestation that nobody has stored: that it is missing is said to allowed users only.
 */
export function createPolicyServiceWatch({
  upstream,
  log,
  clock,
}: PolicyServiceOptions): ServerWatch {
  const observed = (): Observations => log.observed(governorAllowList.name)
  const check: Check<void> = createCheck(clock, limitsFor(observed), async (signal) => {
    throwIfRefused(check, observed(), clock.now())
    if (upstream === undefined || isHeard(observed(), clock.now())) return
    const response = await upstream.client.request({
      path: nothingStored,
      headers: { accept: 'application/json' },
      signal,
    })
    try {
      await acceptResponse(upstream, response, clock.now())
      response.cancel()
    } catch (error) {
      // Not there, or not an address that this release takes: both come after signing in.
      if (!isGood(response.status)) throw error
    }
  })
  const watch: ServerWatch = {
    refresh: () => (upstream === undefined ? Promise.resolve() : check.refresh()),
    isServing: () => watch.status().health !== 'failed',
    status: () => {
      const now = clock.now()
      const facts = factsOf(upstream, observed())
      if (upstream === undefined)
        return { ...facts, ...notConfigured('policy service', 'SIGHTLINE_GOVERNOR_URL') }
      const outcome = check.last()
      const fault = faultConcern(outcome, observed(), upstream)
      const concerns = [
        ...fault,
        ...commonConcerns(
          ...([facts, observed(), upstream, now] as const),
          fault.length > 0 ? [] : [['failed', rejectedText(upstream)]],
        ),
      ]
      const isKnown = outcome !== undefined
      const ok = isKnown
        ? 'Reachable, and the credential is not rejected.'
        : 'The policy service was not checked yet.'
      return { ...facts, ...healthOf(concerns, ok, isKnown) }
    },
  }
  return watch
}

function limitsFor(observed: () => Observations): CheckLimits {
  return {
    ...limits,
    isOutdated: (at) => {
      const { lastFailure, lastResponse, statusOf } = observed()
      // What another operation responded since says nothing of the list.
      const faults = [lastResponse, statusOf(buildListEndpoint)].filter(
        (last) => last?.status === 401 || isUnavailable(last?.status),
      )
      return [...faults, lastFailure].some((last) => (last?.at ?? -Infinity) > at)
    },
  }
}

/** A credential that was refused is tried once a minute all the same: some servers lock users out. */
function throwIfRefused(check: Check<void>, { lastResponse }: Observations, now: number): void {
  const { at, status } = lastResponse ?? { at: -Infinity, status: null }
  const before = check.last()
  const isRefused = (status === 401 || status === 403) && now - at < limits.everyMs
  if (isRefused && before?.ok === false) throw before.fault
}

/** Whether the traffic of the last minute shows that it works, and no failure came after that. */
function isHeard({ lastResponse, lastFailure }: Observations, now: number): boolean {
  const { at, status } = lastResponse ?? { at: -Infinity, status: null }
  return now - at < limits.everyMs && isGood(status) && at >= (lastFailure?.at ?? -Infinity)
}

/** A response that only a server which accepts the credential gives. */
function isGood(status: number | null | undefined): boolean {
  return typeof status === 'number' && [200, 201, 202, 204, 400, 404, 410, 422].includes(status)
}

/** A span in one unit: "45 s", "2 min", "3 h", "12 days". */
export function spanText(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (seconds < 90) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 90) return `${minutes} min`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`
}
