import { exportMarkdown } from '../policy/exports.ts'
import { packageName, type ScanReport } from '../policy/scan-report.ts'
import { countOf } from '../protocol/count.ts'
import { inline } from '../protocol/untrusted-text.ts'
import type { ScanExit, ScanOutcome } from './scan-outcome.ts'
import type { Subject } from './subject.ts'

/** What came of one package and scan. */
export interface Judged {
  readonly subject: Subject
  readonly outcome: ScanOutcome
}

/** A known failure counts more than what is not known: it does not change by asking again. */
export function exitOf(judged: readonly Judged[]): ScanExit {
  const exits = judged.map(({ outcome }) => outcome.exit)
  return exits.includes(1) ? 1 : exits.includes(3) ? 3 : 0
}

/** Failures first, then what is inconclusive; those alike in the order of the board. */
export function failuresFirst(judged: readonly Judged[]): readonly Judged[] {
  const order: readonly ScanExit[] = [1, 3, 0]
  return [...judged].sort((a, b) => order.indexOf(a.outcome.exit) - order.indexOf(b.outcome.exit))
}

/**
 * A board in one sentence, by packages: "Not releasable: 2 of 12 packages fail, 1 inconclusive." A
 * package is as bad as the worst of its scans, and is another one in another repository, as on the board's page.
 */
export function boardSentence(judged: readonly Judged[]): string {
  const worst = new Map<string, ScanExit>()
  for (const { subject, outcome } of failuresFirst(judged)) {
    const { purl, sha256, repositoryUrl } = subject
    const key = JSON.stringify([purl, sha256, repositoryUrl])
    if (!worst.has(key)) worst.set(key, outcome.exit)
  }
  const count = (exit: ScanExit): number => [...worst.values()].filter((one) => one === exit).length
  const all = countOf(worst.size, 'package')
  const [fails, unclear] = [count(1), count(3)]
  const inconclusive = unclear === 0 ? '' : `, ${unclear} inconclusive`
  if (fails > 0) {
    return `Not releasable: ${fails} of ${all} ${fails === 1 ? 'fails' : 'fail'}${inconclusive}.`
  }
  if (unclear > 0) return `Inconclusive: ${unclear} of ${all} couldn't be decided, none fails.`
  return worst.size === 1 ? `Releasable: ${all} passes.` : `Releasable: all ${all} pass.`
}

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
  const heading = [
    `## ${marks[exitOf(judged)]} ${inline(sentence)}`,
    '',
    '| | Package | Scan | Result | Run |',
    '| --- | --- | --- | --- | --- |',
  ]
  let room = mostBytes - Buffer.byteLength(heading.join('\n'))
  const isFitting = (text: string): boolean => (room -= Buffer.byteLength(text) + 2) >= 0
  const rows = sorted.map((one) => tableLine(one, reportOf(one))).filter(isFitting)
  const parts = [[...heading, ...rows].join('\n')]
  const reports = sorted.flatMap((one) => (one.outcome.exit === 0 ? [] : (reportOf(one) ?? [])))
  const shown = reports.map((report) => exportMarkdown(report).trimEnd()).filter(isFitting)
  parts.push(...shown)
  const lacking = [
    [sorted.length - rows.length, 'more line'] as const,
    [reports.length - shown.length, 'more report'] as const,
  ].flatMap(([count, noun]) => (count === 0 ? [] : [countOf(count, noun)]))
  if (lacking.length > 0) {
    parts.push(`_No room here for ${lacking.join(' and ')}. Write them to a file with --output._`)
  }
  return `${parts.join('\n\n')}\n`
}

function tableLine({ subject, outcome }: Judged, report: ScanReport | undefined): string {
  const address = report?.record?.address
  const run = address === undefined ? '' : `[${report?.record?.id.slice(-8) ?? 'run'}](${address})`
  const cells = [marks[outcome.exit], packageName(subject), subject.scan, outcome.sentence].map(
    (text) => inline(text).replaceAll('|', '\\|').slice(0, 1000),
  )
  return `| ${[...cells, run].join(' | ')} |`
}
