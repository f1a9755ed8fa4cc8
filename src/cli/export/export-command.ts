import { factsOfMessage } from '../../facts/merged-facts.ts'
import { parseTime } from '../../protocol/clock.ts'
import { countText } from '../../protocol/count.ts'
import { ProblemError } from '../../protocol/problem.ts'
import type { Facts } from '../../protocol/facts.ts'
import { check } from '../../search/check.ts'
import { type Answer, compile } from '../../search/match.ts'
import { parse } from '../../search/parse.ts'
import { readServer, type ServerConnection } from '../connection.ts'
import { durationWords, readDuration, readDurationOption } from '../duration.ts'
import type { Host } from '../report-file.ts'
import { createServerRequest, refusalOf } from '../server-request.ts'
import { terminalLine } from '../without-secrets.ts'
import { buildFeed } from './build-feed.ts'
import type { Position } from './feed-order.ts'
import { lineOf, lineSchemas, type LineSchema } from './export-line.ts'
import { type ExportOutput, openOutput, OutputFault } from './export-output.ts'

/** An export of builds as lines, or what its lines look like. */
export type ExportCommand =
  | { readonly what: 'schema'; readonly schema: LineSchema }
  | ({ readonly what: 'builds' } & BuildsCommand)

interface BuildsCommand {
  readonly connection: ServerConnection
  /** Epoch ms, or only what comes. */
  readonly since: number | 'now'
  /** Epoch ms; undefined is the moment of the start, or no end while following. */
  readonly until: number | undefined
  readonly query: string
  readonly follow: boolean
  readonly state: string | undefined
  /** A file; standard output where it is left out. */
  readonly output: string | undefined
  /** How long the facts of a build are waited for, ms. */
  readonly waitMs: number
  /** How long the server may fail, ms; while following, it may for ever. */
  readonly timeoutMs: number
}

/** The options of an export, as they were given; that of a switch is empty. */
type Given = Readonly<
  Partial<
    Record<
      | 'since'
      | 'until'
      | 'query'
      | 'follow'
      | 'format'
      | 'state'
      | 'output'
      | 'server'
      | 'wait'
      | 'timeout'
      | 'schema',
      string
    >
  >
>

/** Reads the options of an export; undefined, and why in `mistakes`, where they are wrong. Times are relative to `now`. */
export function readExportCommand(
  values: Given,
  { environment, readFile, now }: Pick<Host, 'environment' | 'readFile'> & { now: number },
  mistakes: string[],
): ExportCommand | undefined {
  const { schema, format = 'ndjson', query = '', since } = values
  if (schema !== undefined) {
    const known = isSchema(schema) ? schema : undefined
    if (known === undefined) {
      mistakes.push(
        `Unknown --schema “${schema}”. Use one of: ${Object.keys(lineSchemas).join(', ')}.`,
      )
    }
    if (values.output !== undefined) {
      mistakes.push("--output can't be used with --schema, which prints it: redirect it to a file.")
    }
    return known === undefined || mistakes.length > 0
      ? undefined
      : { what: 'schema', schema: known }
  }
  const follow = values.follow !== undefined
  if (format !== 'ndjson') mistakes.push(`Unknown --format “${format}”. An export is ndjson.`)
  if (since === undefined && !follow) {
    mistakes.push('Missing --since: a duration such as 7d, or a time such as 2026-11-01T08:00Z.')
  }
  const from = since === undefined ? 'now' : readMoment('since', since, now, mistakes)
  if (since !== undefined && from === 'now' && !follow) mistakes.push('--since now needs --follow.')
  const to =
    values.until === undefined ? undefined : readMoment('until', values.until, now, mistakes)
  const until = to === 'now' ? now : to
  if (typeof from === 'number' && until !== undefined && until < from) {
    mistakes.push('--until is before --since.')
  }
  if (typeof from === 'number' && from > now && !follow) {
    mistakes.push(
      '--since is in the future. Add --follow to wait for builds, or set an earlier time.',
    )
  }
  for (const { severity, message } of check(parse(query))) {
    if (severity === 'error') mistakes.push(`--query: ${message}`)
  }
  const waitMs = readDurationOption('wait', values.wait ?? '60s', mistakes)
  const timeoutMs = readDurationOption('timeout', values.timeout ?? '5m', mistakes)
  const connection = readServer(values.server, environment, readFile, mistakes)
  if (mistakes.length > 0 || connection === undefined || from === undefined) return undefined
  const output = values.output === '-' ? undefined : values.output
  const { state } = values
  return {
    what: 'builds',
    connection,
    since: from,
    until,
    query,
    follow,
    state,
    output,
    waitMs,
    timeoutMs,
  }
}

function isSchema(name: string): name is LineSchema {
  return Object.hasOwn(lineSchemas, name)
}

/** A duration before now, or a time; a time without a zone is UTC. */
function readMoment(
  name: 'since' | 'until',
  text: string,
  now: number,
  mistakes: string[],
): number | 'now' | undefined {
  if (text === 'now') return 'now'
  const ago = readDuration(text)
  if (ago !== undefined) return Math.max(0, now - ago)
  if (
    /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/i.test(text)
  ) {
    const time = parseTime(text)
    if (!Number.isNaN(time) && isDay(text.slice(0, 10))) return Math.max(0, time)
  }
  mistakes.push(
    `--${name} is “${text}”, but must be a duration such as 7d, a time such as 2026-11-01T08:00Z, or now.`,
  )
  return undefined
}

/** Whether there is such a day: Date takes 31 April for 1 May. */
function isDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day)
}

/**
 * Writes a line for each build that matches, and says on standard error how far it is. 0 where all are written, or the end of
 * following was wanted; 2 where they can't be written; 3 where the server can't be read; 130 where it was interrupted.
 */
export async function exportBuilds(command: ExportCommand, host: Host): Promise<0 | 2 | 3 | 130> {
  if (command.what === 'schema') {
    host.print(`${JSON.stringify(lineSchemas[command.schema](), null, 2)}\n`)
    return 0
  }
  let output: ExportOutput | undefined
  try {
    const now = host.clock.now()
    const opened = openOutput(
      {
        ...command,
        from: command.since === 'now' ? { kind: 'now' } : { kind: 'instant', at: command.since },
      },
      host,
    )
    if (!opened.ok) {
      host.log(opened.mistake)
      return 2
    }
    output = opened.output
    return await writeBuilds(command, output, now, host)
  } catch (error) {
    if (!(error instanceof OutputFault)) throw error
    host.log(error.message)
    return 2
  } finally {
    output?.close()
  }
}

/** How often progress is reported while following, ms. */
const progressMs = 30_000

async function writeBuilds(
  command: BuildsCommand,
  output: ExportOutput,
  now: number,
  host: Host,
): Promise<0 | 2 | 3 | 130> {
  const { clock, random, log, signal } = host
  const { follow, until = follow ? Infinity : now } = command
  for (const { severity, message } of check(parse(command.query))) {
    if (severity === 'warning') log(terminalLine(`--query: ${message}`))
  }
  const matches = createMatcher(command.query, clock.now)
  const counts = { written: 0, others: 0 }
  let reportedAt = clock.now()
  let reported = 0
  const summary = (): string =>
    `${countText(counts.written)} written${command.query === '' ? '' : `, ${countText(counts.others)} didn't match`}`
  const feed = buildFeed({
    server: createServerRequest(command.connection, host),
    clock,
    random,
    log,
    signal,
    from: output.from,
    handled: output.handled,
    until,
    follow,
    factsMs: command.waitMs,
    patienceMs: command.timeoutMs,
  })
  try {
    for await (const portion of feed) {
      const { builds, position } = portion
      let lines = ''
      let written = 0
      for (const one of builds) {
        const answer = matches(one.facts ?? factsOfMessage(one.build))
        if (answer === 'no') continue
        lines += lineOf(one, answer)
        written += 1
      }
      if (!(await output.write(lines, portion))) {
        if (follow) return 0
        if (signal.aborted) return 130
        log(`The output was closed before all was written: at least ${summary()}.`)
        return 2
      }
      counts.written += written
      counts.others += builds.length - written
      if (
        follow &&
        counts.written + counts.others !== reported &&
        clock.now() - reportedAt >= progressMs
      ) {
        reportedAt = clock.now()
        reported = counts.written + counts.others
        log(`${summary()}${behind(position, reportedAt)}`)
      }
    }
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    log(refusalOf(error, command.connection))
    // What is in the file ends with a whole line, and looks complete.
    if (counts.written > 0)
      log(`${summary()} before that${follow ? '' : ': the output is incomplete'}.`)
    return 3
  }
  if (!signal.aborted) output.finish()
  const isCut = signal.aborted && !follow
  log(isCut ? `Interrupted. ${summary()}: the output is incomplete.` : `${summary()}.`)
  return isCut ? 130 : 0
}

function behind(position: Position, now: number): string {
  if (position.kind !== 'after') return '.'
  return `; the newest was received ${durationWords(Math.max(0, now - position.receivedAt))} ago.`
}

/** How often a query is compiled anew, as its moments may be relative to now, ms. */
const compiledMs = 1000

function createMatcher(text: string, now: () => number): (facts: Facts) => Answer {
  const query = parse(text)
  let compiledAt = -Infinity
  let matches: (facts: Facts) => Answer = () => 'unknown'
  return (facts) => {
    if (now() - compiledAt >= compiledMs) {
      compiledAt = now()
      matches = compile(query, { now: compiledAt, timeZone: 'UTC' })
    }
    return matches(facts)
  }
}
