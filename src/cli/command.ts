import { isBuildId } from '../protocol/build-message.ts'
import { type Connection, readConnection, readServer } from './connection.ts'
import { readDuration, readDurationOption } from './duration.ts'
import { type ExportCommand, readExportCommand } from './export/export-command.ts'
import { commands, type Given, misplaced, readFlags } from './options.ts'
import type { Host } from './report-file.ts'
import {
  type BuildCommand,
  buildFormats,
  isBuildFormat,
  isReportFormat,
  type ReportFormat,
  reportFormats,
} from './report-formats.ts'
import type { RolesCommand } from './roles-explain.ts'
import { readSubject, type Subject } from './subject.ts'
import { longestTokenMs, type TokenCommand, tokenRoles } from './token-create.ts'

/** What somebody wants of this tool. */
export type Command =
  /** Of one command, or of all. */
  | { readonly is: 'help'; readonly of: string | undefined }
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

/** Reads the command line and the environment; all mistakes are told at once. */
export function readCommand({
  words: given,
  environment,
  readFile,
  clock,
}: Pick<Host, 'words' | 'environment' | 'readFile' | 'clock'>): Command {
  const { values, words, mistakes: wrongFlags, isIncomplete } = readFlags(given)
  const [command, ...rest] = words
  // A pipeline must not pass for a help text: only what could have been meant gets one.
  const named = `${(command === 'help' ? rest : words).slice(0, 2).join(' ')} `
  const of = Object.keys(commands).find(
    (name) => named.startsWith(`${name} `) || `${name} `.startsWith(named),
  )
  const isKnown = command === undefined || command === 'help' || of !== undefined
  if ((values.help !== undefined || command === 'help') && isKnown && wrongFlags.length === 0) {
    return { is: 'help', of }
  }
  if (values.version !== undefined) {
    if (command === undefined && wrongFlags.length === 0) return { is: 'version' }
    const mistake =
      "--version shows the version of this tool and takes no command. A package's version belongs in its package URL, such as pkg:oci/checkout@2.4.0."
    return { is: 'invalid', mistakes: [...wrongFlags, mistake] }
  }
  // What else would be wrong may follow from it.
  if (isIncomplete) return { is: 'invalid', mistakes: wrongFlags }
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
  if (command !== 'scan') {
    const isHalf = command === 'token' || command === 'roles'
    mistakes.push(notACommand(isHalf && second !== undefined ? twoWords : command))
    return { is: 'invalid', mistakes }
  }
  mistakes.push(...misplaced(values, 'scan'))
  const what = readWhat(rest, values, mistakes)
  const read = readConnection(values.server, environment, readFile)
  if (!read.ok) mistakes.push(...read.mistakes)
  else if (read.connection.to === 'service') mistakes.push(...neededServer(values))
  const format = values.format ?? 'text'
  if (!isReportFormat(format)) {
    mistakes.push(
      `Unknown --format “${format}”. Use one of: ${Object.keys(reportFormats).join(', ')}.`,
    )
  }
  const requireApplicable = (values['require-applicable'] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  if (values['require-applicable'] && requireApplicable.length === 0) {
    mistakes.push('--require-applicable names no policy. Use high, all, or names, comma-separated.')
  }
  const waitMs = readDurationOption('wait', values.wait ?? '0s', mistakes)
  const timeoutMs = readDurationOption('timeout', values.timeout ?? '5m', mistakes)
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
      requireApplicable,
      summary: values.summary,
      bundle: values.bundle,
      waitMs,
      timeoutMs,
    },
  }
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
  const timeoutMs = readDurationOption('timeout', values.timeout ?? '5m', mistakes)
  const connection = readServer(values.server, environment, readFile, mistakes)
  if (mistakes.length > 0 || connection === undefined || !isBuildFormat(format)) {
    return { is: 'invalid', mistakes }
  }
  const output = values.output === '-' ? undefined : values.output
  return { is: 'build', build: { buildId, connection, format, output, timeoutMs } }
}

function notACommand(word: string | undefined): string {
  if (word !== undefined && /^pkg:/i.test(word)) {
    return 'Missing command before the package. Use: sightline scan <package> --scan <name>.'
  }
  const known = `Commands: ${Object.keys(commands).join(', ')}.`
  return word === undefined ? `Missing command. ${known}` : `Unknown command “${word}”. ${known}`
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
