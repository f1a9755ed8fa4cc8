import { z } from 'zod'
import { exportJson } from '../policy/export-json.ts'
import { exportJunit } from '../policy/export-junit.ts'
import { exportMarkdown } from '../policy/export-markdown.ts'
import { exportSarif } from '../policy/export-sarif.ts'
import type { ScanReport } from '../policy/scan-report.ts'
import { exportText } from './report-text.ts'

/** Writes the reports of one run as one text. `isColoured` counts for terminals only. */
export type WriteReports = (reports: readonly ScanReport[], isColoured: boolean) => string

/** Every format, by the name that people give it. One report is written as the page writes it. */
export const reportFormats = {
  text: (reports, isColoured) => reports.map((report) => exportText(report, isColoured)).join('\n'),
  markdown: (reports) => reports.map(exportMarkdown).join('\n'),
  sarif: (reports) => oneOrJoined(reports.map(exportSarif), joinedSarif),
  junit: (reports) => oneOrJoined(reports.map(exportJunit), joinedJunit),
  json: (reports) => oneOrJoined(reports.map(exportJson), joinedJson),
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

const SarifLog = z.looseObject({ runs: z.array(z.unknown()) })

/** One log with the run of each. */
function joinedSarif(texts: readonly string[]): string {
  const logs = texts.map((text) => SarifLog.parse(JSON.parse(text)))
  return json({ ...logs[0], runs: logs.flatMap(({ runs }) => runs) })
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

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
