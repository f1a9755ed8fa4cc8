import { parseArgs } from 'node:util'
import { countText } from '../protocol/count.ts'
import { nearest } from '../search/check/nearest.ts'

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
    help: 'file to write the report to, all of it or nothing, or the lines of an export as they come; - is standard output',
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
    help: 'export: from when on: 7d (seven days ago), 2026-11-01T08:00Z, or now (the default with --follow)',
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
  version: { help: 'show the version', of: [] },
} as const satisfies Readonly<Record<string, Option>>
type OptionName = keyof typeof options

/** The value of each option that was given; that of a switch is empty. */
export type Given = Readonly<Partial<Record<OptionName, string>>>

/** With some more the parser of Node runs out of stack, whether they are many words or one of many switches. */
const mostCharacters = 50_000

/** What was given, and what is wrong with it: a sentence each, none of which repeats a credential. */
interface GivenFlags {
  readonly values: Given
  /** The words that are no options. */
  readonly words: readonly string[]
  readonly mistakes: readonly string[]
  /** Whether an option lacks its value, so that the words behind it may have been meant for another. */
  readonly isIncomplete: boolean
}

/** Reads the arguments of a command line: options wherever they stand, and words. */
export function readFlags(given: readonly string[]): GivenFlags {
  if (given.join(' ').length > mostCharacters) {
    const mistake = `The arguments have more than ${countText(mostCharacters)} characters.`
    return { values: {}, words: given.slice(0, 1), mistakes: [mistake], isIncomplete: false }
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
  let isIncomplete = false
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
      else if (!isSwitch && value === '') {
        mistakes.push(`--${name} needs a value: ${ownHelp(options[name].help)}.`)
        isIncomplete = true
      } else if (values[name] !== undefined) mistakes.push(`--${name} may be given only once.`)
      // Also an empty one: that it was given is known then, and its absence is no second mistake.
      values[name] ??= value
    }
  }
  return { values, words, mistakes, isIncomplete }
}

/** The options among those given that belong to another command: a sentence each. */
export function misplaced(values: Given, command: string): string[] {
  return Object.keys(values).flatMap((name) => {
    const { of = ['scan'] }: Option = isOption(name) ? options[name] : { help: '' }
    return of.includes(command) ? [] : [`--${name} can't be used with ${command}.`]
  })
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

/** What the help says of an option to those who know of which command it is. */
export function ownHelp(help: string): string {
  return help.replace(/^(?:export|token create|roles explain): /, '')
}

interface CommandHelp {
  /** What it does, in lower case and without a period. */
  readonly summary: string
  readonly usage: readonly string[]
  readonly more?: readonly string[]
  readonly exitCodes?: string
}

const aPackage = `A package is a package URL (pkg:maven/org.acme/shop@1.2?checksum=sha256:…&repository_url=…),
an image reference (registry/repository/name:tag@sha256:…), Maven coordinates, or the URL of its
page in Sightline.`

const server = `Server, one of:
  SIGHTLINE_URL               a Sightline server: records evaluations and applies waivers; with
  SIGHTLINE_TOKEN             an access token for it, where people have to sign in
  SIGHTLINE_GOVERNOR_URL      the policy service, with
  SIGHTLINE_GOVERNOR_BASIC    user:password, or
  SIGHTLINE_GOVERNOR_BEARER   a token; each can be read from a file by adding _FILE`

const sightlineServer = `Server:
  SIGHTLINE_URL    URL of the Sightline server, with
  SIGHTLINE_TOKEN  an access token for it, where people have to sign in`

/** Every command, in the order in which people are told of them. */
export const commands: Readonly<Record<string, CommandHelp>> = {
  scan: {
    summary: 'evaluates a policy scan on a package or a board; the exit code is the verdict',
    usage: [
      'sightline scan <package> --scan <name> [options]',
      'sightline scan --board <name> --server <url> [options]',
    ],
    more: [aPackage, server],
    exitCodes: `  0    satisfied
  1    unsatisfied; waived policies count as unsatisfied without --accept-waivers; or a policy
       of --require-applicable, or one that the board requires, was not applicable
  2    wrong usage, or a report that couldn't be written
  3    inconclusive: the service failed, the response was incomplete or had unknown statuses,
       or no policy applied and --allow-empty wasn't given
  130  interrupted; no report was written`,
  },
  build: {
    summary: 'reports a build: why it failed, whether that is new, and what changed',
    usage: ['sightline build <id> [--format markdown] [--output <file>]'],
    more: [sightlineServer],
    exitCodes: `  0    the report was written, however the build ended
  2    wrong usage, or the report couldn't be written
  3    the build couldn't be read
  130  interrupted; nothing was written`,
  },
  export: {
    summary: 'writes builds as lines of JSON, old ones and as they arrive',
    usage: [
      'sightline export --since <time> [--query <search>] [--follow] [--state <file>] [--output <file>]',
    ],
    more: [sightlineServer],
    exitCodes: `  0    everything is written; with --follow also where a signal or the reader of the output ended it
  2    wrong usage, or the output couldn't be written
  3    the server can't be read
  130  interrupted before the end; with --state the next start goes on`,
  },
  'token create': {
    summary: 'makes an access token, and the lines for the configuration file',
    usage: ['sightline token create --name <name> --role <role> --expires <duration>'],
  },
  'roles explain': {
    summary: 'says which role the claims of a person give',
    usage: ['sightline roles explain --claims <file> [--config <file>]'],
    exitCodes: `  0  the claims give a role
  1  they give none
  2  wrong usage, or a file that couldn't be read`,
  },
}

/** What `--help` prints: of one command, or of all. */
export function helpText(name?: string): string {
  const one = name === undefined ? undefined : commands[name]
  const shown = Object.entries(options).filter(
    ([, { help, of = ['scan'] }]: [string, Option]) =>
      name === undefined || help === options.help.help || of.includes(name),
  )
  const lefts = shown.map(([key, option]) =>
    'value' in option ? `--${key} <${option.value}>` : `--${key}`,
  )
  const width = Math.max(...lefts.map((left) => left.length)) + 2
  const lines = shown.map(
    ([, { help }], at) =>
      `  ${lefts[at]?.padEnd(width)}${one === undefined ? help : ownHelp(help)}`,
  )
  const usage = (one ? [one] : Object.values(commands)).flatMap((each) => each.usage)
  const codes = one
    ? [one.exitCodes && `Exit codes:\n${one.exitCodes}`]
    : Object.entries(commands).map(
        ([of, { exitCodes }]) => exitCodes && `Exit codes of ${of}:\n${exitCodes}`,
      )
  return [
    one ? `${one.summary.charAt(0).toUpperCase()}${one.summary.slice(1)}.` : purpose,
    usage.map((line) => `  ${line}`).join('\n'),
    ...(one ? [] : [aPackage]),
    lines.join('\n'),
    ...(one ? (one.more ?? []) : [server]),
    ...codes.filter((text) => text !== undefined),
  ]
    .join('\n\n')
    .concat('\n')
}

const purpose = `Evaluates a policy scan on a package: the exit code is the verdict, for use in pipelines. Reports a
build: why it failed, whether that is new, and what changed since the last success. Exports builds
as lines of JSON, old ones and as they arrive.`
