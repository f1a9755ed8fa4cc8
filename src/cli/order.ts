import { type Connection, readConnection } from './connection.ts'
import { readDuration } from './duration.ts'
import { type OptionName, readFlags } from './flags.ts'
import { isReportFormat, type ReportFormat, reportFormats } from './report-formats.ts'
import { readSubject, type Subject } from './subject.ts'
import type { World } from './world.ts'

/** What somebody wants of this tool. */
export type Order =
  | { readonly is: 'help' }
  | { readonly is: 'version' }
  | { readonly is: 'scan'; readonly scan: ScanOrder }
  /** Wrong in these ways: a plain sentence each. */
  | { readonly is: 'mistaken'; readonly mistakes: readonly string[] }

/** An evaluation, and what is to be made of it. */
export interface ScanOrder {
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
  /** How long missing attestations are waited for, ms. */
  readonly waitMs: number
  /** The longest that one evaluation may take, ms. */
  readonly timeoutMs: number
}

type Given = Readonly<Partial<Record<OptionName, string>>>

/** Reads the command line and the environment; all mistakes are told at once. */
export function readOrder({
  words: given,
  environment,
  readFile,
}: Pick<World, 'words' | 'environment' | 'readFile'>): Order {
  const { values, words, mistakes: wrongFlags } = readFlags(given)
  const [command, ...rest] = words
  if (values.help !== undefined || command === 'help') return { is: 'help' }
  if (values.version !== undefined) return { is: 'version' }
  const mistakes = [...wrongFlags]
  if (command !== 'scan') mistakes.push(notACommand(command))
  const what = command === 'scan' ? readWhat(rest, values, mistakes) : undefined
  const read = readConnection(values.server, environment, readFile)
  if (!read.ok) mistakes.push(...read.mistakes)
  else if (read.connection.to === 'service') mistakes.push(...neededServer(values))
  const format = values.format ?? 'text'
  if (!isReportFormat(format)) {
    mistakes.push(
      `--format is “${format}”, but there are ${Object.keys(reportFormats).join(', ')}.`,
    )
  }
  const waitMs = duration('wait', values.wait ?? '0s', mistakes)
  const timeoutMs = duration('timeout', values.timeout ?? '5m', mistakes)
  if (timeoutMs === 0) mistakes.push('--timeout must be longer than nothing.')
  if (mistakes.length > 0 || what === undefined || !read.ok || !isReportFormat(format)) {
    return { is: 'mistaken', mistakes }
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
      waitMs,
      timeoutMs,
    },
  }
}

function notACommand(word: string | undefined): string {
  const form = 'sightline scan <package> --scan <name>'
  if (word === undefined) return `Say what to do: ${form}.`
  return /^pkg:/i.test(word)
    ? `The command is missing before the package: ${form}.`
    : `“${word}” is not a command: write ${form}.`
}

function readWhat(
  words: readonly string[],
  values: Given,
  mistakes: string[],
): ScanOrder['what'] | undefined {
  const [package_, ...tooMany] = words
  if (tooMany.length > 0)
    mistakes.push(`One package at a time: “${tooMany.join(' ')}” is too much.`)
  if (values.board !== undefined) {
    for (const name of ['sha256', 'repository-url'] as const) {
      if (values[name] !== undefined)
        mistakes.push(`--${name} belongs to a package, not to --board.`)
    }
    if (package_ !== undefined) mistakes.push('Give a package or --board, not both.')
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
  return (['board', 'accept-waivers'] as const)
    .filter((name) => values[name] !== undefined)
    .map((name) => `--${name} needs a Sightline server, which knows of them: give --server.`)
}

function duration(name: 'wait' | 'timeout', text: string, mistakes: string[]): number {
  const ms = readDuration(text)
  if (ms === undefined)
    mistakes.push(`--${name} is “${text}”, but must be a duration such as 90s, 10m or 1h30m.`)
  return ms ?? 1
}
