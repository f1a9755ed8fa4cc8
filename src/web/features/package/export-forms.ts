import { exportCsv } from '../../../policy/export-csv.ts'
import { exportJson } from '../../../policy/export-json.ts'
import { exportJunit } from '../../../policy/export-junit.ts'
import { exportMarkdown } from '../../../policy/export-markdown.ts'
import { exportSarif } from '../../../policy/export-sarif.ts'
import type { ScanReport } from '../../../policy/scan-report.ts'

/** A form in which a report can be taken along. */
export interface ExportForm {
  readonly name: string
  readonly use: string
  readonly ending: string
  readonly type: string
  readonly write: (report: ScanReport) => string
}

/** All of them, the most used first. */
export const exportForms: readonly ExportForm[] = [
  {
    name: 'Markdown',
    use: 'for a ticket',
    ending: 'md',
    type: 'text/markdown;charset=utf-8',
    write: exportMarkdown,
  },
  {
    name: 'CSV',
    use: 'for spreadsheets',
    ending: 'csv',
    type: 'text/csv;charset=utf-8',
    // Spreadsheets take it for the encoding of their region, unless it begins with this mark.
    write: (report) => `\uFEFF${exportCsv(report)}`,
  },
  {
    name: 'SARIF 2.1.0',
    use: 'for code scanning',
    ending: 'sarif',
    type: 'application/sarif+json',
    write: exportSarif,
  },
  {
    name: 'JUnit XML',
    use: 'for CI servers',
    ending: 'xml',
    type: 'application/xml',
    write: exportJunit,
  },
  {
    name: 'JSON',
    use: 'for programs, with all details',
    ending: 'json',
    type: 'application/json',
    write: exportJson,
  },
]

/** What its file is called: letters, digits and marks that every file system takes. */
export function exportFileName({ purl, scan }: ScanReport, ending: string): string {
  const name = `policy-scan-${scan}-${purl.replace(/^pkg:/, '')}`
  return `${name.replace(/[^\w.-]+/g, '-').slice(0, 120)}.${ending}`
}
