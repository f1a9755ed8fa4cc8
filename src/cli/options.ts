import { parseArgs } from 'node:util'
import { isBuildId } from '../protocol/build-message.ts'
import { countText } from '../protocol/count.ts'
import { nearest } from '../search/check/nearest.ts'
import { readDuration } from './duration.ts'
import { type BuildCommand, buildFormats, isBuildFormat } from './build-formats.ts'
import { type Connection, readConnection } from './connection.ts'
import { type ExportCommand, readExportCommand } from './export/export-command.ts'
import type { Host } from './report-file.ts'
import { isReportFormat, type ReportFormat, reportFormats } from './report-formats.ts'
import type { RolesCommand } from './roles-explain.ts'
import { readSubject, type Subject } from './subject.ts'
import { longestTokenMs, type TokenCommand, tokenRoles } from './token-create.ts'

/** What somebody wants of this tool. */
export type Command =
  | { readonly is: 'help' }
  | { readonly is: 'version' }
  | { readonly is: 'scan'; readonly scan: ScanCommand }
  | { readonly is: 'token create'; readonly token: TokenCommand }
  | { readonly is: 'roles explain'; readonly roles: RolesCommand }
  | { readonly is: 'build'; readonly build: BuildCommand }
  | { readonly is: 'export'; readonly export: ExportCommand }
  /** Wrong in these ways: a plain sentence each. */
  | { readonly is: 'invalid'; readonly mistakes: readonly string[] }

/** An evaluation, and what is to be made of it. */
export interface ScanCommand {
  readonly what:
    | { readonly is: 'package'; readonly subject: Subject }
    /** Those of its scans that are called `scan`, where that is said. */
    | { readonly is: 'board'; readonly name: string; readonly scan: string | undefined }
  readonly connection: Connection
  readonly format: ReportFormat
  /** A file; standard output where it is left out. */
  readonly output: string | undefined
  readonly acceptWaivers: boolean
  readonly allowEmpty: boolean
  /** Policies that must have been applicable, as `requiredOf` reads them. */
  readonly requireApplicable: readonly string[]
  /** A file that Markdown for the page of the job is added to. */
  readonly summary: string | undefined
  /** A file for the evidence bundle. */
  readonly bundle: string | undefined
  /** How long missing attestations are waited for, ms. */
  readonly waitMs: number
  /** The longest that one evaluation may take, ms. */
  readonly timeoutMs: number
}

type Given = Readonly<Partial<Record<OptionName, string>>>

/** Reads the command line and the environment; all mistakes are told at once. */
export function readCommand({
  words: given,
  environment,
  readFile,
  clock,
}: Pick<Host, 'words' | 'environment' | 'readFile' | 'clock'>): Command {
  const { values, words, mistakes: wrongFlags } = readFlags(given)
  const [command, ...rest] = words
  if (values.help !== undefined || command === 'help') return { is: 'help' }
  if (values.version !== undefined) return { is: 'version' }
  const mistakes = [...wrongFlags]
  const [second, ...more] = rest
  const twoWords = `${command} ${second}`
  if (twoWords === 'token create' || twoWords === 'roles explain') {
    for (const word of more) mistakes.push(`Unexpected “${word}”.`)
    mistakes.push(...misplaced(values, twoWords))
    return twoWords === 'token create'
      ? readTokenCommand(values, mistakes)
      : readRolesCommand(values, environment, mistakes)
  }
  if (command === 'build') {
    mistakes.push(...misplaced(values, 'build'))
    return readBuildCommand(rest, values, environment, readFile, mistakes)
  }
  if (command === 'export') {
    for (const word of rest) mistakes.push(`Unexpected “${word}”.`)
    mistakes.push(...misplaced(values, 'export'))
    const read = readExportCommand(values, { environment, readFile, now: clock.now() }, mistakes)
    return read === undefined ? { is: 'invalid', mistakes } : { is: 'export', export: read }
  }
  mistakes.push(...misplaced(values, 'scan'))
  if (command !== 'scan') mistakes.push(notACommand(command))
  const what = command === 'scan' ? readWhat(rest, values, mistakes) : undefined
  const read = readConnection(values.server, environment, readFile)
  if (!read.ok) mistakes.push(...read.mistakes)
  else if (read.connection.to === 'service') mistakes.push(...neededServer(values))
  const format = values.format ?? 'text'
  if (!isReportFormat(format)) {
    mistakes.push(
      `Unknown --format “${format}”. Use one of: ${Object.keys(reportFormats).join(', ')}.`,
    )
  }
  const waitMs = duration('wait', values.wait ?? '0s', mistakes)
  const timeoutMs = duration('timeout', values.timeout ?? '5m', mistakes)
  if (timeoutMs === 0) mistakes.push('--timeout must be greater than zero.')
  if (mistakes.length > 0 || what === undefined || !read.ok || !isReportFormat(format)) {
    return { is: 'invalid', mistakes }
  }
  return {
    is: 'scan',
    scan: {
      what,
      connection: read.connection,
      format,
      output: values.output === '-' ? undefined : values.output,
      acceptWaivers: values['accept-waivers'] !== undefined,
      allowEmpty: values['allow-empty'] !== undefined,
      requireApplicable: (values['require-applicable'] ?? '')
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
      summary: values.summary,
      bundle: values.bundle,
      waitMs,
      timeoutMs,
    },
  }
}

/** Options that belong to another command. */
function misplaced(values: Given, command: string): string[] {
  return Object.keys(values).flatMap((name) => {
    const { of = ['scan'] }: Option = isOption(name) ? options[name] : { help: '' }
    return of.includes(command) ? [] : [`--${name} can't be used with ${command}.`]
  })
}

function readTokenCommand(values: Given, mistakes: string[]): Command {
  const { name = '', role, expires } = values
  const known = tokenRoles.find((one) => one === role)
  if (name.trim() === '') mistakes.push('Missing --name: whose token it is.')
  if (known === undefined) mistakes.push(`Set --role to one of: ${tokenRoles.join(', ')}.`)
  const lifetimeMs = readDuration(expires ?? '') ?? 0
  if (lifetimeMs <= 0 || lifetimeMs > longestTokenMs) {
    mistakes.push('Set --expires to how long the token is valid, such as 90d: at most a year.')
  }
  return known === undefined || mistakes.length > 0
    ? { is: 'invalid', mistakes }
    : { is: 'token create', token: { name: name.trim(), role: known, lifetimeMs } }
}

function readRolesCommand(
  values: Given,
  environment: Host['environment'],
  mistakes: string[],
): Command {
  const { claims, config = environment.SIGHTLINE_CONFIG } = values
  if (claims === undefined) mistakes.push('Missing --claims: a JSON file with the claims.')
  if (config === undefined || config === '') {
    mistakes.push('Missing --config: the configuration file of Sightline (or SIGHTLINE_CONFIG).')
  }
  return claims === undefined || config === undefined || mistakes.length > 0
    ? { is: 'invalid', mistakes }
    : { is: 'roles explain', roles: { claims, config } }
}

function readBuildCommand(
  words: readonly string[],
  values: Given,
  environment: Host['environment'],
  readFile: Host['readFile'],
  mistakes: string[],
): Command {
  const [given = '', ...more] = words
  // The address of its page, in Sightline or on the build server, will do.
  const buildId = given.replace(/^https?:\/\/[^?#]*\/(?:builds|s)\/([^/?#]*).*$/i, '$1')
  if (given === '') mistakes.push('Missing build id. Use: sightline build <id>.')
  else if (!isBuildId(buildId)) mistakes.push(`“${given}” isn't a build id: 13 letters and digits.`)
  for (const word of more) mistakes.push(`Unexpected “${word}”.`)
  const format = values.format ?? 'text'
  if (!isBuildFormat(format)) {
    mistakes.push(
      `Unknown --format “${format}”. Use one of: ${Object.keys(buildFormats).join(', ')}.`,
    )
  }
  const timeoutMs = duration('timeout', values.timeout ?? '5m', mistakes)
  if (timeoutMs === 0) mistakes.push('--timeout must be greater than zero.')
  const isNamed = [values.server, environment.SIGHTLINE_URL, environment.SIGHTLINE_URL_FILE].some(
    (one) => one !== undefined && one !== '',
  )
  const read = isNamed ? readConnection(values.server, environment, readFile) : undefined
  if (read === undefined) {
    mistakes.push(
      'No server is configured. Set SIGHTLINE_URL to a Sightline server, or use --server.',
    )
  } else if (!read.ok) mistakes.push(...read.mistakes)
  const connection =
    read?.ok === true && read.connection.to === 'server' ? read.connection : undefined
  if (mistakes.length > 0 || connection === undefined || !isBuildFormat(format)) {
    return { is: 'invalid', mistakes }
  }
  const output = values.output === '-' ? undefined : values.output
  return { is: 'build', build: { buildId, connection, format, output, timeoutMs } }
}

function notACommand(word: string | undefined): string {
  const form = 'sightline scan <package> --scan <name>'
  if (word === undefined) return `Missing command. Use: ${form}.`
  return /^pkg:/i.test(word)
    ? `Missing command before the package. Use: ${form}.`
    : `Unknown command “${word}”. Use: ${form}.`
}

function readWhat(
  words: readonly string[],
  values: Given,
  mistakes: string[],
): ScanCommand['what'] | undefined {
  const [package_, ...tooMany] = words
  if (tooMany.length > 0)
    mistakes.push(`Only one package at a time: unexpected “${tooMany.join(' ')}”.`)
  if (values.board !== undefined) {
    for (const name of ['sha256', 'repository-url'] as const) {
      if (values[name] !== undefined) mistakes.push(`--${name} can't be combined with --board.`)
    }
    if (package_ !== undefined) mistakes.push('Use a package or --board, not both.')
    return { is: 'board', name: values.board, scan: values.scan }
  }
  const read = readSubject({
    package: package_,
    scan: values.scan,
    sha256: values.sha256,
    repositoryUrl: values['repository-url'],
  })
  if (read.ok) return { is: 'package', subject: read.subject }
  mistakes.push(...read.mistakes)
  return undefined
}

/** What only a Sightline server knows. */
function neededServer(values: Given): string[] {
  return (['board', 'accept-waivers', 'bundle'] as const)
    .filter((name) => values[name] !== undefined)
    .map((name) => `--${name} needs a Sightline server. Use --server.`)
}

function duration(name: 'wait' | 'timeout', text: string, mistakes: string[]): number {
  const ms = readDuration(text)
  if (ms === undefined)
    mistakes.push(`--${name} is “${text}”, but must be a duration such as 90s, 10m or 1h30m.`)
  return ms ?? 1
}

/** An option of the command line. */
export interface Option {
  /** What stands behind it; none for a switch. */
  readonly value?: string
  readonly help: string
  /** The commands that take it; `scan` alone unless told. */
  readonly of?: readonly string[]
}

/** Every option, in the order in which people are told of them. */
export const options = {
  scan: { value: 'name', help: 'the policy scan to evaluate' },
  sha256: { value: 'digest', help: 'SHA-256 digest of the package, unless its package URL has it' },
  'repository-url': {
    value: 'address',
    help: 'repository of the package, unless its package URL has it',
  },
  board: {
    value: 'name',
    help: 'evaluate all packages of a release board of the Sightline server',
  },
  server: {
    value: 'address',
    help: 'URL of the Sightline server (or SIGHTLINE_URL)',
    of: ['scan', 'build', 'export'],
  },
  format: {
    value: 'name',
    help: 'text, markdown or json; for scan also sarif, junit or codequality; for export ndjson',
    of: ['scan', 'build', 'export'],
  },
  output: {
    value: 'file',
    help: 'file to write the report to, atomically; - is standard output',
    of: ['scan', 'build', 'export'],
  },
  'accept-waivers': { help: 'accept policies that are waived on the Sightline server' },
  'allow-empty': { help: 'accept a package to which no policy applies' },
  'require-applicable': {
    value: 'policies',
    help: 'fail where one of these was not applicable: high, all, or names, comma-separated',
  },
  summary: {
    value: 'file',
    help: 'file to add a summary in Markdown to, such as "$GITHUB_STEP_SUMMARY"',
  },
  bundle: {
    value: 'file',
    help: 'file to save the evidence bundle (zip) of the Sightline server to',
  },
  wait: {
    value: 'duration',
    help: 'how long missing attestations (scan), or facts of a build (export: 60s), are waited for',
    of: ['scan', 'export'],
  },
  timeout: {
    value: 'duration',
    help: 'time limit for a response (default: 5m)',
    of: ['scan', 'build', 'export'],
  },
  since: {
    value: 'time',
    help: 'export: from when on: 7d ago, 2026-11-01T08:00Z, or now (the default with --follow)',
    of: ['export'],
  },
  until: { value: 'time', help: 'export: up to when (default: now)', of: ['export'] },
  query: { value: 'search', help: 'export: only builds that match this search', of: ['export'] },
  follow: { help: 'export: go on with builds as they arrive', of: ['export'] },
  state: {
    value: 'file',
    help: 'export: file that keeps what was written, to go on after it with the next start',
    of: ['export'],
  },
  schema: {
    value: 'kind',
    help: 'export: print the schema of a line: json or bigquery',
    of: ['export'],
  },
  name: { value: 'name', help: 'token create: whose token it is', of: ['token create'] },
  role: { value: 'role', help: 'token create: viewer, releaser or admin', of: ['token create'] },
  expires: {
    value: 'duration',
    help: 'token create: how long it is valid, such as 90d; at most a year',
    of: ['token create'],
  },
  claims: {
    value: 'file',
    help: 'roles explain: JSON file with the claims of a person',
    of: ['roles explain'],
  },
  config: {
    value: 'file',
    help: 'roles explain: configuration file of Sightline (or SIGHTLINE_CONFIG)',
    of: ['roles explain'],
  },
  help: { help: 'show this help' },
  version: { help: 'show the version' },
} as const satisfies Readonly<Record<string, Option>>
type OptionName = keyof typeof options

/** With some more the parser of Node runs out of stack, whether they are many words or one of many switches. */
const mostCharacters = 50_000

/** What was given, and what is wrong with it: a sentence each, none of which repeats a credential. */
interface GivenFlags {
  /** The value of each option that was given; that of a switch is empty. */
  readonly values: Given
  /** The words that are no options. */
  readonly words: readonly string[]
  readonly mistakes: readonly string[]
}

function readFlags(given: readonly string[]): GivenFlags {
  if (given.join(' ').length > mostCharacters) {
    const mistake = `The arguments have more than ${countText(mostCharacters)} characters.`
    return { values: {}, words: given.slice(0, 1), mistakes: [mistake] }
  }
  const { tokens } = parseArgs({
    args: [...given],
    options: {
      ...Object.fromEntries(
        Object.entries(options).map(([name, option]) => [
          name,
          { type: 'value' in option ? ('string' as const) : ('boolean' as const) },
        ]),
      ),
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'V' },
      output: { type: 'string', short: 'o' },
    },
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const values: Partial<Record<OptionName, string>> = {}
  const words: string[] = []
  const mistakes: string[] = []
  let unknownAt = -1
  for (const token of tokens) {
    if (token.kind === 'positional') {
      // What follows an unknown option belongs to it most likely, and may be a secret.
      const belongs = token.index === unknownAt + 1 && !/^pkg:/i.test(token.value)
      if (!belongs || unknownAt === -1) words.push(token.value)
    } else if (token.kind === 'option') {
      const { name, rawName, index, inlineValue } = token
      if (!isOption(name)) {
        mistakes.push(unknownFlag(rawName, name))
        unknownAt = inlineValue === true ? -1 : index
        continue
      }
      const isSwitch = !('value' in options[name])
      // `-o=file` is read as `-o file`.
      const text = (token.value ?? '').replace(/^=/, '')
      const value = inlineValue === false && /^-./.test(text) ? '' : text
      if (isSwitch && inlineValue === true) mistakes.push(`--${name} takes no value.`)
      else if (!isSwitch && value === '')
        mistakes.push(`--${name} needs a value: ${options[name].help}.`)
      else if (values[name] !== undefined) mistakes.push(`--${name} may be given only once.`)
      // Also an empty one: that it was given is known then, and its absence is no second mistake.
      values[name] ??= value
    }
  }
  return { values, words, mistakes }
}

function isOption(name: string): name is OptionName {
  return Object.hasOwn(options, name)
}

/** Words that options for credentials have elsewhere. */
const ofCredentials =
  /^u$|user|pass|pwd|basic|bearer|token|credential|secret|auth|header|(?:api|access)-?key/i

function unknownFlag(flag: string, name: string): string {
  if (ofCredentials.test(name)) {
    return `${flag} would reveal a credential to everyone on this machine. Set SIGHTLINE_GOVERNOR_BASIC or SIGHTLINE_GOVERNOR_BEARER, or the same name with _FILE and a file that contains it.`
  }
  if (/^governor|^url$/i.test(name)) {
    return `${flag} isn't an option. Set SIGHTLINE_GOVERNOR_URL to the URL of the policy service, or use --server.`
  }
  const [likely] = nearest(name, Object.keys(options), 1)
  const meant = likely === undefined ? '' : ` Did you mean --${likely}?`
  return `${flag} isn't an option.${meant} Run with --help to list all options.`
}

/** What `--help` prints. */
export function helpText(): string {
  const lines = Object.entries(options).map(([name, option]) => {
    const left = 'value' in option ? `--${name} <${option.value}>` : `--${name}`
    return `  ${left.padEnd(27)} ${option.help}`
  })
  return `${before}\n\n${lines.join('\n')}\n\n${after}\n`
}

const before = `Evaluates a policy scan on a package: the exit code is the verdict, for use in pipelines. Reports a
build: why it failed, whether that is new, and what changed since the last success. Exports builds
as lines of JSON, old ones and as they arrive.

  sightline scan <package> --scan <name> [options]
  sightline scan --board <name> --server <url> [options]
  sightline build <id> [--format markdown] [--output <file>]
  sightline export --since <time> [--query <search>] [--follow] [--state <file>] [--output <file>]
  sightline token create --name <name> --role <role> --expires <duration>
  sightline roles explain --claims <file> [--config <file>]

A package is a package URL (pkg:maven/org.acme/shop@1.2?checksum=sha256:…&repository_url=…),
an image reference (registry/repository/name:tag@sha256:…), Maven coordinates, or the URL of its
page in Sightline.`

const after = `Server, one of:
  SIGHTLINE_URL               a Sightline server: records evaluations and applies waivers; with
  SIGHTLINE_TOKEN             an access token for it, where people have to sign in
  SIGHTLINE_GOVERNOR_URL      the policy service, with
  SIGHTLINE_GOVERNOR_BASIC    user:password, or
  SIGHTLINE_GOVERNOR_BEARER   a token; each can be read from a file by adding _FILE

Exit codes of build:
  0  the report was written, however the build ended
  2  wrong usage, or the report couldn't be written
  3  the build couldn't be read

Exit codes of export:
  0    everything is written; with --follow also where a signal or the reader of the output ended it
  2    wrong usage, or the output couldn't be written
  3    the server can't be read
  130  interrupted before the end; with --state the next start goes on

Exit codes of scan:
  0  satisfied
  1  unsatisfied; waived policies count as unsatisfied without --accept-waivers; or a policy
     of --require-applicable, or one that the board requires, was not applicable
  2  wrong usage
  3  inconclusive: the service failed, the response was incomplete or had unknown statuses,
     or no policy applied and --allow-empty wasn't given`
