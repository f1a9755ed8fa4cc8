import { z } from 'zod'

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

const text = z.string().min(1, 'a text that is not empty')

/** The address of a server: credentials have settings of their own, and a query makes no sense. */
const serverUrl = z
  .url({ protocol: /^https?$/, error: 'an address that begins with https:// or http://' })
  .transform((value) => new URL(value))
  .refine((url) => url.username === '' && url.password === '', {
    error: 'an address without user and password in it: they have settings of their own',
  })
  .refine((url) => url.search === '' && url.hash === '', {
    error: 'an address without "?" and "#"',
  })

const userAndPassword = z
  .string()
  .regex(/^[^:]+:.+$/s, 'a user name and a password with a colon between')

const databaseUrl = z
  .string()
  .regex(
    /^(memory:$|file:.|postgres(ql)?:\/\/.)/,
    'file:<path>, memory: or an address that begins with postgres://',
  )

const help = (line: string) => ({ help: line, secret: false })
/** Never printed, and refused as a flag: command lines can be read by everybody on a machine. */
const secret = (line: string) => ({ help: line, secret: true })

/**
 * Every setting (docs/design.md#settings) under the name of its environment variable
 * without `SIGHTLINE_` before it. The messages complete the sentence "… must be".
 */
export const Settings = z.object({
  HOST: text.default('127.0.0.1').meta(help('address to listen on')),
  PORT: whole(0, 65_535).default(8080).meta(help('port; 0 takes a free one')),
  ALLOWED_HOSTS: text
    .transform((value) => value.split(',').map((host) => host.trim()))
    .default([])
    .meta(help('further host names that browsers may use, separated by commas')),
  BUILD_DATA_URL: serverUrl
    .optional()
    .meta(help('address of the build server; without it the embedded services answer')),
  BUILD_DATA_ACCESS_KEY: text.optional().meta(secret('access key for the build server')),
  BUILD_DATA_BASIC: userAndPassword
    .optional()
    .meta(secret('user:password for the build server, in place of an access key')),
  EXPORT_BEARER: oneOf('raw', 'base64')
    .default('raw')
    .meta(help('how the export stream wants the access key: raw or base64')),
  EXPORT_VERSION: oneOf('v2', 'v1')
    .default('v2')
    .meta(help('version of the export stream: v2, or v1 for old servers')),
  GOVERNOR_URL: serverUrl
    .optional()
    .meta(help('address of the attestation and policy scan service')),
  GOVERNOR_BASIC: userAndPassword
    .optional()
    .meta(secret('user:password for the attestation and policy scan service')),
  GOVERNOR_BEARER: text
    .optional()
    .meta(secret('bearer token for the attestation and policy scan service')),
  ALLOW_PLAIN_HTTP: onOff
    .default(false)
    .meta(help('on: send credentials to a server over http:// although others can read them')),
  SIGN_IN: oneOf('none', 'tokens', 'oidc')
    .default('none')
    .meta(help('how people sign in; this release has none, which needs a loopback host')),
  SESSION_SECRET: z
    .string()
    .min(32, 'a secret of at least 32 characters')
    .optional()
    .meta(secret('signs sessions; without it they end with the process')),
  DATABASE_URL: databaseUrl
    .default('file:.sightline/sightline.db')
    .meta(secret('database: file:<path>, memory: or postgres://…')),
  CONFIG: text.optional().meta(help('a YAML file for what is structured, such as savedQueries')),
  WEBHOOK_URL: z
    .url({ protocol: /^https?$/, error: 'an address that begins with https://' })
    .optional()
    .meta(
      secret(
        'where alerts of walls are sent, as Slack reads them; it needs alerts in the YAML file',
      ),
    ),
  LOG_LEVEL: oneOf('debug', 'info', 'warn', 'error', 'silent')
    .default('warn')
    .meta(help('debug, info, warn, error or silent; lines of JSON on standard error')),
  EMBEDDED_PORT: whole(0, 65_535)
    .optional()
    .meta(help('port of the embedded services; a free one, and 8090 for npm run embedded')),
  EMBEDDED_BUILDS: whole(0, 1_000_000)
    .default(2000)
    .meta(help('builds of history that the embedded services begin with')),
  EMBEDDED_RATE: rate
    .default(0.25)
    .meta(help('new builds per second of the embedded services; 0 for none')),
  EMBEDDED_SEED: whole(0, 2 ** 31)
    .default(1)
    .meta(help('the same seed gives the same history')),
  EMBEDDED_MODELS: onOff
    .default(true)
    .meta(help('off: the embedded services know only the documented minimum')),
  EMBEDDED_STORES: text
    .transform((value) => value.split(',').map((name) => name.trim()))
    .refine((names) => names.every((name) => /^(?:s3|af):[\w.-]+$/.test(name)), {
      error: 'names such as s3:archive or af:evidence, with commas between',
    })
    .default(['af:evidence', 's3:archive'])
    .meta(help('where the embedded services store attestations: s3:<name> or af:<name>')),
  EMBEDDED_FAULTS: text
    .optional()
    .meta(help('faults to practise with, such as cut-after=2000 (CONTRIBUTING.md)')),
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
