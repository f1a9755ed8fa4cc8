import { z } from 'zod'
import {
  type SettingName,
  settingNames,
  Settings,
  helpOf,
  isSecret,
} from '../server/config-settings.ts'
import { ConfigFile } from '../server/proxy/config-file-schema.ts'
import { configKeys } from './config-keys.ts'
import { blockOf, codeOf, pageOf, sentenceOf, tableOf } from './markdown-page.ts'

/** A value for each setting; a test checks that the setting takes it. */
export const settingExamples: Readonly<Record<SettingName, string>> = {
  HOST: '0.0.0.0',
  PORT: '8081',
  OPS_PORT: '9090',
  OPS_HOST: '10.0.0.7',
  KEEP_ALIVE: '75',
  SHUTDOWN_DELAY: '10',
  MAX_CONNECTIONS: '0',
  ALLOWED_HOSTS: 'sightline.internal',
  TRUSTED_PROXIES: '10.0.0.4,10.1.0.0/16',
  BUILD_DATA_URL: 'https://builds.example.com',
  BUILD_DATA_ACCESS_KEY: 'builds.example.com=the-key',
  BUILD_DATA_ACCESS_KEY_EXPIRES: '2027-01-31',
  CREATE_TOKENS: 'on',
  BUILD_DATA_BASIC: 'sightline:password',
  EXPORT_BEARER: 'base64',
  EXPORT_VERSION: 'v1',
  GOVERNOR_URL: 'https://policies.example.com',
  GOVERNOR_BASIC: 'sightline:password',
  GOVERNOR_BEARER: 'token',
  ALLOW_PLAIN_HTTP: 'on',
  SIGN_IN: 'oidc',
  HEADER_SECRET: '32-characters-or-more-of-a-secret',
  PUBLIC_URL: 'https://sightline.example.com',
  OIDC_CLIENT_SECRET: 'secret',
  SESSION_HOURS: '8',
  SESSION_SECRET: '32-characters-or-more-of-a-secret',
  DATABASE_URL: 'postgres://sightline:password@db.example.com/sightline',
  SIGNING_KEY: '',
  LIVE_LOG_URL: 'redis://sightline:password@redis.example.com:6379/0',
  LIVE_LOG_FALLBACK: 'memory',
  CONFIG: '/etc/sightline/sightline.yaml',
  WEBHOOK_URL: 'https://hooks.example.com/services/T0/B0',
  SMTP_URL: 'smtps://sightline:password@mail.example.com:465',
  LOG_LEVEL: 'info',
  EMBEDDED_PORT: '8090',
  EMBEDDED_BUILDS: '500',
  EMBEDDED_RATE: '1.5',
  EMBEDDED_SEED: '7',
  EMBEDDED_MODELS: 'off',
  EMBEDDED_STORES: 's3:archive',
  EMBEDDED_ACCOUNTS: 'accounts.yaml',
  EMBEDDED_FAULTS: 'cut-after=2000',
}

/** Whose file is looked at again while Sightline runs (server/config-sign-in.ts). */
const reread: readonly SettingName[] = [
  'BUILD_DATA_ACCESS_KEY',
  'BUILD_DATA_BASIC',
  'GOVERNOR_BASIC',
  'GOVERNOR_BEARER',
]

const defaults: Readonly<Record<string, unknown>> = Settings.parse({})

/** The page of everything that can be configured: settings, and the keys of the configuration file. */
export function configurationPage(): string {
  return pageOf(
    'Configuration',
    `Settings say where the servers are, how people sign in and what is stored where; the configuration file has what is structured:
boards, walls, roles, keys. All mistakes in both are reported together, with the line and what to do, and stop the start.
\`sightline --check\` reads everything, asks every server, and starts nothing.`,
    '## Settings',
    `Each setting is an environment variable \`SIGHTLINE_…\`, a file, or a flag:`,
    blockOf(
      'sh',
      `SIGHTLINE_PORT=8081 npm start
SIGHTLINE_BUILD_DATA_ACCESS_KEY_FILE=/run/secrets/access-key npm start     # the file has the value
npm start -- --port 8081 --build-data-access-key-file /run/secrets/access-key`,
    ),
    `A flag wins over a variable, and a variable over the default; an empty variable counts as not set. **Secrets** are files or variables,
never flags, which everybody on the machine can read; prefer files. A name that begins with \`SIGHTLINE_\` and isn't a setting is a
mistake.`,
    `Settings and the configuration file are read at the start: **restart** to change them. Only the files of ${reread
      .map((name) => codeOf(`SIGHTLINE_${name}_FILE`))
      .join(', ')} are read again while Sightline runs: a replaced secret is used within seconds.`,
    tableOf(
      ['Setting', 'Value', 'Default', 'What it does', 'Example'],
      settingNames.map((name) => [
        `${codeOf(`SIGHTLINE_${name}`)}${isSecret(name) ? ' (secret)' : ''}`,
        withoutHtml(valueOf(name)),
        defaultOf(name),
        withoutHtml(helpOf(name)),
        settingExamples[name] === '' ? '' : codeOf(settingExamples[name]),
      ]),
    ),
    '## Configuration file',
    `YAML, at \`SIGHTLINE_CONFIG\`. [settings.md](../settings.md#the-configuration-file) has a file with all of it. \`[]\` stands for each element of a
list, \`<name>\` for a name of your own. Unknown keys are mistakes. Secrets stand in files of their own: where a webhook is wanted,
\`{ file: webhook.txt }\` (beside this file) or \`{ env: NAME }\` name them.`,
    ...sectionsOf(configFileKeys()),
  )
}

function withoutHtml(text: string): string {
  return text.replaceAll('<', '\\<')
}

/** What a setting takes, in the words of its mistakes. */
function valueOf(name: SettingName): string {
  const { error } = Settings.shape[name].safeParse('\u0000')
  return error?.issues[0]?.message ?? 'a text'
}

function defaultOf(name: SettingName): string {
  const value = defaults[name]
  if (value === undefined) return ''
  if (typeof value === 'boolean') return codeOf(value ? 'on' : 'off')
  const text =
    z.array(z.string()).safeParse(value).data?.join(',') ?? z.coerce.string().parse(value)
  return text === '' ? '' : codeOf(text)
}

export interface ConfigKey {
  /** `walls[].tiles[].title`. */
  readonly path: string
  readonly schema: JsonSchema
  readonly isRequired: boolean
}

const JsonSchema = z.looseObject({
  type: z.string().optional(),
  enum: z.array(z.string()).optional(),
  default: z.unknown().optional(),
  required: z.array(z.string()).optional(),
  get properties() {
    return z.record(z.string(), JsonSchema).optional()
  },
  get items() {
    return JsonSchema.optional()
  },
  get anyOf() {
    return z.array(JsonSchema).optional()
  },
  get additionalProperties() {
    return z.union([z.boolean(), JsonSchema]).optional()
  },
})
type JsonSchema = z.infer<typeof JsonSchema>

/** The same keys as elsewhere, which are said there. */
const saidElsewhere = ['boards[].packages', 'signIn.roles[].limits']

/** Every key of the schema, in its order. */
export function configFileKeys(): readonly ConfigKey[] {
  const json = z.toJSONSchema(ConfigFile, { io: 'input', unrepresentable: 'any' })
  return keysBelow('', JsonSchema.parse(json))
}

function keysBelow(place: string, schema: JsonSchema): readonly ConfigKey[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, key]): ConfigKey[] => {
    const path = place === '' ? name : `${place}.${name}`
    const isRequired = schema.required?.includes(name) === true
    const own = { path, schema: key, isRequired }
    return saidElsewhere.includes(path) ? [own] : [own, ...keysInside(path, key)]
  })
}

function keysInside(path: string, key: JsonSchema): readonly ConfigKey[] {
  if (key.properties !== undefined) return keysBelow(path, key)
  if (key.items?.properties !== undefined) return keysBelow(`${path}[]`, key.items)
  const { additionalProperties: each } = key
  return typeof each === 'object' && each.properties !== undefined
    ? keysBelow(`${path}.<name>`, each)
    : []
}

/** A section for each key of the top. */
function sectionsOf(keys: readonly ConfigKey[]): readonly string[] {
  const tops = keys.filter(({ path }) => !/[.[]/.test(path))
  return tops.flatMap((top) => {
    const inside = keys.filter(
      ({ path }) => path.startsWith(`${top.path}.`) || path.startsWith(`${top.path}[`),
    )
    const { is = '', example } = configKeys[top.path] ?? {}
    return [
      `### ${codeOf(top.path)}`,
      `${is} ${sentenceOf(typeOf(top.schema))}${example === undefined ? '' : ` Example: ${codeOf(example)}.`}`,
      ...(inside.length === 0 ? [] : [keyTable(inside)]),
    ]
  })
}

function keyTable(keys: readonly ConfigKey[]): string {
  return tableOf(
    ['Key', 'Value', 'Default', 'What it does', 'Example'],
    keys.map(({ path, schema, isRequired }) => {
      const { is = '', example } = configKeys[path] ?? {}
      return [
        codeOf(path),
        typeOf(schema),
        isRequired ? 'required' : defaultText(schema.default),
        is,
        example === undefined ? '' : codeOf(example),
      ]
    }),
  )
}

function defaultText(value: unknown): string {
  const text = value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
  return text === '' || text === '[]' || text === '{}' ? '' : codeOf(text)
}

function typeOf(schema: JsonSchema): string {
  const { type, enum: choices, items, anyOf, additionalProperties } = schema
  if (choices !== undefined) return choices.map(codeOf).join(', ')
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(', or ')
  switch (type) {
    case 'array': {
      const of = items === undefined ? '' : typeOf(items)
      return of.includes('`') ? `a list of ${of}` : ofMany(of)
    }
    case 'boolean':
      return '`true` or `false`'
    case 'integer':
      return 'a whole number'
    case 'object':
      return typeof additionalProperties === 'object' ? 'a map by name' : 'a map'
    case undefined:
    default:
      return 'a text'
  }
}

function ofMany(one: string): string {
  return (
    { 'a text': 'a list of texts', 'a whole number': 'a list of whole numbers' }[one] ??
    'a list of maps'
  )
}
