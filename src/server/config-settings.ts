import { isIP } from 'node:net'
import { z } from 'zod'
import { isLoopback } from '../protocol/loopback.ts'
import { readAccessKeys } from './access-key.ts'
import { readSigningKey } from './proxy/bundle/signing-key.ts'
import { isAddressRange } from './proxy/trusted-proxies.ts'

const whole = (from: number, to: number): z.ZodType<number> => {
  const error = `a whole number from ${from} to ${to}`
  return z
    .string()
    .regex(/^\d+$/, error)
    .transform(Number)
    .refine((value) => value >= from && value <= to, { error })
}

const rate = z
  .string()
  .regex(/^\d+(\.\d+)?$/, 'a number from 0 to 2000')
  .transform(Number)
  .refine((value) => value <= 2000, { error: 'a number from 0 to 2000' })

const oneOf = <const T extends readonly [string, ...string[]]>(...choices: T) =>
  z.enum(choices, { error: `one of: ${choices.join(', ')}` })

const onOff = oneOf('on', 'off').transform((value) => value === 'on')

const text = z.string().min(1, 'a non-empty text')

/** A URL by its beginning, such as `https?`; where that is right, what follows is what is wrong. */
const urlOf = (
  scheme: string,
  form: string,
  rest = 'a URL with a host, and a port of at most 65535 if any',
) =>
  z.url({
    protocol: new RegExp(`^${scheme}$`),
    error: ({ input }) => (new RegExp(`^${scheme}://`, 'i').test(String(input)) ? rest : form),
    abort: true,
  })

/** The address of a server: credentials have settings of their own, and a query makes no sense. */
const serverUrl = urlOf('https?', 'a URL that starts with https:// or http://')
  .transform((value) => new URL(value))
  .refine((url) => url.username === '' && url.password === '', {
    error: 'a URL without a user name and password, which have their own settings',
  })
  .refine((url) => url.search === '' && url.hash === '', {
    error: 'a URL without a query or fragment',
  })

/** An origin: cookies and redirects of signing in are for all of a host. */
const publicUrlForm = 'a URL that starts with https:// (http:// only for localhost)'
const publicUrl = urlOf('https?', publicUrlForm)
  .transform((value) => new URL(value))
  .refine((url) => url.protocol === 'https:' || isLoopback(url.hostname), { error: publicUrlForm })
  .refine((url) => url.href === `${url.origin}/`, {
    error: 'a URL without a path, user name, query or fragment',
  })

/** Editors and `echo` leave a line break at the end, which belongs to no credential. */
const credential = z.string().transform((value) => value.replace(/\r?\n$/, ''))

/** What may stand in an Authorization header (RFC 9110 section 5.5), without what is pasted along. */
const token = credential.pipe(
  z
    .string()
    .regex(
      /^[\x21-\x7e]+$/,
      'a key of ASCII letters, digits and signs, without spaces, tabs or line breaks',
    ),
)

/** An access key, or a list of them by host, of which the one for the build server is used. */
const accessKey = credential.refine((text) => readAccessKeys(text) !== undefined, {
  error:
    'a key of ASCII letters, digits and signs, without spaces, tabs or line breaks, or host=key entries separated by semicolons or, in a file, lines',
})

const wrongInstant = 'a date such as 2027-01-31 or 2027-01-31T10:00:00Z'

/** A date is the beginning of the day in UTC, so that a warning does not come too late. */
const instant = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/, {
    error: wrongInstant,
    abort: true,
  })
  // `Date` takes February 30 for a day in March.
  .refine((text) => z.iso.date().safeParse(text.slice(0, 10)).success, { error: wrongInstant })
  .transform((text) => Date.parse(text))
  .refine((at) => Number.isFinite(at), { error: wrongInstant })

const userAndPassword = credential.pipe(
  z.string().regex(/^[^:\p{Cc}]+:\P{Cc}+$/u, 'user:password, without tabs or line breaks'),
)

/** Variables of some systems hold no line breaks: they come as backslash and n. */
const signingKey = z
  .string()
  .transform((pem) => pem.replaceAll('\\n', '\n'))
  .refine((pem) => readSigningKey(pem) !== undefined, {
    error: 'a private key in PEM (PKCS #8), ECDSA on P-256 or Ed25519',
  })

/**
 * Whether the `@` behind a password is read as such: after a `#`, `/` or `?` that isn't escaped, the rest of the
 * password would be taken for a port, a database or a query, and printed in messages.
 */
function isPasswordWhole(text: string): boolean {
  const url = withHost(text)
  if (!URL.canParse(url)) return false
  const { pathname, search, hash } = new URL(url)
  return hash === '' && !pathname.includes('@') && !(pathname === '' && search.includes('@'))
}

/** The host may be left out for one in the query: a socket. */
function withHost(text: string): string {
  return text.replace('@/', '@localhost/')
}

const wholePassword =
  'a URL with a host, a port of at most 65535 if any, and #, %, / and ? in its password written as %23, %25, %2F and %3F'

const databaseUrl = z
  .string()
  .regex(/^(memory:$|file:.|postgres(ql)?:\/\/.)/, 'file:<path>, memory: or a postgres:// URL')
  .refine((text) => !text.startsWith('postgres') || isPasswordWhole(text), { error: wholePassword })

function isMisescaped(text: string): boolean {
  return /%(?![0-9a-f]{2})/i.test(text)
}

/** Whether the URL has all that its server needs, so that a mistake in it is found at the start. */
function isLiveLogUrl(text: string): boolean {
  const { protocol, hostname, pathname, searchParams } = new URL(withHost(text))
  return protocol.startsWith('postgres')
    ? (hostname !== '' || searchParams.has('host')) && pathname.length > 1
    : hostname !== '' && /^(?:\/\d*)?$/.test(pathname)
}

const liveLogForm =
  'memory, or a URL such as postgres://user:password@host/name, redis://user:password@host:6379/0 or rediss://…'
const liveLogUrl = credential
  .refine((text) => /^(?:memory$|postgres(?:ql)?:\/\/|rediss?:\/\/)/.test(text), {
    error: liveLogForm,
    abort: true,
  })
  .refine((text) => text === 'memory' || (isPasswordWhole(text) && !isMisescaped(text)), {
    error: wholePassword,
    abort: true,
  })
  .refine((text) => text === 'memory' || isLiveLogUrl(text), { error: liveLogForm })

function isHost(text: string): boolean {
  return /^[^\s/?#@\\]+$/.test(text) && URL.canParse(`https://${text}`)
}

/** What a server can listen on; an IPv6 address may stand in brackets, as in URLs. */
const address = text
  .transform((value) => value.replace(/^\[(.*)\]$/, '$1'))
  .refine((value) => isIP(value) !== 0 || /^[\w.-]+$/.test(value), {
    error: 'an IP address or a host name, without http:// and port',
  })

const help = (line: string) => ({ help: line, secret: false })
/** Never printed, and refused as a flag: command lines can be read by everybody on a machine. */
const secret = (line: string) => ({ help: line, secret: true })

/**
 * Every setting (docs/design.md#settings) under the name of its environment variable
 * without `SIGHTLINE_` before it. The messages complete the sentence "… must be".
 */
export const Settings = z.object({
  HOST: address.default('127.0.0.1').meta(help('address to listen on')),
  PORT: whole(0, 65_535).default(8080).meta(help('port; 0 picks a free one')),
  OPS_PORT: whole(0, 65_535)
    .optional()
    .meta(help('port of health checks and metrics without a session; if not set, there is none')),
  OPS_HOST: address.optional().meta(help('address of that port; default: SIGHTLINE_HOST')),
  KEEP_ALIVE: whole(1, 3600)
    .default(65)
    .meta(help('seconds that idle connections stay open; more than the load balancer before it')),
  SHUTDOWN_DELAY: whole(0, 300)
    .optional()
    .meta(
      help(
        'seconds after SIGTERM in which requests are still accepted, so that load balancers look elsewhere; default: 5 with SIGHTLINE_OPS_PORT, PostgreSQL or Redis, else 0',
      ),
    ),
  MAX_CONNECTIONS: whole(0, 1_000_000)
    .optional()
    .meta(help('connections per client address, 0 for any; default: 512, or any on loopback')),
  ALLOWED_HOSTS: text
    .transform((value) => value.split(',').flatMap((host) => host.trim() || []))
    .refine((hosts) => hosts.every(isHost), {
      error:
        'comma-separated host names without https:// or a path, such as a.example.com,b.example.com:8443',
    })
    .default([])
    .meta(help('additional host names that browsers may use, comma-separated')),
  TRUSTED_PROXIES: text
    .transform((value) => value.split(',').map((range) => range.trim()))
    .refine((ranges) => ranges.every(isAddressRange), {
      error: 'comma-separated IP addresses or ranges, such as 10.0.0.4,10.1.0.0/16',
    })
    .default([])
    .meta(help('addresses of reverse proxies whose X-Forwarded-For names the client')),
  BUILD_DATA_URL: serverUrl
    .optional()
    .meta(help('URL of the build server; with neither server, the embedded services are used')),
  BUILD_DATA_ACCESS_KEY: accessKey
    .optional()
    .meta(secret('access key of the build server, or host=key;host=key as build tools have it')),
  BUILD_DATA_ACCESS_KEY_EXPIRES: instant
    .optional()
    .meta(help("date the access key expires, shown on /status; tokens don't show it")),
  CREATE_TOKENS: onOff
    .default(false)
    .meta(help('on: admins can create access tokens for the build server on /tokens')),
  BUILD_DATA_BASIC: userAndPassword
    .optional()
    .meta(secret('user:password for the build server, instead of an access key')),
  EXPORT_BEARER: oneOf('raw', 'base64')
    .default('raw')
    .meta(help('how the export stream expects the access key: raw or base64')),
  EXPORT_VERSION: oneOf('auto', 'v2', 'v1')
    .default('auto')
    .meta(help('version of the export stream: auto, v2, or v1 for servers before 2021.2')),
  GOVERNOR_URL: serverUrl.optional().meta(help('URL of the policy service')),
  GOVERNOR_BASIC: userAndPassword.optional().meta(secret('user:password for the policy service')),
  GOVERNOR_BEARER: token.optional().meta(secret('bearer token for the policy service')),
  ALLOW_PLAIN_HTTP: onOff
    .default(false)
    .meta(help('on: allow sending credentials over http://, where others can read them')),
  SIGN_IN: oneOf('none', 'tokens', 'header', 'oidc')
    .default('none')
    .meta(help('how people sign in: none (loopback hosts only), tokens, header or oidc')),
  HEADER_SECRET: z
    .string()
    .regex(
      /^[\x21-\x7e]{32,}$/,
      'a secret of at least 32 printable ASCII characters without spaces',
    )
    .optional()
    .meta(secret('what the reverse proxy that signs people in sends as proof; for header')),
  PUBLIC_URL: publicUrl
    .optional()
    .meta(help('URL at which people open Sightline, such as https://sightline.example.com')),
  OIDC_CLIENT_SECRET: text
    .optional()
    .meta(secret("secret of Sightline's client at the identity provider; for oidc")),
  SESSION_HOURS: whole(1, 720)
    .default(12)
    .meta(help('hours after which people have to sign in again')),
  SESSION_SECRET: z
    .string()
    .min(32, 'a secret of at least 32 characters')
    .optional()
    .meta(
      secret('signs sessions; if not set, sessions end with the process; needed to sign people in'),
    ),
  DATABASE_URL: databaseUrl
    .default('file:.sightline/sightline.db')
    .meta(secret('database: file:<path>, memory: or postgres://…')),
  SIGNING_KEY: signingKey
    .optional()
    .meta(secret('private key (PEM) that signs evidence bundles, ECDSA P-256 or Ed25519')),
  LIVE_LOG_URL: liveLogUrl
    .optional()
    .meta(
      secret(
        'where all instances read builds in one order: memory, postgres://…, redis://… or rediss://…; default: the PostgreSQL database, else memory',
      ),
    ),
  LIVE_LOG_FALLBACK: oneOf('none', 'memory')
    .default('none')
    .meta(help('memory: if that is unreachable at the start, read builds alone until it is there')),
  CONFIG: text.optional().meta(help('YAML file for structured settings, such as savedQueries')),
  WEBHOOK_URL: urlOf('https?', 'a URL that starts with https://')
    .optional()
    .meta(secret('URL that alerts are posted to, Slack-compatible; needs alerts in the YAML file')),
  SMTP_URL: urlOf('smtps?', 'a URL that starts with smtps:// or smtp://', wholePassword)
    .refine((text) => isPasswordWhole(text) && !isMisescaped(text), { error: wholePassword })
    .optional()
    .meta(
      secret(
        'mail server for alerts.routes with email: smtps://user:password@host:465, or smtp:// with STARTTLS',
      ),
    ),
  LOG_LEVEL: oneOf('debug', 'info', 'warn', 'error', 'silent')
    .default('warn')
    .meta(help('debug, info, warn, error or silent; JSON lines on standard error')),
  EMBEDDED_PORT: whole(0, 65_535)
    .optional()
    .meta(help('port of the embedded services; default: a free one, or 8090 for npm run embedded')),
  EMBEDDED_BUILDS: whole(0, 1_000_000)
    .default(2000)
    .meta(help('number of past builds the embedded services start with')),
  EMBEDDED_RATE: rate
    .default(0.15)
    .meta(help('new builds per second in the embedded services; 0 for none')),
  EMBEDDED_SEED: whole(0, 2 ** 31)
    .default(1)
    .meta(help('seed of the generated history')),
  EMBEDDED_MODELS: onOff
    .default(true)
    .meta(help('off: the embedded services support only the oldest build list')),
  EMBEDDED_STORES: text
    .transform((value) => value.split(',').map((name) => name.trim()))
    .refine((names) => names.every((name) => /^(?:s3|af):[\w.-]+$/.test(name)), {
      error: 'comma-separated names, such as s3:archive,af:evidence',
    })
    .default(['af:evidence', 's3:archive'])
    .meta(help('attestation stores of the embedded services: s3:<name> or af:<name>')),
  EMBEDDED_ACCOUNTS: text
    .optional()
    .meta(help('YAML file of accounts of the embedded services, with keys, passwords and rights')),
  EMBEDDED_FAULTS: text
    .optional()
    .meta(help('faults to simulate, such as cut-after=2000 (see CONTRIBUTING.md)')),
})
export type Settings = z.output<typeof Settings>

/** The name of a setting, such as `PORT`. */
export type SettingName = keyof typeof Settings.shape

export const settingNames = Object.keys(Settings.shape).filter(isSettingName)

/** Whether a text names a setting. */
export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(Settings.shape, name)
}

/** Whether a setting holds a credential. */
export function isSecret(name: SettingName): boolean {
  return Settings.shape[name].meta()?.secret === true
}

/** What a setting is for, in one line. */
export function helpOf(name: SettingName): string {
  return String(Settings.shape[name].meta()?.help)
}
