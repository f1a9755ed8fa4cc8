import { type BuildReport, reportMarkdown, reportText } from '../facts/build-report.ts'
import { textHash } from '../policy/board.ts'
import { exportJunit } from '../policy/export-junit.ts'
import { exportJson, exportMarkdown } from '../policy/exports.ts'
import { exportSarif, packageFile } from '../policy/export-sarif.ts'
import type { PolicyGroup } from '../policy/policy-group.ts'
import { detailsText } from '../policy/result-details.ts'
import {
  packageName,
  reportFacts,
  reportSentence,
  type ScanReport,
  utcText,
  waiverOf,
  waiverText,
} from '../policy/scan-report.ts'
import { verdictSentence } from '../policy/verdict.ts'
import { inline } from '../protocol/untrusted-text.ts'
import type { PolicyStatus } from '../protocol/policy-result.ts'
import type { ServerConnection } from './connection.ts'
import { durationWords } from './duration.ts'
import { terminalLine } from './without-secrets.ts'

/**
 * Writes the reports of one run as one text. `isColoured` counts for terminals only; `overall` is the
 * sentence of a board, where people read it first.
 */
export type WriteReports = (
  reports: readonly ScanReport[],
  isColoured: boolean,
  overall: string | undefined,
) => string

/** Every format, by the name that people give it. One report is written as the page writes it. */
export const reportFormats = {
  text: (reports, isColoured, overall) =>
    overall === undefined
      ? reports.map((report) => exportText(report, isColoured)).join('\n')
      : boardText(reports, isColoured, overall),
  markdown: (reports, _, overall) =>
    [
      ...(overall === undefined ? [] : [`# ${inline(overall)}\n`]),
      ...reports.map(exportMarkdown),
    ].join('\n'),
  sarif: (reports) => exportSarif(...reports),
  junit: (reports) => oneOrJoined(reports.map(exportJunit), joinedJunit),
  codequality: exportCodeQuality,
  // A board may come to one report: what reads its list must not break on that day.
  json: (reports, _, overall) =>
    overall === undefined
      ? oneOrJoined(reports.map(exportJson), joinedJson)
      : joinedJson(reports.map(exportJson)),
} as const satisfies Readonly<Record<string, WriteReports>>
export type ReportFormat = keyof typeof reportFormats

/** Whether there is a format of this name. */
export function isReportFormat(name: string): name is ReportFormat {
  return Object.hasOwn(reportFormats, name)
}

function oneOrJoined(
  texts: readonly string[],
  joined: (texts: readonly string[]) => string,
): string {
  const [only, ...more] = texts
  return only !== undefined && more.length === 0 ? only : joined(texts)
}

/** One document with the suite of each; ids of suites count up. */
function joinedJunit(texts: readonly string[]): string {
  const suites = texts.map((text, index) => {
    const from = text.indexOf('  <testsuite ')
    const to = text.lastIndexOf('</testsuites>')
    return text.slice(from, to).replace(' id="0"', ` id="${index}"`)
  })
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('')}</testsuites>\n`
}

function joinedJson(texts: readonly string[]): string {
  return json(texts.map((text) => JSON.parse(text) as unknown))
}

/**
 * A code quality report of GitLab (https://docs.gitlab.com/ci/testing/code_quality/): a finding for each
 * policy that did not pass, and one for evidence that is not complete.
 */
function exportCodeQuality(reports: readonly ScanReport[]): string {
  const finding = (report: ScanReport, name: string, description: string, severity: string) => ({
    description,
    check_name: name,
    fingerprint: textHash(`${report.scan} ${packageName(report)} ${name}`),
    severity,
    location: { path: packageFile(report.purl), lines: { begin: 1 } },
  })
  return json(
    reports.flatMap((report) => [
      ...(report.caveats.length === 0
        ? []
        : [
            finding(
              report,
              'complete-evidence',
              `${packageName(report)}, ${report.scan}: ${report.caveats.join(' ')}`,
              'blocker',
            ),
          ]),
      ...report.groups
        .filter(({ status }) => status === 'unsatisfied' || status === 'unknown')
        .map((group) => {
          const waiver = waiverOf(report, group)
          const waived = waiver === undefined ? '' : ` (${waiverText(waiver)}: ${waiver.reason})`
          const text = `${packageName(report)}, ${report.scan}: ${group.name} ${group.status}. ${group.description}${waived}`
          return finding(
            report,
            group.key,
            text,
            group.status === 'unsatisfied' ? 'major' : 'minor',
          )
        }),
    ]),
  )
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

const marks: Readonly<Record<PolicyStatus, { readonly mark: string; readonly colour: string }>> = {
  satisfied: { mark: '✓', colour: '32' },
  unsatisfied: { mark: '✕', colour: '31' },
  unknown: { mark: '◌', colour: '35' },
  'not-applicable': { mark: '–', colour: '2' },
}

/** The report of a board for a terminal: what passes has a line each, below all that keeps it from being released. */
function boardText(reports: readonly ScanReport[], isColoured: boolean, overall: string): string {
  const passes = ({ verdict, caveats }: ScanReport): boolean =>
    verdict.verdict === 'releasable' && caveats.length === 0
  const { mark, colour } = marks.satisfied
  const lines = reports.filter(passes).map((report) => {
    const name = terminalLine(`${packageName(report)} ${report.scan}`)
    return `${painted(colour, mark, isColoured)} ${name}: ${verdictSentence(report.verdict)}`
  })
  return [
    `${overall}\n`,
    ...reports.filter((report) => !passes(report)).map((report) => exportText(report, isColoured)),
    ...(lines.length === 0 ? [] : [`${lines.join('\n')}\n`]),
  ].join('\n')
}

function painted(colour: string, text: string, isColoured: boolean): string {
  return isColoured ? `\u001b[${colour}m${text}\u001b[0m` : text
}

/** Failures are told in full, so that the log of a pipeline is all that is needed. */
const longestFindings = 20

/**
 * The report for a terminal: the verdict, a line for each policy, and under those that
 * fail what was found and what to do. A line of a server's text begins with a mark of ours, as
 * pipelines take lines that begin with certain words for orders.
 */
export function exportText(report: ScanReport, isColoured: boolean): string {
  const paint = (colour: string, text: string): string => painted(colour, text, isColoured)
  const sentence = reportSentence(report)
  const width = Math.max(0, ...report.groups.map((group) => nameOf(group).length))
  const lines = report.groups.flatMap((group) => {
    const { mark, colour } = marks[group.status]
    const waiver = waiverOf(report, group)
    const head = [
      `  ${paint(colour, `${mark} ${group.status.padEnd(14)}`)} ${nameOf(group).padEnd(width)}`,
      ...(group.evaluated === 0 ? [] : [`${group.passed} of ${group.evaluated}`]),
      ...(waiver === undefined ? [] : [terminalLine(`${waiverText(waiver)}: ${waiver.reason}`)]),
    ].join('  ')
    const isTold = group.status === 'unsatisfied' || group.status === 'unknown'
    return [head, ...(isTold ? findings(group) : [])]
  })
  return [
    paint('1', sentence),
    `${terminalLine(report.purl)}, policy scan ${terminalLine(report.scan)}, ${utcText(report.evaluatedAt)}`,
    // The verdict and the time stand above.
    ...reportFacts(report)
      .slice(2)
      .map(([name, text]) => `${name}: ${terminalLine(text)}`),
    ...report.caveats.map((caveat) => `! ${terminalLine(caveat)}`),
    ...(lines.length === 0 ? [] : ['', ...lines]),
    '',
  ].join('\n')
}

function nameOf({ kind, name }: PolicyGroup): string {
  return terminalLine(kind === '' ? name : `${kind}/${name}`)
}

function findings({ results, status, description, remediation }: PolicyGroup): string[] {
  const found = new Set(
    results
      .filter((result) => result.status === status)
      .map(({ details, statusText }) => detailsText(details) || statusText),
  )
  const told = [...found].slice(0, longestFindings)
  const left = found.size - told.length
  return [
    ...(description === '' ? [] : [description]),
    ...told.map((text) => `found: ${text}`),
    ...(left > 0 ? [`and ${left} more`] : []),
    ...(remediation === '' ? [] : remediation.split(/\r?\n/).map((line) => `fix: ${line}`)),
  ].map((line) => `      | ${terminalLine(line)}`)
}

/** A report of a build, and where it goes. */
export interface BuildCommand {
  readonly buildId: string
  readonly connection: ServerConnection
  readonly format: BuildFormat
  /** A file; standard output where it is left out. */
  readonly output: string | undefined
  /** How long the server may take, with all attempts while it is busy or still stores the build, ms. */
  readonly timeoutMs: number
}

/** How a report of a build can be written. */
export const buildFormats = {
  text: (report) => reportText(report, durationWords, terminalLine),
  markdown: (report) => reportMarkdown(report, durationWords),
  json: (report) => `${JSON.stringify(withoutMarkdown(report), null, 2)}\n`,
} as const satisfies Readonly<Record<string, (report: BuildReport) => string>>
type BuildFormat = keyof typeof buildFormats

/** Whether there is a format of this name. */
export function isBuildFormat(name: string): name is BuildFormat {
  return Object.hasOwn(buildFormats, name)
}

/** The same sentence twice is no use to a script. */
function withoutMarkdown(report: BuildReport): object {
  if (report.origin === null) return report
  const { summaryMarkdown: _, ...origin } = report.origin
  return { ...report, origin }
}
