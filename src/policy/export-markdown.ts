import { cellText, code, inline } from '../protocol/markdown.ts'
import type { PolicyGroup } from './policy-group.ts'
import {
  reportFacts,
  reportSentence,
  type ScanReport,
  waivedPolicies,
  waiverOf,
  waiverText,
} from './scan-report.ts'
import { detailsText } from './result-details.ts'

const marks = { satisfied: '✓', unsatisfied: '✕', 'not-applicable': '–', unknown: '◌' }

/** The report for a ticket: the verdict, a table of all policies, then what to do for each failing. */
export function exportMarkdown(report: ScanReport): string {
  return [...markdownPieces(report)].join('')
}

/** As `exportMarkdown`, in pieces that are short work each. */
export function* markdownPieces(report: ScanReport): Generator<string, void, undefined> {
  yield [
    `## Policy scan ${inline(report.scan)}: ${inline(report.purl)}`,
    `**${inline(reportSentence(report))}**`,
    ...report.caveats.map((caveat) => `> ${inline(caveat)}`),
    facts(report),
    table(report),
    ...waiverSection(report),
  ].join('\n\n')
  for (const group of report.groups) {
    if (group.status === 'unsatisfied' || group.status === 'unknown') yield* section(group)
  }
  yield '\n'
}

/** The verdict stands above; a digest or an address is to be copied. */
function facts(report: ScanReport): string {
  return reportFacts(report)
    .slice(1)
    .map(([name, text]) => `- ${name}: ${isCopied.has(name) ? code(text) : inline(text)}`)
    .join('\n')
}

const isCopied: ReadonlySet<string> = new Set(['sha256', 'repository', 'run', 'run address'])

function table(report: ScanReport): string {
  const rows = report.groups.map((group) => {
    const { status, name, kind, passed, evaluated } = group
    const waiver = waiverOf(report, group)
    const waived = waiver === undefined ? '' : `, ${cellText(waiverText(waiver))}`
    return `| ${marks[status]} ${status}${waived} | ${cellText(name)} | ${cellText(kind)} | ${passed} of ${evaluated} |`
  })
  return ['| Status | Policy | Kind | Attestations |', '| --- | --- | --- | --- |', ...rows].join(
    '\n',
  )
}

function waiverSection(report: ScanReport): readonly string[] {
  const lines = waivedPolicies(report).map(
    ({ group, waiver }) =>
      `- ${inline(group.name)}: ${inline(waiverText(waiver))}. Reason: ${inline(waiver.reason)}`,
  )
  return lines.length === 0 ? [] : ['### Waived', lines.join('\n')]
}

function* section(group: PolicyGroup): Generator<string, void, undefined> {
  yield [
    '',
    `### ${marks[group.status]} ${inline(group.name)}`,
    ...(group.description === '' ? [] : [inline(group.description)]),
    ...(group.remediation === '' ? [] : [`How to fix:\n\n${quoted(group.remediation)}`]),
    '',
  ].join('\n\n')
  let isFirst = true
  for (const { status, statusText, details, attestationUri } of group.results) {
    if (status === 'satisfied') continue
    const text = detailsText(details)
    yield `${isFirst ? '' : '\n'}- ${inline(statusText)}${text && `: ${code(text)}`}${attestationUri === null ? '' : ` (attestation ${code(attestationUri)})`}`
    isFirst = false
  }
}

/** The server's own Markdown is quoted line by line, so that it cannot pass for the report. */
function quoted(markdown: string): string {
  return markdown
    .split(/\r?\n/)
    .map((line) => `> ${line.replaceAll('<', '&lt;')}`)
    .join('\n')
}
