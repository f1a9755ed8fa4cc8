import { csvPieces } from '../../../policy/export-csv.ts'
import { jsonPieces } from '../../../policy/export-json.ts'
import { junitPieces } from '../../../policy/export-junit.ts'
import { markdownPieces } from '../../../policy/export-markdown.ts'
import { sarifPieces } from '../../../policy/export-sarif.ts'
import type { ScanReport } from '../../../policy/scan-report.ts'

/** A form in which a report can be taken along. */
export interface ExportForm {
  readonly name: string
  readonly use: string
  readonly ending: string
  readonly type: string
  /** Its text in pieces, each of which is short work. */
  readonly write: (report: ScanReport) => Iterable<string>
}

/** All of them, the most used first. */
export const exportForms: readonly ExportForm[] = [
  {
    name: 'Markdown',
    use: 'for a ticket',
    ending: 'md',
    type: 'text/markdown;charset=utf-8',
    write: markdownPieces,
  },
  {
    name: 'CSV',
    use: 'for spreadsheets',
    ending: 'csv',
    type: 'text/csv;charset=utf-8',
    write: markedCsv,
  },
  {
    name: 'SARIF 2.1.0',
    use: 'for code scanning',
    ending: 'sarif',
    type: 'application/sarif+json',
    write: sarifPieces,
  },
  {
    name: 'JUnit XML',
    use: 'for CI servers',
    ending: 'xml',
    type: 'application/xml',
    write: junitPieces,
  },
  {
    name: 'JSON',
    use: 'for programs, with all details',
    ending: 'json',
    type: 'application/json',
    write: jsonPieces,
  },
]

/** What its file is called: letters, digits and marks that every file system takes. */
export function exportFileName({ purl, scan }: ScanReport, ending: string): string {
  const name = `policy-scan-${scan}-${purl.replace(/^pkg:/, '')}`
  return `${name.replace(/[^\w.-]+/g, '-').slice(0, 120)}.${ending}`
}

/** Spreadsheets take it for the encoding of their region, unless it begins with this mark. */
function* markedCsv(report: ScanReport): Generator<string, void, undefined> {
  yield '\uFEFF'
  yield* csvPieces(report)
}
