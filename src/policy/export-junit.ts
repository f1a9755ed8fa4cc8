import type { PolicyGroup } from './policy-group.ts'
import type { Waiver } from '../protocol/waiver.ts'
import {
  packageName,
  reportFacts,
  type ScanReport,
  waivedPolicies,
  waiverOf,
  waiverText,
} from './scan-report.ts'
import { detailsText } from './result-details.ts'

/**
 * The report as JUnit XML: a suite for the scan, a case for each policy. Unsatisfied is a failure,
 * a status not known here an error, not applicable is skipped. A waived failure stays a failure, whose
 * message begins with the waiver, unless waivers are accepted: it is skipped then. The suite has a property for each. An answer that was not whole
 * is an error of its own: readers of JUnit look at nothing but cases.
 */
export function exportJunit(report: ScanReport): string {
  return [...junitPieces(report)].join('')
}

/** As `exportJunit`, in pieces that are short work each. */
export function* junitPieces(report: ScanReport): Generator<string, void, undefined> {
  const { counts } = report.verdict
  const accepted = report.acceptsWaivers === true ? waivedPolicies(report).length : 0
  const missing = report.caveats.length === 0 ? 0 : 1
  const suite = attributes({
    name: `policy scan ${report.scan}: ${packageName(report)}`,
    tests: report.groups.length + missing,
    failures: counts.unsatisfied - accepted,
    errors: counts.unknown + missing,
    skipped: counts['not-applicable'] + accepted,
    time: 0,
    timestamp: new Date(report.evaluatedAt).toISOString().slice(0, 19),
    hostname: 'sightline',
    id: 0,
    package: 'policy-scans',
  })
  const notes = report.caveats.length === 0 ? '' : escaped(report.caveats.join('\n'))
  yield `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite${suite}>
    <properties>
      <property${attributes({ name: 'package', value: report.purl })}/>
${reportFacts(report)
  .map(([name, value]) => property(name, value))
  .join('')}${waivedPolicies(report).map(waiverProperty).join('')}    </properties>
`
  for (const group of report.groups) yield* testCase(report, group)
  yield `${caveatCase(report)}    <system-out/>
    <system-err>${notes}</system-err>
  </testsuite>
</testsuites>
`
}

function caveatCase({ caveats }: ScanReport): string {
  if (caveats.length === 0) return ''
  const head = attributes({ name: 'the evidence is complete', classname: 'evaluation', time: 0 })
  const message = attributes({ message: caveats.join(' '), type: 'undecided' })
  return `    <testcase${head}><error${message}/></testcase>\n`
}

function* testCase(report: ScanReport, group: PolicyGroup): Generator<string, void, undefined> {
  const head = `    <testcase${attributes({
    name: group.name,
    classname: group.kind === '' ? 'policy' : group.kind,
    time: 0,
  })}`
  switch (group.status) {
    case 'satisfied':
      yield `${head}/>\n`
      return
    case 'not-applicable':
      yield `${head}><skipped/></testcase>\n`
      return
    case 'unsatisfied': {
      const waiver = waiverOf(report, group)
      if (waiver !== undefined && report.acceptsWaivers === true) {
        yield `${head}><skipped>${escaped(`${waiverText(waiver)}: ${waiver.reason}`)}</skipped></testcase>\n`
        return
      }
      yield `${head}><failure`
      yield* testCases(group, waiver)
      yield '</failure></testcase>\n'
      return
    }
    case 'unknown':
      yield `${head}><error`
      yield* testCases(group, undefined)
      yield '</error></testcase>\n'
  }
}

function property(name: string, value: string): string {
  return `      <property${attributes({ name, value })}/>\n`
}

/** The schemas of JUnit know properties of a suite, but none of a case. */
function waiverProperty({ group, waiver }: ReturnType<typeof waivedPolicies>[number]): string {
  const value = `${waiverText(waiver)}: ${waiver.reason}`
  return property(`waiver of ${group.key}`, value)
}

function* testCases(
  group: PolicyGroup,
  waiver: Waiver | undefined,
): Generator<string, void, undefined> {
  const mark = waiver === undefined ? '' : `[${waiverText(waiver)}: ${waiver.reason}] `
  const message = `${mark}${group.passed} of ${group.evaluated} attestations pass: ${group.description}`
  yield `${attributes({ message, type: group.status })}>`
  let isFirst = true
  for (const { status, statusText, details } of group.results) {
    if (status !== group.status) continue
    yield `${isFirst ? '' : '\n'}${escaped(`${statusText} ${detailsText(details)}`.trim())}`
    isFirst = false
  }
  if (group.remediation !== '') yield `\n\n${escaped(group.remediation)}`
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(String(value)).replace(/[\t\n\r]/g, ' ')}"`)
    .join('')
}

/** XML 1.0 has no control characters at all, not even escaped ones, and no lone surrogates. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`)
}
