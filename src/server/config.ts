import { dirname, resolve } from 'node:path'
import { isLoopback } from '../protocol/loopback.ts'
import type { SharedConfig } from '../protocol/proxy-config.ts'
import { ProblemError } from '../protocol/problem.ts'
import type { Settings } from './config-settings.ts'
import {
  accessKeyMistakes,
  buildDataServer,
  governorServer,
  type ServerUpstream,
  type SignInConfig,
  signInConfig,
  signInMistakes,
} from './config-sign-in.ts'
import { type Accounts, readAccounts } from './embedded/credentials.ts'
import { type Fault, parseFaults } from './embedded/faults.ts'
import { type AlertRules, webhookMistake } from './proxy/alerts/alert-tile.ts'
import { type ReadConfigFile, readConfigFile } from './proxy/config-file.ts'
import type { HistorySettings } from './proxy/history/history.ts'
import { type ReadSettings, readSettings, Secret, type SettingSources } from './read-settings.ts'

/** Everything that a start needs to know, checked; secrets in it cannot be printed. */
export interface Config {
  readonly host: string
  readonly port: number
  /** Where health checks and metrics are without a session; undefined: nowhere. */
  readonly ops: { readonly host: string; readonly port: number } | undefined
  readonly allowedHosts: readonly string[]
  /** Addresses and ranges (trusted-proxies.ts). */
  readonly trustedProxies: readonly string[]
  readonly keepAliveMs: number
  /** How long requests are still accepted after SIGTERM. */
  readonly shutdownDelayMs: number
  /** From one address at once; undefined for any number. */
  readonly maxConnections: number | undefined
  /** Undefined: the embedded services answer. */
  readonly buildData: ServerUpstream | undefined
  readonly governor: ServerUpstream | undefined
  readonly exportBearer: 'raw' | 'base64'
  readonly exportVersion: 'auto' | 'v1' | 'v2'
  /** Whether admins may create access tokens for the build server. */
  readonly createTokens: boolean
  readonly signIn: SignInConfig
  readonly sessionSecret: Secret | undefined
  /** PEM; signs the summary of evidence bundles. */
  readonly signingKey: Secret | undefined
  /** May hold a password. */
  readonly databaseUrl: Secret
  /** Where all instances read builds in one order (server/live-log); may hold a password. */
  readonly liveLog: {
    readonly url: Secret
    /** Whether a log in memory stands in until that is reached for the first time. */
    readonly fallback: boolean
  }
  /** What everybody is offered, from the configuration file. */
  readonly shared: SharedConfig
  /** From the configuration file, too. */
  readonly history: HistorySettings
  /** Of what people are told, and where; undefined: of nothing. */
  /** What causes alerts, the receiver without a name, and those of routes by their names. */
  readonly alerts:
    | {
        readonly rules: AlertRules
        readonly webhookUrl: Secret | undefined
        readonly routeUrls: Readonly<Record<string, Secret>>
      }
    | undefined
  /** The mail server of routes with email. */
  readonly smtpUrl: Secret | undefined
  /** Where boards, by their names, post their decisions and changes. */
  readonly boardWebhooks: readonly { readonly board: string; readonly url: Secret }[]
  /** Where people open this Sightline, for links in messages. */
  readonly dashboard: string | undefined
  readonly logLevel: Settings['LOG_LEVEL']
  readonly embedded: {
    readonly port: number | undefined
    /** What a client of the embedded services shows; made up and kept beside the database if absent. */
    readonly accessKey: Secret | undefined
    readonly builds: number
    readonly rate: number
    readonly seed: number
    readonly models: boolean
    /** `s3:<name>` or `af:<name>`, at least one. */
    readonly stores: readonly string[]
    /** Those beside the one that Sightline uses; a function, as what it returns has passwords. */
    readonly accounts: () => Accounts
    readonly faults: readonly Fault[]
  }
}

/** The configuration, or every mistake in it: a plain sentence each, without a secret in it. */
export type ReadConfig =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly mistakes: readonly string[] }

/** Reads the configuration and checks what only several settings together can get wrong. */
export function readConfig(sources: SettingSources): ReadConfig {
  const read = readSettings(sources)
  const file = configFile(sources, read.ok ? read.settings.CONFIG : read.configPath)
  const accounts = accountsOf(sources, read.ok ? read.settings.EMBEDDED_ACCOUNTS : undefined)
  const parsed = parseFaults((read.ok ? read.settings.EMBEDDED_FAULTS : undefined) ?? '')
  const mistakes = [
    ...(read.ok ? mistakesBetween(read.settings) : read.mistakes),
    ...(read.ok ? accessKeyMistakes(read.settings) : []),
    ...(read.ok ? signInMistakes(read.settings, file.ok ? file : undefined) : []),
    ...(file.ok ? [] : file.mistakes),
    ...(read.ok && file.ok ? alertMistakes(read.settings, file.alerts) : []),
    ...(accounts.ok ? [] : accounts.mistakes),
    ...(parsed.ok ? [] : [`SIGHTLINE_EMBEDDED_FAULTS: ${parsed.mistakes.join(' ')}`]),
  ]
  return read.ok && file.ok && accounts.ok && parsed.ok && mistakes.length === 0
    ? { ok: true, config: configOf(read, file, { ...accounts, ...parsed }, sources) }
    : { ok: false, mistakes }
}

function configFile(sources: SettingSources, path: string | undefined): ReadConfigFile {
  if (path === undefined) return readConfigFile('', '')
  const file = textOf(sources, path, 'SIGHTLINE_CONFIG')
  if (!file.ok) return file
  return readConfigFile(
    path,
    file.text,
    (beside) => sources.readFile(resolve(dirname(path), beside)),
    sources.environment,
  )
}

/** The accounts of the embedded services. */
function accountsOf(
  sources: SettingSources,
  path: string | undefined,
): { ok: true; accounts: Accounts } | { ok: false; mistakes: readonly string[] } {
  const name = 'SIGHTLINE_EMBEDDED_ACCOUNTS'
  if (path === undefined)
    return { ok: true, accounts: { credentials: [], projectAccessControl: false } }
  const file = textOf(sources, path, name)
  if (!file.ok) return file
  try {
    return { ok: true, accounts: readAccounts(file.text, `${name} (${path})`) }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    return { ok: false, mistakes: [error.sentence] }
  }
}

function textOf(
  { readFile }: SettingSources,
  path: string,
  name: string,
): { ok: true; text: string } | { ok: false; mistakes: readonly string[] } {
  try {
    return { ok: true, text: readFile(path) }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    const mistake = `${name}: can't read ${path}${code}.`
    return { ok: false, mistakes: [mistake] }
  }
}

function mistakesBetween(settings: Settings): string[] {
  const mistakes: string[] = []
  if (settings.OPS_HOST !== undefined && settings.OPS_PORT === undefined) {
    mistakes.push("SIGHTLINE_OPS_HOST is set, but SIGHTLINE_OPS_PORT isn't. Set the port.")
  }
  if (settings.OPS_PORT !== undefined && settings.OPS_PORT === settings.PORT && settings.PORT > 0) {
    mistakes.push('SIGHTLINE_OPS_PORT and SIGHTLINE_PORT are the same. Set another port for one.')
  }
  if (settings.BUILD_DATA_ACCESS_KEY !== undefined && settings.BUILD_DATA_BASIC !== undefined) {
    mistakes.push('Set SIGHTLINE_BUILD_DATA_ACCESS_KEY or SIGHTLINE_BUILD_DATA_BASIC, not both.')
  }
  if (settings.GOVERNOR_BEARER !== undefined && settings.GOVERNOR_BASIC !== undefined) {
    mistakes.push('Set SIGHTLINE_GOVERNOR_BEARER or SIGHTLINE_GOVERNOR_BASIC, not both.')
  }
  for (const name of ['BUILD_DATA_BASIC', 'GOVERNOR_BASIC', 'GOVERNOR_BEARER'] as const) {
    const url = name === 'BUILD_DATA_BASIC' ? 'BUILD_DATA_URL' : 'GOVERNOR_URL'
    if (settings[name] !== undefined && settings[url] === undefined) {
      mistakes.push(
        `SIGHTLINE_${name} is set, but SIGHTLINE_${url} isn't. Set the URL of the server it belongs to.`,
      )
    }
  }
  for (const name of ['BUILD_DATA_URL', 'GOVERNOR_URL'] as const) {
    const url = settings[name]
    const readable = url?.protocol === 'http:' && !isLoopback(url.hostname)
    if (readable && !settings.ALLOW_PLAIN_HTTP) {
      mistakes.push(
        `SIGHTLINE_${name} starts with http://, so others on the network could read the credential. Use https://, or set SIGHTLINE_ALLOW_PLAIN_HTTP=on.`,
      )
    }
  }
  return mistakes
}

function alertMistakes(
  { WEBHOOK_URL: url, SMTP_URL: smtp }: Settings,
  alerts: AlertRules | undefined,
): string[] {
  const mails = alerts?.routes.some(({ email }) => email.length > 0) === true
  if (mails && smtp === undefined) {
    return [
      "A route in alerts.routes has email, but SIGHTLINE_SMTP_URL isn't set. Set the mail server that sends it.",
    ]
  }
  if (url === undefined) {
    const isWatching = alerts !== undefined && (alerts.walls.length > 0 || alerts.everyProject)
    return isWatching && alerts.routes.length === 0
      ? [
          "The configuration file has alerts, but SIGHTLINE_WEBHOOK_URL isn't set. Set the URL they are posted to, or add alerts.routes.",
        ]
      : []
  }
  if (alerts === undefined) {
    return [
      'SIGHTLINE_WEBHOOK_URL is set, but the configuration file has no alerts. Add alerts with the walls to watch.',
    ]
  }
  const mistake = webhookMistake(new URL(url), alerts.webhookHosts)
  return mistake === undefined ? [] : [mistake]
}

function configOf(
  read: Extract<ReadSettings, { ok: true }>,
  file: Extract<ReadConfigFile, { readonly ok: true }>,
  { accounts, faults }: { readonly accounts: Accounts; readonly faults: readonly Fault[] },
  sources: SettingSources,
): Config {
  const { settings } = read
  const { shared, history, alerts, boardWebhooks, routeWebhooks } = file
  const webhookUrl = secretOf(settings.WEBHOOK_URL)
  return {
    host: settings.HOST,
    port: settings.PORT,
    ops:
      settings.OPS_PORT === undefined
        ? undefined
        : { host: settings.OPS_HOST ?? settings.HOST, port: settings.OPS_PORT },
    allowedHosts: [
      ...settings.ALLOWED_HOSTS,
      ...(settings.PUBLIC_URL === undefined ? [] : [settings.PUBLIC_URL.host]),
    ],
    trustedProxies: settings.TRUSTED_PROXIES,
    keepAliveMs: settings.KEEP_ALIVE * 1000,
    shutdownDelayMs: shutdownDelayMs(settings),
    maxConnections: maxConnections(settings),
    buildData: buildDataServer(read, sources),
    governor: governorServer(read, sources),
    exportBearer: settings.EXPORT_BEARER,
    exportVersion: settings.EXPORT_VERSION,
    createTokens: settings.CREATE_TOKENS,
    signIn: signInConfig(settings, file),
    sessionSecret: secretOf(settings.SESSION_SECRET),
    signingKey: secretOf(settings.SIGNING_KEY),
    databaseUrl: new Secret(settings.DATABASE_URL),
    liveLog: {
      url: new Secret(settings.LIVE_LOG_URL ?? liveLogBeside(settings.DATABASE_URL)),
      fallback: settings.LIVE_LOG_FALLBACK === 'memory',
    },
    shared,
    history,
    alerts:
      alerts === undefined || (webhookUrl === undefined && alerts.routes.length === 0)
        ? undefined
        : {
            rules: alerts,
            webhookUrl,
            routeUrls: Object.fromEntries(
              routeWebhooks.map(({ name, reveal }) => [name, new Secret(reveal())]),
            ),
          },
    smtpUrl: secretOf(settings.SMTP_URL),
    boardWebhooks: boardWebhooks.map(({ name, reveal }) => ({
      board: name,
      url: new Secret(reveal()),
    })),
    dashboard: alerts?.dashboard ?? settings.PUBLIC_URL?.origin,
    logLevel: settings.LOG_LEVEL,
    embedded: {
      port: settings.EMBEDDED_PORT,
      accessKey: secretOf(settings.BUILD_DATA_ACCESS_KEY),
      builds: settings.EMBEDDED_BUILDS,
      rate: settings.EMBEDDED_RATE,
      seed: settings.EMBEDDED_SEED,
      models: settings.EMBEDDED_MODELS,
      stores: settings.EMBEDDED_STORES,
      accounts: () => accounts,
      faults,
    },
  }
}

/** A database that several instances may share is where they meet; a file is one instance's. */
function liveLogBeside(databaseUrl: string): string {
  return databaseUrl.startsWith('postgres') ? databaseUrl : 'memory'
}

/** Nobody looks elsewhere for what one process alone serves. */
function shutdownDelayMs(settings: Settings): number {
  const { SHUTDOWN_DELAY, OPS_PORT, DATABASE_URL, LIVE_LOG_URL = 'memory' } = settings
  const isShared = DATABASE_URL.startsWith('postgres') || LIVE_LOG_URL !== 'memory'
  const isOneOfMany = OPS_PORT !== undefined || isShared
  return 1000 * (SHUTDOWN_DELAY ?? (isOneOfMany ? 5 : 0))
}

function maxConnections({ MAX_CONNECTIONS, HOST }: Settings): number | undefined {
  const most = MAX_CONNECTIONS ?? (isLoopback(HOST) ? 0 : 512)
  return most === 0 ? undefined : most
}

function secretOf(value: string | undefined): Secret | undefined {
  return value === undefined ? undefined : new Secret(value)
}
