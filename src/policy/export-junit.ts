import type { PolicyGroup } from './policy-group.ts'
import { detailsText } from './result-details.ts'
import type { ScanReport } from './scan-report.ts'

/**
 * The report as JUnit XML: a suite for the scan, a case for each policy. Unsatisfied is a failure,
 * a status not known here an error, not applicable is skipped.
 */
export function exportJunit(report: ScanReport): string {
  const { counts } = report.verdict
  const suite = attributes({
    name: `policy scan ${report.scan}: ${report.purl}`,
    tests: report.groups.length,
    failures: counts.unsatisfied,
    errors: counts.unknown,
    skipped: counts['not-applicable'],
    time: 0,
    timestamp: new Date(report.evaluatedAt).toISOString().slice(0, 19),
    hostname: 'sightline',
    id: 0,
    package: 'policy-scans',
  })
  const cases = report.groups.map((group) => testCase(group))
  const notes = report.caveats.length === 0 ? '' : escaped(report.caveats.join('\n'))
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite${suite}>
    <properties>
      <property${attributes({ name: 'package', value: report.purl })}/>
      <property${attributes({ name: 'sha256', value: report.sha256 })}/>
    </properties>
${cases.join('')}    <system-out/>
    <system-err>${notes}</system-err>
  </testsuite>
</testsuites>
`
}

function testCase(group: PolicyGroup): string {
  const head = `    <testcase${attributes({
    name: group.name,
    classname: group.kind === '' ? 'policy' : group.kind,
    time: 0,
  })}`
  switch (group.status) {
    case 'satisfied':
      return `${head}/>\n`
    case 'not-applicable':
      return `${head}><skipped/></testcase>\n`
    case 'unsatisfied':
      return `${head}><failure${told(group)}</failure></testcase>\n`
    case 'unknown':
      return `${head}><error${told(group)}</error></testcase>\n`
  }
}

function told(group: PolicyGroup): string {
  const message = `${group.passed} of ${group.evaluated} attestations pass: ${group.description}`
  const found = group.results
    .filter(({ status }) => status === group.status)
    .map((result) => `${result.statusText} ${detailsText(result.details)}`.trim())
  const text = [...found, ...(group.remediation === '' ? [] : ['', group.remediation])].join('\n')
  return `${attributes({ message, type: group.status })}>${escaped(text)}`
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
