import { exportMarkdown } from '../policy/export-markdown.ts'
import { inline } from '../protocol/markdown.ts'
import type { ScanReport } from '../policy/scan-report.ts'
import { type Judged, exitOf, failuresFirst } from './board-outcome.ts'

/** GitHub takes 1 MiB for all steps of a job, and drops what is larger as a whole. */
const mostBytes = 900_000

const marks = { 0: '✅', 1: '❌', 3: '⚠️' } as const

/**
 * What people read on the page of a pipeline's job: one sentence, a line for each package and scan with
 * failures first, then the reports of those that did not pass, as far as there is room. Markdown.
 */
export function jobSummary(
  sentence: string,
  judged: readonly Judged[],
  reportOf: (one: Judged) => ScanReport | undefined,
): string {
  const sorted = failuresFirst(judged)
  const parts = [
    `## ${marks[exitOf(judged)]} ${inline(sentence)}`,
    [
      '| | Package | Scan | Result | Run |',
      '| --- | --- | --- | --- | --- |',
      ...sorted.map((one) => tableLine(one, reportOf(one))),
    ].join('\n'),
  ]
  let left = 0
  let bytes = Buffer.byteLength(parts.join('\n\n'))
  for (const one of sorted) {
    const report = one.outcome.exit === 0 ? undefined : reportOf(one)
    if (report === undefined) continue
    const text = exportMarkdown(report).trimEnd()
    bytes += Buffer.byteLength(text) + 2
    if (bytes > mostBytes) left += 1
    else parts.push(text)
  }
  if (left > 0)
    parts.push(`_${left} more reports don't fit here. Write them to a file with --output._`)
  return `${parts.join('\n\n')}\n`
}

function tableLine({ subject, outcome }: Judged, report: ScanReport | undefined): string {
  const address = report?.record?.address
  const run = address === undefined ? '' : `[${report?.record?.id.slice(-8) ?? 'run'}](${address})`
  const cells = [marks[outcome.exit], subject.purl, subject.scan, outcome.sentence].map((text) =>
    inline(text).replaceAll('|', '\\|').slice(0, 1000),
  )
  return `| ${[...cells, run].join(' | ')} |`
}
