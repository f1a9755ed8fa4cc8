import type { ScanReport } from '../policy/scan-report.ts'
import { scanVerdict } from '../policy/verdict.ts'
import { ProblemError } from '../protocol/problem.ts'
import type { Waiver } from '../protocol/waiver.ts'
import { evaluateWhenAvailable, type Evaluating, type Evaluation } from './evaluate.ts'
import { type Target, scanOutcome, type ScanOutcome, refusalSentence } from './scan-outcome.ts'
import { helpText, readCommand, type ScanCommand } from './options.ts'
import type { ReportFile, Host } from './report-file.ts'
import { reportFormats } from './report-formats.ts'
import { explainRoles } from './roles-explain.ts'
import { createServerSource, createServiceSource, type ScanSource } from './scan-source.ts'
import { boardSubjects, type Subject } from './subject.ts'
import { createToken } from './token-create.ts'
import { terminalLine, withoutSecrets } from './without-secrets.ts'

/** 0 satisfied, 1 unsatisfied, 2 wrong use, 3 undecided, 130 interrupted. */
export type ExitCode = 0 | 1 | 2 | 3 | 130

/** How many evaluations of a board run at once. */
const atOnce = 4

/**
 * Does what the command line says: evaluates, reports on standard output or into a file (whole or
 * not at all), and tells everything else on standard error. Shows no credential, whatever a server
 * answers. Never rejects for what a person, a file or a server does.
 */
export async function run(host: Host): Promise<ExitCode> {
  const command = readCommand(host)
  switch (command.is) {
    case 'help':
      host.print(helpText())
      return 0
    case 'version':
      host.print(`sightline ${host.version}\n`)
      return 0
    case 'invalid':
      return wrongUse(host, command.mistakes)
    case 'token create':
      createToken(command.token, host)
      return 0
    case 'roles explain':
      return explainRoles(command.roles, host)
    case 'scan':
      return scan(command.scan, withoutSecrets(host, secretsOf(command.scan)))
  }
}

async function scan(command: ScanCommand, host: Host): Promise<ExitCode> {
  const place = takePlace(command, host)
  if (place === 'none') return 2
  try {
    const code = await scanInto(place, command, host)
    if (!host.signal.aborted) return code
    host.log('Interrupted. Nothing was written.')
    return 130
  } finally {
    place?.discard()
  }
}

async function scanInto(
  place: ReportFile | undefined,
  command: ScanCommand,
  host: Host,
): Promise<ExitCode> {
  const source = sourceOf(command, host)
  const target = targetOf(command, source)
  const subjects = await subjectsOf(command, source, target, host)
  if (typeof subjects === 'number') return subjects
  const judgements = await inTurns(atOnce, subjects, (subject) =>
    judged(subject, { command, host, source, target }),
  )
  if (host.signal.aborted) return 130
  const isRead = command.format === 'text' && place === undefined
  for (const [index, { sentence, exit, report }] of judgements.entries()) {
    const name =
      judgements.length === 1 ? '' : `${subjects[index]?.purl} ${subjects[index]?.scan}: `
    // What the report on standard output says already is not said twice, unless it needs a reason.
    if (!isRead || report === undefined || exit === 3) host.log(`${name}${sentence}`)
  }
  const reports = judgements.flatMap(({ report, sentence }, index) => {
    const subject = subjects[index]
    if (report !== undefined || subject === undefined) return report ?? []
    // One package without an answer has no report; among others it must not look as if it passed.
    return subjects.length === 1 ? [] : withoutAnswer(subject, sentence, host.clock.now())
  })
  if (reports.length > 0 && !write(reports, place, command, host)) return 2
  return exitOf(judgements)
}

/** A known failure counts more than what is not known: it does not change by asking again. */
function exitOf(judgements: readonly ScanOutcome[]): ExitCode {
  const exits = judgements.map(({ exit }) => exit)
  return exits.includes(1) ? 1 : exits.includes(3) ? 3 : 0
}

async function judged(
  subject: Subject,
  {
    command,
    host,
    source,
    target,
  }: { command: ScanCommand; host: Host; source: ScanSource; target: Target },
): Promise<ScanOutcome> {
  const { clock, random, log, signal } = host
  const { timeoutMs, waitMs } = command
  const evaluating: Evaluating = { source, clock, random, log, timeoutMs, signal }
  const evaluation = await evaluateWhenAvailable(subject, evaluating, waitMs)
  if (evaluation.is === 'answered' && evaluation.record !== undefined) {
    log(`Recorded at ${evaluation.record}`)
  }
  const waivers = target.isServer ? await waiversOf(subject, evaluation, source, host) : undefined
  return scanOutcome(subject, evaluation, waivers, { ...command, target })
}

/** Undefined where they cannot be read: none counts then. Only a failure asks for them. */
async function waiversOf(
  subject: Subject,
  evaluation: Evaluation,
  source: ScanSource,
  { log, signal }: Host,
): Promise<readonly Waiver[] | undefined> {
  const fails =
    evaluation.is === 'answered' &&
    evaluation.results.some(({ status }) => status === 'unsatisfied')
  if (!fails) return []
  try {
    return await source.waivers(subject, signal)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    log(`Can't read waivers, so none are applied: ${error.message}`)
    return undefined
  }
}

async function subjectsOf(
  { what }: ScanCommand,
  source: ScanSource,
  target: Target,
  host: Host,
): Promise<readonly Subject[] | ExitCode> {
  if (what.is === 'package') return [what.subject]
  try {
    const read = boardSubjects(await source.boards(host.signal), what.name, what.scan)
    return read.ok ? read.subjects : wrongUse(host, read.mistakes)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    host.log(refusalSentence(error, what.scan ?? '', target))
    return 3
  }
}

function write(
  reports: readonly ScanReport[],
  place: ReportFile | undefined,
  { format, output = '' }: ScanCommand,
  host: Host,
): boolean {
  if (place === undefined) {
    host.print(reportFormats[format](reports, host.isColourTerminal))
    return true
  }
  try {
    place.save(reportFormats[format](reports, false))
    return true
  } catch (error) {
    host.log(`--output: can't write ${output}${codeOf(error)}.`)
    return false
  }
}

function takePlace({ output }: ScanCommand, host: Host): ReportFile | undefined | 'none' {
  if (output === undefined) return undefined
  try {
    return host.openReport(output)
  } catch (error) {
    wrongUse(host, [`--output: can't write ${output}${codeOf(error)}.`])
    return 'none'
  }
}

function sourceOf({ connection }: ScanCommand, host: Host): ScanSource {
  return connection.to === 'server'
    ? createServerSource(connection, host)
    : createServiceSource(connection, host)
}

function targetOf({ connection }: ScanCommand, { who }: ScanSource): Target {
  const credential = connection.credential?.setting
  return { who, credential, isServer: connection.to === 'server' }
}

function secretsOf({ connection }: ScanCommand): readonly string[] {
  return connection.credential?.secrets ?? []
}

function wrongUse(host: Host, mistakes: readonly string[]): 2 {
  for (const mistake of mistakes) host.log(terminalLine(mistake))
  host.log('See sightline --help.')
  return 2
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
}

/** Does work on some items at a time; what comes of them is in the order of the items. */
async function inTurns<T, R>(
  atOnce: number,
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const done: R[] = []
  let next = 0
  async function worker(): Promise<void> {
    for (let at = next++; at < items.length; at = next++) {
      const item = items[at]
      if (item !== undefined) done[at] = await work(item)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
  return done
}

/** What the report of a board tells of a package that there is no answer for; `at` is epoch ms. */
function withoutAnswer(
  { scan, purl, sha256, repositoryUrl }: Subject,
  sentence: string,
  at: number,
): ScanReport {
  return {
    scan,
    purl,
    sha256,
    repositoryUrl,
    evaluatedAt: at,
    verdict: scanVerdict([], { unreadable: 0, complete: false }),
    groups: [],
    caveats: [sentence],
  }
}
