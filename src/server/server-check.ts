import { createPublicKey, X509Certificate } from 'node:crypto'
import pino from 'pino'
import { type Clock, wait } from '../protocol/clock.ts'
import { ProblemError } from '../protocol/problem.ts'
import {
  readTrustedRoot,
  type TrustedIdentity,
  type TrustedRoot,
} from '../protocol/proxy-config.ts'
import type { AlertStatus, DatabaseStatus, StatusReport } from '../protocol/status-report.ts'
import type { Config } from './config.ts'
import { boardWarnings } from './proxy/config-file.ts'
import type { LiveUpstream } from './proxy/live/live-route.ts'
import { openUpstreamStream, type UpstreamStatus } from './proxy/live/upstream-stream.ts'
import {
  type BuildServerOptions,
  createBuildServerWatch,
  createPolicyServiceWatch,
} from './proxy/status/server-status.ts'
import { noticed } from './proxy/status/status.ts'
import {
  createAbsentBuildData,
  createBuildDataUpstream,
  createGovernorUpstream,
  type Upstream,
} from './proxy/upstream/upstream.ts'
import { createUpstreamLog, type UpstreamLog } from './proxy/upstream/upstream-log.ts'
import { checkRedisLog } from './live-log/open-live-log.ts'
import { checkDatabase } from './store/open-database.ts'
import { createUpstreamClient } from './proxy/upstream/undici-upstream-client.ts'

/** What a check needs from its surroundings. */
export interface CheckOptions {
  readonly clock: Clock
  readonly random: () => number
  readonly version: string
}

/** Lets somebody wait for the first thing that the follower of a build server finds out. */
export function createFirstStatus(): {
  readonly known: Promise<UpstreamStatus>
  readonly onStatus: (status: UpstreamStatus) => void
} {
  let resolve: ((status: UpstreamStatus) => void) | undefined
  const known = new Promise<UpstreamStatus>((settle) => {
    resolve = settle
  })
  return {
    known,
    onStatus: (status) => {
      if (status.upstream !== 'connecting') resolve?.(status)
    },
  }
}

/** What is odd at `now` (epoch ms) about a configuration that is no mistake, a sentence each. */
export function configWarnings(
  { buildData, governor, embedded, databaseUrl, shared, alerts, smtpUrl }: Config,
  now: number,
): string[] {
  const key = 'SIGHTLINE_BUILD_DATA_ACCESS_KEY is set without SIGHTLINE_BUILD_DATA_URL'
  const cure = 'To connect your build server, set SIGHTLINE_BUILD_DATA_URL.'
  const isIdle = embedded.accessKey !== undefined && buildData === undefined
  const isDemo = buildData === undefined && governor === undefined
  const isLost = !isDemo && databaseUrl.reveal() === 'memory:'
  const mails = alerts?.rules.routes.some(({ email }) => email.length > 0) === true
  return [
    ...(isIdle
      ? [`${key}: the ${isDemo ? 'embedded demo uses the key' : 'key is not used'}. ${cure}`]
      : []),
    ...(isLost
      ? [
          'SIGHTLINE_DATABASE_URL is memory:, so everything recorded is lost when Sightline stops. Set a file or PostgreSQL.',
        ]
      : []),
    ...(smtpUrl === undefined || mails
      ? []
      : [
          'SIGHTLINE_SMTP_URL is set, but no route in alerts.routes has email, so no mail is sent. Add email to a route in the configuration file.',
        ]),
    ...boardWarnings(shared.boards),
    ...(shared.sigstore === undefined
      ? []
      : [
          ...rootWarnings(shared.sigstore.trustedRoot, now),
          ...shared.sigstore.identities.flatMap(identityWarnings),
        ]),
  ]
}

/** What of a trusted root keeps keyless signatures from counting (docs/attestations.md#keyless-bundles). */
function rootWarnings(trustedRoot: unknown, now: number): string[] {
  const read = readTrustedRoot(trustedRoot)
  const none = 'no keyless signature counts. Use the trusted_root.json of your Sigstore.'
  if (!read.success) {
    const [where = 'it'] = read.error.issues.map(({ path }) =>
      path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join(''),
    )
    return [
      `sigstore.trustedRoot can't be used: ${where.replace(/^\./, '')} is missing or not as expected, so ${none}`,
    ]
  }
  const { certificateAuthorities, timestampAuthorities, tlogs, ctlogs } = read.data
  const unreadable = [
    ...unreadableIn('certificateAuthorities', certificateAuthorities, isReadableAuthority),
    ...unreadableIn('timestampAuthorities', timestampAuthorities, isReadableAuthority),
    ...unreadableIn('tlogs', tlogs, isReadableLog),
    ...unreadableIn('ctlogs', ctlogs, isReadableLog),
  ].map(
    (place) =>
      `sigstore.trustedRoot can't be used: ${place} has a certificate or key that isn't one.`,
  )
  if (unreadable.length > 0) return unreadable
  if (tlogs.length + timestampAuthorities.length === 0) {
    const what = 'names neither a transparency log nor a timestamp authority'
    return [`sigstore.trustedRoot ${what}, so no time of signing can be trusted, and ${none}`]
  }
  const isNow = ({ start, end }: Period): boolean =>
    Date.parse(start) <= now && now < Date.parse(end)
  const isAuthorityNow = ({ validFor, certChain }: Authority): boolean =>
    isNow(validFor) &&
    certChain.certificates.every(({ rawBytes }) => {
      const { validFrom, validTo } = certificateOf(rawBytes)
      return isNow({ start: validFrom, end: validTo })
    })
  const replace = "so what is signed today doesn't count. Replace the file."
  return [
    ...(certificateAuthorities.some(isAuthorityNow)
      ? []
      : [`sigstore.trustedRoot has no certificate authority that is valid today, ${replace}`]),
    ...(timestampAuthorities.some(isAuthorityNow) ||
    tlogs.some(({ publicKey }) => isNow(publicKey.validFor))
      ? []
      : [
          `sigstore.trustedRoot has no transparency log and no timestamp authority that is valid today, ${replace}`,
        ]),
  ]
}

type Authority = TrustedRoot['certificateAuthorities'][number]
type Log = TrustedRoot['tlogs'][number]
type Period = Authority['validFor']

/** The places of a list that can't be read: "tlogs[0]". */
function unreadableIn<Item>(
  name: string,
  items: readonly Item[],
  isReadable: (item: Item) => boolean,
): string[] {
  return items.flatMap((item, index) => (isReadable(item) ? [] : [`${name}[${index}]`]))
}

function certificateOf(rawBytes: string): X509Certificate {
  return new X509Certificate(Buffer.from(rawBytes, 'base64'))
}

function isReadableAuthority({ certChain }: Authority): boolean {
  return isReadable(() => certChain.certificates.map(({ rawBytes }) => certificateOf(rawBytes)))
}

function isReadableLog({ publicKey: { rawBytes, keyDetails } }: Log): boolean {
  // Others aren't written as SubjectPublicKeyInfo.
  if (!keyDetails.startsWith('PKIX_')) return true
  const key = Buffer.from(rawBytes, 'base64')
  return isReadable(() => createPublicKey({ key, format: 'der', type: 'spki' }))
}

function isReadable(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}

/** Whom nobody is, or everybody. */
function identityWarnings({ name, issuer, identity, identityRegexp }: TrustedIdentity): string[] {
  const one = `The identity “${name}” of sigstore`
  const matchesAll =
    identityRegexp !== undefined &&
    strangers.every((stranger) => new RegExp(`^(?:${identityRegexp})$`, 'u').test(stranger))
  return [
    ...(/^https?:\/\//.test(issuer)
      ? []
      : [
          `${one} matches no certificate: its issuer must be a URL, such as https://accounts.google.com.`,
        ]),
    ...(identity?.includes('*') === true
      ? [`${one} is compared as a whole: “*” stands for itself. Use identityRegexp for a pattern.`]
      : []),
    ...(matchesAll
      ? [`${one} trusts everyone whom ${issuer} vouches for. Name them more closely.`]
      : []),
  ]
}

const strangers = ['nobody@sightline.invalid', 'https://sightline.invalid/nobody@refs/heads/main']

/**
 * Checks everything that is configured once, for 10 s at most: no port is opened and nothing stored.
 * Never throws for a fault of a server or of the database.
 */
export async function checkAll(config: Config, options: CheckOptions): Promise<StatusReport> {
  const { clock, version } = options
  const log = createUpstreamLog(clock)
  const startedAt = clock.now()
  const { buildData, governor, exportBearer, exportVersion } = config
  const common = { ...options, connect: createUpstreamClient, log, notice, kind: 'server' } as const
  const server =
    buildData === undefined
      ? createAbsentBuildData()
      : createBuildDataUpstream({ ...buildData, ...common, exportBearer, exportVersion })
  const service =
    governor === undefined ? undefined : createGovernorUpstream({ ...governor, ...common })
  const redact = (text: string): string =>
    service?.redact(server.redact(text)) ?? server.redact(text)
  const [buildServer, policyService, database, people, liveLog] = await Promise.all([
    checkBuildServer(server, { ...options, log, redact, exportVersion }),
    checkPolicyService(service, log, clock),
    checkStore(config),
    checkSignIn(config),
    checkLiveLog(config, clock),
  ])
  return {
    at: clock.now(),
    product: { version, startedAt, warnings: configWarnings(config, startedAt) },
    buildServer,
    policyService,
    database,
    alerts: alertsOf(config),
    people,
    liveLog,
    ...noticed(log, redact),
  }
}

const notice = (): void => undefined
const longestMs = 10_000

/** Follows the export stream (or polls the build list) as the live feed does, until it says how it stands. */
async function checkBuildServer(
  upstream: Upstream,
  options: CheckOptions & Pick<BuildServerOptions, 'log' | 'redact' | 'exportVersion'>,
): Promise<StatusReport['buildServer']> {
  const follower = upstream.kind === 'none' ? undefined : follow(upstream, options)
  const watch = createBuildServerWatch({ ...options, upstream, live: follower?.live })
  try {
    if ((await follower?.known) !== 'late') await watch.refresh()
    return watch.status()
  } finally {
    await Promise.all([follower?.close(), upstream.client.close()])
  }
}

function follow(
  { client, name, settings }: Upstream,
  { clock, random, log }: CheckOptions & Pick<BuildServerOptions, 'log'>,
): {
  /** Resolves when it is known how the server stands, or after 10 s. */
  readonly known: Promise<UpstreamStatus | 'late'>
  readonly live: () => LiveUpstream
  readonly close: () => Promise<void>
} {
  const ended = new AbortController()
  const first = createFirstStatus()
  const stream = openUpstreamStream({
    from: undefined,
    client,
    clock,
    spoken: () => log.report().spoken,
    random,
    logger: pino({ level: 'silent' }),
    onLoss: () => undefined,
    idleMs: 2 * longestMs,
    streamRetryMs: longestMs,
    onBuild: () => true,
    onGap: () => undefined,
    onStatus: () => {
      first.onStatus(stream.status())
    },
    pace: () => Promise.resolve(),
  })
  const silent = `The ${name} sent nothing for ${longestMs / 1000} s. Check ${settings.url}, the network and its firewalls.`
  let isLate = false
  const late = wait(clock, longestMs, ended.signal).then(() => {
    isLate = !ended.signal.aborted
    return 'late' as const
  })
  return {
    known: Promise.race([first.known, late]),
    live: () => ({
      ...stream.status(),
      ...(isLate && stream.status().upstream === 'connecting'
        ? ({ upstream: 'retrying', message: silent } as const)
        : {}),
      newestBuildAt: null,
      deliveriesMs: [],
    }),
    close: async () => {
      ended.abort()
      await stream.close()
    },
  }
}

async function checkPolicyService(
  upstream: Upstream | undefined,
  log: UpstreamLog,
  clock: Clock,
): Promise<StatusReport['policyService']> {
  const watch = createPolicyServiceWatch({ upstream, log, clock })
  try {
    await watch.refresh()
    return watch.status()
  } finally {
    await upstream?.client.close()
  }
}

async function checkStore({ databaseUrl }: Config): Promise<DatabaseStatus> {
  const url = databaseUrl.reveal()
  const facts = {
    kind: url.startsWith('postgres') ? 'postgres' : 'sqlite',
    latencyMs: null,
    recording: { written: 0, waiting: 0, lost: 0, lastProblemAt: null },
    notes: [],
  } as const
  try {
    const { version, sizeBytes } = (await checkDatabase(url)) ?? { version: null, sizeBytes: null }
    const made = url === 'memory:' ? 'It is kept in memory.' : 'It is created with the first start.'
    const message = version === null ? made : 'The database can be written.'
    return { ...facts, notes: [], version, sizeBytes, health: 'ok', message }
  } catch (error) {
    const message = error instanceof ProblemError ? error.sentence : "Can't use the database."
    return { ...facts, notes: [], version: null, sizeBytes: null, health: 'failed', message }
  }
}

/** Of a live log in the database, that says all; null there and in memory. */
async function checkLiveLog(config: Config, clock: Clock): Promise<StatusReport['liveLog']> {
  const url = config.liveLog.url.reveal()
  if (url === 'memory' || url === config.databaseUrl.reveal()) return null
  const kind = url.startsWith('postgres') ? 'postgres' : 'redis'
  const fault = kind === 'redis' ? await checkRedisLog(url, clock) : await faultOfPostgres(url)
  const facts = { kind, since: clock.now(), follower: 'nobody' } as const
  return fault === undefined
    ? {
        ...facts,
        isReachable: true,
        notes: [],
        health: 'ok',
        message: 'The live log is reachable.',
      }
    : { ...facts, isReachable: false, notes: [], health: 'failed', message: fault }
}

async function faultOfPostgres(url: string): Promise<string | undefined> {
  try {
    await checkDatabase(url)
    return undefined
  } catch (error) {
    const reason = error instanceof ProblemError ? ` ${error.sentence}` : ''
    return `Can't use the live log. Check SIGHTLINE_LIVE_LOG_URL.${reason}`
  }
}

/** Whether the identity provider answers; null where none signs people in. */
async function checkSignIn({ signIn: { mode, oidc } }: Config): Promise<StatusReport['people']> {
  if (mode !== 'oidc' || oidc === undefined) return null
  const facts = { notes: [], sessions: null, streams: 0, screens: null }
  const provider = `The identity provider ${oidc.issuer.href}`
  // Nobody else needs the library.
  const { readProvider } = await import('./proxy/sign-in/oidc-connection.ts')
  try {
    await readProvider(oidc)
    return { ...facts, health: 'ok', message: `${provider} is reachable.` }
  } catch (error) {
    const cure = 'Check signIn.oidc.issuer in the configuration file, DNS and firewalls.'
    const message = `${provider} can't be read, so nobody can sign in (${causeOf(error)}). ${cure}`
    return { ...facts, health: 'failed', message }
  }
}

/** The system's code of what failed, such as `ENOTFOUND`; else what the library says. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if (!(error.cause instanceof Error)) return error.message
  const code: unknown = Reflect.get(error.cause, 'code')
  return typeof code === 'string' ? code : error.cause.message
}

function alertsOf({ alerts, boardWebhooks }: Config): AlertStatus {
  const facts = { waiting: null, failed: null, sent: null, last: null, notes: [] }
  return alerts === undefined && boardWebhooks.length === 0
    ? { ...facts, health: 'off', message: 'No alerts are configured.' }
    : { ...facts, health: 'ok', message: 'Alerts are configured. No test message was sent.' }
}
