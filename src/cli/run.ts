import { packageName, type ScanReport } from '../policy/scan-report.ts'
import { scanVerdict } from '../policy/verdict.ts'
import { wait } from '../protocol/clock.ts'
import { countOf } from '../protocol/count.ts'
import { ProblemError } from '../protocol/problem.ts'
import { boardSentence, exitOf, failuresFirst, jobSummary, type Judged } from './board-outcome.ts'
import { readBuildReport } from './build-command.ts'
import { readCommand, type ScanCommand } from './command.ts'
import {
  createRetries,
  evaluateWhenAvailable,
  type Evaluating,
  type Evaluation,
  retryText,
} from './evaluate.ts'
import { exportBuilds, type ExportCommand } from './export/export-command.ts'
import { helpText } from './options.ts'
import { tooSlow } from './read-response.ts'
import type { Host, ReportFile } from './report-file.ts'
import { type BuildCommand, buildFormats, reportFormats } from './report-formats.ts'
import { explainRoles } from './roles-explain.ts'
import { type Evaluated, refusalSentence, scanOutcomes, type Target } from './scan-outcome.ts'
import { notSightline, refusalOf } from './server-request.ts'
import {
  createServerSource,
  createServiceSource,
  type ScanSource,
  type KnownWaivers,
} from './scan-source.ts'
import { type BoardReading, boardSubjects, type Subject } from './subject.ts'
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
      host.print(helpText(command.of))
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
    case 'build':
      return build(command.build, withoutSecrets(host, secretsOf(command.build)))
    case 'export':
      return exportBuilds(command.export, withoutSecrets(host, secretsOfExport(command.export)))
  }
}

/** 0 where the report is written, however the build ended; 3 where the build cannot be read. */
async function build(command: BuildCommand, host: Host): Promise<ExitCode> {
  const { format, output = '' } = command
  const place = takePlace('output', command.output, host)
  if (place === 'none') return 2
  try {
    const text = buildFormats[format](await readBuildReport(command, host))
    if (host.signal.aborted) return interrupted(host)
    if (place === undefined) host.print(text)
    else place.save(text)
    return 0
  } catch (error) {
    if (host.signal.aborted) return interrupted(host)
    if (error instanceof ProblemError) {
      host.log(refusalOf(error, command.connection))
      return 3
    }
    if (codeOf(error) === '') throw error
    host.log(`--output: can't write ${output}${codeOf(error)}.`)
    return 2
  } finally {
    place?.discard()
  }
}

function interrupted(host: Host): 130 {
  host.log('Interrupted. Nothing was written.')
  return 130
}

async function scan(command: ScanCommand, host: Host): Promise<ExitCode> {
  const place = takePlace('output', command.output, host)
  if (place === 'none') return 2
  try {
    const code = await scanInto(place, command, host)
    return host.signal.aborted ? interrupted(host) : code
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
  const wanted = await wantedOf(command, source, target, host)
  if (typeof wanted === 'number') return wanted
  const { subjects, require } = wanted
  let person: Promise<string | undefined> | undefined
  const whoAmI = (): Promise<string | undefined> => (person ??= personOf(source, host))
  const asked = { ...command, requireApplicable: [...command.requireApplicable, ...require] }
  const answered = await inTurns(atOnce, subjects, (subject) =>
    evaluated(subject, { command, host, source, target, whoAmI }),
  )
  if (host.signal.aborted) return 130
  const judged = scanOutcomes(answered, { ...asked, target })
  const sorted = failuresFirst(judged)
  const isBoard = command.what.is === 'board'
  const overall = isBoard ? boardSentence(judged) : undefined
  const isRead = command.format === 'text' && place === undefined
  if (overall !== undefined && !isRead) host.log(overall)
  for (const { subject, outcome } of sorted) {
    const name = isBoard ? `${packageName(subject)} ${subject.scan}: ` : ''
    // What the report on standard output says already is not said twice, unless it needs a reason.
    const isSaid = isRead && outcome.report !== undefined && outcome.exit !== 3
    if (!isSaid) host.log(`${name}${outcome.sentence}`)
  }
  const now = host.clock.now()
  const reportOf = ({ subject, outcome }: Judged): ScanReport | undefined =>
    // One package without an answer has no report; among others it must not look as if it passed.
    outcome.report ?? (isBoard ? withoutAnswer(subject, outcome.sentence, now) : undefined)
  const reports = sorted.flatMap((one) => reportOf(one) ?? [])
  if (reports.length > 0 && !write(reports, overall, place, command, host)) return 2
  const sentence = overall ?? sorted[0]?.outcome.sentence ?? ''
  if (!addSummary(command, host, () => jobSummary(sentence, judged, reportOf))) return 2
  const isKept = await saveBundle(command, judged, source, host)
  return isKept ? exitOf(judged) : 2
}

/** Adds what people read on the page of a job; false where that cannot be written. */
function addSummary({ summary }: ScanCommand, host: Host, write: () => string): boolean {
  if (summary === undefined) return true
  try {
    host.appendFile(summary, write())
    return true
  } catch (error) {
    host.log(`--summary: can't write ${summary}${codeOf(error)}.`)
    return false
  }
}

/** Saves the evidence of what was recorded just now; false where it cannot be had, and says why. */
async function saveBundle(
  { what, bundle, timeoutMs }: ScanCommand,
  evaluated: readonly Judged[],
  source: ScanSource,
  host: Host,
): Promise<boolean> {
  if (bundle === undefined) return true
  const recorded = evaluated.flatMap(({ outcome }) => outcome.report?.record?.id ?? [])
  const place = takePlace('bundle', bundle, host)
  if (place === 'none' || place === undefined) return false
  try {
    place.save(
      await within(timeoutMs, source, host, (signal) => source.bundle(what, recorded, signal)),
    )
    const lost = evaluated.filter(({ outcome }) => !outcome.isWhole).length
    if (what.is === 'board' && lost > 0) {
      host.log(
        `--bundle: ${countOf(lost, 'run')} of ${evaluated.length} had no complete response, so the bundle may have older runs in their place.`,
      )
    }
    return true
  } catch (error) {
    const reason =
      error instanceof ProblemError ? error.sentence : `can't write ${bundle}${codeOf(error)}.`
    host.log(`--bundle: ${reason}`)
    return false
  } finally {
    place.discard()
  }
}

async function evaluated(
  subject: Subject,
  {
    command,
    host,
    source,
    target,
    whoAmI,
  }: {
    command: ScanCommand
    host: Host
    source: ScanSource
    target: Target
    whoAmI: () => Promise<string | undefined>
  },
): Promise<Evaluated> {
  const { clock, random, log, signal } = host
  const { timeoutMs, waitMs } = command
  const evaluating: Evaluating = { source, clock, random, log, timeoutMs, signal }
  const evaluation = await evaluateWhenAvailable(subject, evaluating, waitMs)
  if (evaluation.is === 'answered' && evaluation.record !== undefined) {
    log(`Recorded at ${evaluation.record}`)
  }
  // Asked for once there is an answer: what is wrong with the server is said before.
  const by = evaluation.is === 'answered' ? await whoAmI() : undefined
  const waivers = target.isServer
    ? await waiversOf(subject, evaluation, command, source, host)
    : undefined
  return { subject, evaluation, waivers, by }
}

/** Only a name in the reports: nothing waits long for it, ms. */
const longestAskedMs = 5000

function personOf(source: ScanSource, host: Host): Promise<string | undefined> {
  return within(longestAskedMs, source, host, source.whoAmI)
}

/**
 * What comes of a request, which is sent again as an evaluation is; it is given up after a time, with a
 * ProblemError that says so.
 */
async function within<T>(
  ms: number,
  { who }: ScanSource,
  { clock, random, log, signal }: Host,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const retries = createRetries({ clock, random, timeoutMs: ms })
  const own = new AbortController()
  const end = (): void => {
    own.abort()
  }
  signal.addEventListener('abort', end)
  const cancel = clock.after(ms, () => {
    own.abort(tooSlow(who, ms))
  })
  try {
    for (;;) {
      try {
        return await ask(own.signal)
      } catch (error) {
        const isOver = own.signal.aborted || !(error instanceof ProblemError)
        const pauseMs = isOver ? undefined : retries.pauseAfter(error)
        if (isOver || pauseMs === undefined || clock.now() + pauseMs >= retries.deadline)
          throw error
        log(retryText(error, pauseMs))
        await wait(clock, pauseMs, own.signal)
      }
    }
  } finally {
    cancel()
    signal.removeEventListener('abort', end)
  }
}

/** Undefined where they cannot be read: none counts then. Only a failure asks for them. */
async function waiversOf(
  subject: Subject,
  evaluation: Evaluation,
  { timeoutMs }: ScanCommand,
  source: ScanSource,
  host: Host,
): Promise<KnownWaivers | undefined> {
  const fails =
    evaluation.is === 'answered' &&
    evaluation.results.some(({ status }) => status === 'unsatisfied')
  if (!fails) return { waivers: [], at: undefined }
  try {
    return await within(timeoutMs, source, host, (signal) => source.waivers(subject, signal))
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    host.log(`Can't read waivers, so none are applied: ${error.message}`)
    return undefined
  }
}

async function wantedOf(
  { what, timeoutMs }: ScanCommand,
  source: ScanSource,
  target: Target,
  host: Host,
): Promise<Extract<BoardReading, { ok: true }> | ExitCode> {
  if (what.is === 'package') {
    const { note } = what.subject
    if (note !== undefined) host.log(note)
    return { ok: true, subjects: [what.subject], require: [] }
  }
  try {
    const boards = await within(timeoutMs, source, host, source.boards)
    const read = boardSubjects(boards, what.name, what.scan)
    return read.ok ? read : wrongUse(host, read.mistakes)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    // Every Sightline server has a configuration.
    const fault = error.status === 404 ? notSightline(404) : error
    host.log(refusalSentence(fault, what.scan ?? '', target))
    return 3
  }
}

function write(
  reports: readonly ScanReport[],
  overall: string | undefined,
  place: ReportFile | undefined,
  { format, output = '' }: ScanCommand,
  host: Host,
): boolean {
  if (place === undefined) {
    host.print(reportFormats[format](reports, host.isColourTerminal, overall))
    return true
  }
  try {
    place.save(reportFormats[format](reports, false, overall))
    return true
  } catch (error) {
    host.log(`--output: can't write ${output}${codeOf(error)}.`)
    return false
  }
}

function takePlace(
  option: 'output' | 'bundle',
  path: string | undefined,
  host: Host,
): ReportFile | undefined | 'none' {
  if (path === undefined) return undefined
  try {
    return host.openReport(path)
  } catch (error) {
    wrongUse(host, [`--${option}: can't write ${path}${codeOf(error)}.`])
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

function secretsOf({ connection }: Pick<ScanCommand, 'connection'>): readonly string[] {
  return connection.credential?.secrets ?? []
}

function secretsOfExport(command: ExportCommand): readonly string[] {
  return command.what === 'builds' ? secretsOf(command) : []
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
  { scan, purl, apart, sha256, repositoryUrl }: Subject,
  sentence: string,
  at: number,
): ScanReport {
  return {
    scan,
    purl,
    apart,
    sha256,
    repositoryUrl,
    evaluatedAt: at,
    verdict: scanVerdict([], { unreadable: 0, complete: false }),
    groups: [],
    caveats: [sentence],
  }
}
