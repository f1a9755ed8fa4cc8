import { cellText, code, csvLine, inline, unseen } from '../protocol/untrusted-text.ts'
import type { PolicyResult } from '../protocol/policy-result.ts'
import type { Waiver } from '../protocol/waiver.ts'
import type { PolicyGroup } from './policy-group.ts'
import {
  packageName,
  reportFacts,
  reportSentence,
  type ScanReport,
  waivedPolicies,
  waiverOf,
  waiverText,
} from './scan-report.ts'
import { detailsText } from './result-details.ts'

const csvHeader =
  'package,scan,policy,kind,status,description,remediation,details,labels,attestation,source,waived until,waived by,waiver reason,sha256,repository,evaluated at,verdict,caveats,run,run address,evaluated by,decision,as of\r\n'

/**
 * One line per result, with a header, after RFC 4180, each as a piece. Ends in a line break. A waiver
 * stands beside the results that fail; their status is what the service said. Each line says of which
 * artifact and run it is, and what keeps the run from being complete: lines are sorted and copied. Where
 * there are no results, one line says so.
 */
export function* csvPieces(report: ScanReport): Generator<string, void, undefined> {
  const { purl, scan, groups, sha256, repositoryUrl, evaluatedAt, caveats, record } = report
  const run = [
    sha256,
    repositoryUrl,
    new Date(evaluatedAt).toISOString(),
    reportSentence(report),
    caveats.join(' '),
    record?.id ?? '',
    record?.address ?? '',
    record?.by ?? '',
    report.decision ?? '',
    report.asOf ?? '',
  ]
  yield csvHeader
  if (groups.length === 0)
    yield csvLine([purl, scan, ...Array.from({ length: 12 }, () => ''), ...run])
  for (const group of groups) {
    const waiver = waiverOf(report, group)
    for (const result of group.results) {
      yield csvLine([
        purl,
        scan,
        group.name,
        group.kind,
        result.statusText,
        result.description,
        result.status === 'unsatisfied' ? result.remediation : '',
        detailsText(result.details),
        Object.entries(result.labels)
          .map(([name, value]) => `${name}=${value}`)
          .join('; '),
        result.attestationUri ?? '',
        result.sourcedFromUri ?? '',
        ...waiverCells(result.status === 'unsatisfied' ? waiver : undefined),
        ...run,
      ])
    }
  }
}

function waiverCells(waiver: Waiver | undefined): readonly string[] {
  return waiver === undefined
    ? ['', '', '']
    : [new Date(waiver.expiresAt).toISOString(), waiver.person, waiver.reason]
}

const marks = { satisfied: '✓', unsatisfied: '✕', 'not-applicable': '–', unknown: '◌' }

/** The report for a ticket: the verdict, a table of all policies, then what to do for each failing. */
export function exportMarkdown(report: ScanReport): string {
  return [...markdownPieces(report)].join('')
}

/** As `exportMarkdown`, in pieces that are short work each. */
export function* markdownPieces(report: ScanReport): Generator<string, void, undefined> {
  yield [
    `## Policy scan ${inline(report.scan)}: ${inline(packageName(report))}`,
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
    .map((line) => `> ${line.replace(unseen, ' ').replaceAll('<', '&lt;')}`)
    .join('\n')
}

/**
 * The report as indented JSON: the verdict, and each result as it was read. Where it is known what is
 * waived, the verdict that counts waivers and the waivers themselves stand beside what was said.
 */
export function exportJson(report: ScanReport): string {
  return [...jsonPieces(report)].join('')
}

/** As `exportJson`, in pieces that are short work each. */
export function* jsonPieces(report: ScanReport): Generator<string, void, undefined> {
  const { groups, evaluatedAt, verdict, beside, ...rest } = report
  yield* documentPieces({
    head: {
      ...rest,
      evaluatedAt: new Date(evaluatedAt).toISOString(),
      sentence: reportSentence(report),
      verdict: verdict.verdict,
      counts: verdict.counts,
      unchecked: verdict.unchecked,
      ...(beside === undefined
        ? {}
        : {
            verdictWithWaivers: beside.verdict,
            waivers: waivedPolicies(report).map(({ waiver }) => waiverJson(waiver)),
          }),
    },
    list: 'policies',
    items: policies(groups),
  })
  yield '\n'
}

function* policies(groups: readonly PolicyGroup[]): Generator<JsonDocument, void, undefined> {
  for (const { results, ...head } of groups) yield { head, list: 'results', items: texts(results) }
}

function* texts(results: readonly PolicyResult[]): Generator<string, void, undefined> {
  for (const result of results) yield resultText(result)
}

function resultText(result: PolicyResult): string {
  try {
    return JSON.stringify(result, null, 2)
  } catch {
    // Nothing that a policy says is nested so deeply but nonsense.
    return JSON.stringify({ ...result, details: 'Nested too deeply to be written.' }, null, 2)
  }
}

function waiverJson({
  policyUri,
  reason,
  person,
  by,
  createdAt,
  expiresAt,
  carriedFrom,
}: Waiver): object {
  return {
    policyUri,
    reason,
    person,
    by,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
    carriedFrom: carriedFrom ?? null,
  }
}

/** A JSON object whose last member is a long list; its elements are such objects, or JSON texts. */
interface JsonDocument {
  /** The members before the list. */
  readonly head: object
  readonly list: string
  /** Asked for one by one, as all of them at once would take a page's whole attention. */
  readonly items: Iterable<JsonDocument | string>
}

/** The indented text of a document as `JSON.stringify(…, null, 2)` writes it, in pieces. */
export function* documentPieces(
  { head, list, items }: JsonDocument,
  indent = '',
): Generator<string, void, undefined> {
  const inner = `${indent}    `
  const members = JSON.stringify(head, null, 2).slice(0, -1).trimEnd()
  const comma = members === '{' ? '' : ','
  yield `${indented(members, indent)}${comma}\n${indent}  ${JSON.stringify(list)}: [`
  let isFirst = true
  for (const item of items) {
    yield `${isFirst ? '' : ','}\n${inner}`
    isFirst = false
    if (typeof item === 'string') yield indented(item, inner)
    else yield* documentPieces(item, inner)
  }
  yield `${isFirst ? '' : `\n${indent}  `}]\n${indent}}`
}

/** A line break in JSON is never within a text. */
function indented(json: string, indent: string): string {
  return json.replaceAll('\n', `\n${indent}`)
}
