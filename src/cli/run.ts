import type { ScanReport } from '../policy/scan-report.ts'
import { scanVerdict } from '../policy/verdict.ts'
import { ProblemError } from '../protocol/problem.ts'
import type { Waiver } from '../protocol/waiver.ts'
import { evaluateWhenThere, type Evaluating, type Evaluation } from './evaluate.ts'
import { type Asked, judge, type Judgement, refusalSentence } from './judgement.ts'
import { helpText, readOrder, type ScanOrder } from './options.ts'
import type { ReportFile, World } from './report-file.ts'
import { reportFormats } from './report-formats.ts'
import { createServerSource, createServiceSource, type ScanSource } from './scan-source.ts'
import { boardSubjects, type Subject } from './subject.ts'
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
export async function run(world: World): Promise<ExitCode> {
  const order = readOrder(world)
  switch (order.is) {
    case 'help':
      world.print(helpText())
      return 0
    case 'version':
      world.print(`sightline ${world.version}\n`)
      return 0
    case 'mistaken':
      return wrongUse(world, order.mistakes)
    case 'scan':
      return scan(order.scan, withoutSecrets(world, order.scan))
  }
}

async function scan(order: ScanOrder, world: World): Promise<ExitCode> {
  const place = takePlace(order, world)
  if (place === 'none') return 2
  try {
    const code = await scanInto(place, order, world)
    if (!world.signal.aborted) return code
    world.say('Interrupted: nothing was written.')
    return 130
  } finally {
    place?.discard()
  }
}

async function scanInto(
  place: ReportFile | undefined,
  order: ScanOrder,
  world: World,
): Promise<ExitCode> {
  const source = sourceOf(order, world)
  const asked = askedOf(order, source)
  const subjects = await subjectsOf(order, source, asked, world)
  if (typeof subjects === 'number') return subjects
  const judgements = await inTurns(atOnce, subjects, (subject) =>
    judged(subject, { order, world, source, asked }),
  )
  if (world.signal.aborted) return 130
  const isRead = order.format === 'text' && place === undefined
  for (const [index, { sentence, exit, report }] of judgements.entries()) {
    const name =
      judgements.length === 1 ? '' : `${subjects[index]?.purl} ${subjects[index]?.scan}: `
    // What the report on standard output says already is not said twice, unless it needs a reason.
    if (!isRead || report === undefined || exit === 3) world.say(`${name}${sentence}`)
  }
  const reports = judgements.flatMap(({ report, sentence }, index) => {
    const subject = subjects[index]
    if (report !== undefined || subject === undefined) return report ?? []
    // One package without an answer has no report; among others it must not look as if it passed.
    return subjects.length === 1 ? [] : withoutAnswer(subject, sentence, world.clock.now())
  })
  if (reports.length > 0 && !write(reports, place, order, world)) return 2
  return exitOf(judgements)
}

/** A known failure counts more than what is not known: it does not change by asking again. */
function exitOf(judgements: readonly Judgement[]): ExitCode {
  const exits = judgements.map(({ exit }) => exit)
  return exits.includes(1) ? 1 : exits.includes(3) ? 3 : 0
}

async function judged(
  subject: Subject,
  {
    order,
    world,
    source,
    asked,
  }: { order: ScanOrder; world: World; source: ScanSource; asked: Asked },
): Promise<Judgement> {
  const { clock, random, say, signal } = world
  const { timeoutMs, waitMs } = order
  const evaluating: Evaluating = { source, clock, random, say, timeoutMs, signal }
  const evaluation = await evaluateWhenThere(subject, evaluating, waitMs)
  if (evaluation.is === 'answered' && evaluation.record !== undefined) {
    say(`Recorded at ${evaluation.record}`)
  }
  const waivers = asked.isServer ? await waiversOf(subject, evaluation, source, world) : undefined
  return judge(subject, evaluation, waivers, { ...order, asked })
}

/** Undefined where they cannot be read: none counts then. Only a failure asks for them. */
async function waiversOf(
  subject: Subject,
  evaluation: Evaluation,
  source: ScanSource,
  { say, signal }: World,
): Promise<readonly Waiver[] | undefined> {
  const fails =
    evaluation.is === 'answered' &&
    evaluation.results.some(({ status }) => status === 'unsatisfied')
  if (!fails) return []
  try {
    return await source.waivers(subject, signal)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    say(`Waivers cannot be read, so that none counts: ${error.message}`)
    return undefined
  }
}

async function subjectsOf(
  { what }: ScanOrder,
  source: ScanSource,
  asked: Asked,
  world: World,
): Promise<readonly Subject[] | ExitCode> {
  if (what.is === 'package') return [what.subject]
  try {
    const read = boardSubjects(await source.boards(world.signal), what.name, what.scan)
    return read.ok ? read.subjects : wrongUse(world, read.mistakes)
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    world.say(refusalSentence(error, what.scan ?? '', asked))
    return 3
  }
}

function write(
  reports: readonly ScanReport[],
  place: ReportFile | undefined,
  { format, output = '' }: ScanOrder,
  world: World,
): boolean {
  if (place === undefined) {
    world.print(reportFormats[format](reports, world.isColourTerminal))
    return true
  }
  try {
    place.save(reportFormats[format](reports, false))
    return true
  } catch (error) {
    world.say(`--output: ${output} cannot be written${codeOf(error)}.`)
    return false
  }
}

function takePlace({ output }: ScanOrder, world: World): ReportFile | undefined | 'none' {
  if (output === undefined) return undefined
  try {
    return world.openReport(output)
  } catch (error) {
    wrongUse(world, [`--output: ${output} cannot be written${codeOf(error)}.`])
    return 'none'
  }
}

function sourceOf({ connection }: ScanOrder, world: World): ScanSource {
  return connection.to === 'server'
    ? createServerSource(connection.url, world)
    : createServiceSource(connection, world)
}

function askedOf({ connection }: ScanOrder, { who }: ScanSource): Asked {
  const credential = connection.to === 'service' ? connection.credential?.setting : undefined
  return { who, credential, isServer: connection.to === 'server' }
}

function wrongUse(world: World, mistakes: readonly string[]): 2 {
  for (const mistake of mistakes) world.say(terminalLine(mistake))
  world.say('See sightline --help.')
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
