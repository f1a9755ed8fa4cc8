import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { csvPieces, exportJson, exportMarkdown, jsonPieces, markdownPieces } from './exports.ts'
import { exportJunit, junitPieces } from './export-junit.ts'
import { exportSarif, sarifPieces } from './export-sarif.ts'
import { groupByPolicy } from './policy-group.ts'
import { policyResult } from './policy-result.test-support.ts'
import { hostileReport, waivedReport } from './scan-report.test-support.ts'
import { type ScanReport, utcText } from './scan-report.ts'

function exportCsv(report: ScanReport): string {
  return [...csvPieces(report)].join('')
}

test('CSV has a line for each result, and no cell runs as a formula', () => {
  const [header, ...lines] = exportCsv(hostileReport()).split('\r\n')
  expect(header).toBe(
    'package,scan,policy,kind,status,description,remediation,details,labels,attestation,source,waived until,waived by,waiver reason,sha256,repository,evaluated at,verdict,caveats,run,run address,evaluated by,decision,as of',
  )
  expect(lines).toHaveLength(5)
  expect(lines[1]).toContain(',UNSATISFIED,"\'=HYPERLINK(""http://x"")')
  expect(lines[1]).toContain('severity=high; a/b=c')
})

test('each CSV line names its artifact and run, and says that the run is incomplete', () => {
  const report = hostileReport({ caveats: ['Incomplete response after 4 results.'] })
  const { sha256, repositoryUrl } = report
  const [, ...lines] = exportCsv(report).trimEnd().split('\r\n')
  for (const line of lines) {
    expect(line).toContain(`,${sha256},${repositoryUrl},2026-11-20T09:30:00.000Z,`)
    expect(line).toMatch(/Not releasable: 1 of 4 .*Incomplete response after 4 results\.,,,,,$/)
  }
  const none = exportCsv(hostileReport({ groups: [], caveats: ['Canceled after 0 results.'] }))
  expect(none.trimEnd().split('\r\n')).toHaveLength(2)
  expect(none).toContain('Canceled after 0 results.')
})

test('JSON holds the verdict and each result as it was read', () => {
  const written = JSON.parse(exportJson(hostileReport({ caveats: ['It broke off.'] }))) as unknown
  expect(written).toMatchObject({
    scan: 'release',
    evaluatedAt: '2026-11-20T09:30:00.000Z',
    verdict: 'not-releasable',
    counts: { satisfied: 1, unsatisfied: 1, 'not-applicable': 1, unknown: 1 },
    caveats: ['It broke off.'],
    policies: [
      {},
      { results: [{ details: { vulnerablePackage: 'pkg:maven/log4j@2.14.1' } }] },
      {},
      {},
    ],
  })
})

test('Markdown has the verdict, all policies, and what to do where one failed', () => {
  const written = exportMarkdown(hostileReport({ caveats: ['Incomplete response.'] }))
  expect(written.split('\n').slice(0, 5)).toEqual([
    '## Policy scan release: pkg:oci/checkout@2.4.0',
    '',
    '**Not releasable: 1 of 4 policies unsatisfied, 1 with an unknown status, 1 not applicable.**',
    '',
    '> Incomplete response.',
  ])
  expect(written).toContain('| ✕ unsatisfied | log4j | PackageUrl | 0 of 1 |')
  expect(written).toContain('> Upgrade.\n> \n> &lt;img src=x onerror=alert(1)>')
  expect(written).toContain('- UNSATISFIED: `pkg:maven/log4j@2.14.1` (attestation `/packages/')
  expect(written).toContain('- deferred: `` {"deep":[1,{"k":"`"}]} ``')
  expect(written).not.toContain('### ✓')
})

test('in Markdown, words of a service stay within their line, however odd they are', () => {
  const odd = {
    status: 'unknown',
    statusText: 'new\n\n# Approved <b>',
    details: { message: '`a'.repeat(200_000) },
  } as const
  const written = exportMarkdown(hostileReport({ groups: groupByPolicy([policyResult(odd)]) }))
  expect(written).toContain('\n- new # Approved \\<b\\>: `` `a')
})

test('a policy with many results is written in many pieces, none of them long', () => {
  const results = Array.from({ length: 3000 }, (_, index) =>
    policyResult({ status: 'unsatisfied', details: { message: `found ${index}` } }),
  )
  const report = hostileReport({ groups: groupByPolicy(results) })
  for (const write of [csvPieces, jsonPieces, junitPieces, markdownPieces, sarifPieces]) {
    const pieces = [...write(report)]
    expect(pieces.length).toBeGreaterThan(3000)
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(2000)
  }
})

test('JSON says of details that are nested too deeply to be written that they are', () => {
  const depth = 100_000
  const details: unknown = JSON.parse(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`)
  const groups = groupByPolicy([policyResult({ details })])
  expect(exportJson(hostileReport({ groups }))).toContain('"Nested too deeply to be written."')
})

test('JSON and SARIF are indented as JSON.stringify does it', () => {
  const empty = hostileReport({ groups: [] })
  for (const report of [hostileReport(), waivedReport(), empty]) {
    for (const write of [exportJson, exportSarif]) {
      const written: unknown = JSON.parse(write(report))
      expect(write(report)).toBe(`${JSON.stringify(written, null, 2)}\n`)
    }
  }
})

test('JUnit has a case for each policy, and nothing breaks out of it', () => {
  const written = exportJunit(hostileReport({ caveats: ['a < b'] }))
  expect(written).toContain('tests="5" failures="1" errors="2" skipped="1"')
  expect(written).toContain('timestamp="2026-11-20T09:30:00"')
  expect(written.match(/<testcase /g)).toHaveLength(5)
  expect(written.match(/<\/testcase>/g)).toHaveLength(4)
  expect(written).toContain('<error message="a &#60; b" type="undecided"/>')
  expect(written).toContain('&#60;/testcase&#62;')
  expect(written).toContain('<system-err>a &#60; b</system-err>')
  expect(written).not.toContain('\u0000')
})

const Sarif = z.strictObject({
  $schema: z.url(),
  version: z.literal('2.1.0'),
  runs: z.tuple([
    z.looseObject({
      tool: z.strictObject({
        driver: z.strictObject({
          name: z.string(),
          rules: z.array(z.looseObject({ id: z.string() })),
        }),
      }),
      invocations: z.array(z.looseObject({ executionSuccessful: z.boolean() })),
      results: z.array(
        z.looseObject({
          ruleId: z.string(),
          ruleIndex: z.number(),
          kind: z.string(),
          level: z.string(),
          message: z.strictObject({ text: z.string() }),
        }),
      ),
    }),
  ]),
})

// Code scanning takes every result for an alert, whatever its kind.
test('SARIF has a rule for each policy and a result for each evaluation that did not pass', () => {
  const [run] = Sarif.parse(JSON.parse(exportSarif(hostileReport()))).runs
  expect(run.results.map(({ kind, level }) => [kind, level])).toEqual([
    ['fail', 'error'],
    ['review', 'none'],
  ])
  for (const { ruleId, ruleIndex } of run.results) {
    expect(run.tool.driver.rules[ruleIndex]?.id).toBe(ruleId)
  }
  expect(run.invocations[0]?.executionSuccessful).toBe(true)
})

test('SARIF says where the answer was not whole', () => {
  const [run] = Sarif.parse(JSON.parse(exportSarif(hostileReport({ caveats: ['cut'] })))).runs
  expect(run.invocations).toMatchObject([
    { executionSuccessful: false, toolExecutionNotifications: [{ message: { text: 'cut' } }] },
  ])
  expect(run.results[0]).toMatchObject({
    ruleId: 'sightline/complete-evidence',
    kind: 'fail',
    level: 'error',
  })
})

describe('a waiver is shown in every form, beside what the service said', () => {
  test('in CSV, on the results that fail only', () => {
    const [, passing, failing] = exportCsv(waivedReport()).split('\r\n')
    expect(failing).toContain(',UNSATISFIED,')
    expect(failing).toContain(',2026-12-04T09:30:00.000Z,alice,"\'=1+1 ""known""')
    expect(passing).toMatch(/,,,,[0-9a-f]{64},/)
  })

  test('in JSON, where the verdict stays that of the service', () => {
    expect(JSON.parse(exportJson(waivedReport()))).toMatchObject({
      verdict: 'not-releasable',
      verdictWithWaivers: 'undecided',
      waivers: [{ person: 'alice', by: 'bob', expiresAt: '2026-12-04T09:30:00.000Z' }],
    })
    expect(exportJson(hostileReport())).not.toContain('waive')
  })

  test('in JUnit, where a waived failure stays a failure', () => {
    const written = exportJunit(waivedReport())
    expect(written).toContain('failures="1"')
    expect(written).toContain(
      '<failure message="[waived until Dec 4, 2026, 09:30 UTC by alice: =1+1 &#34;known&#34; | ]]&#62;',
    )
    expect(written).toContain(
      '<property name="waiver of /policies/PackageUrl/log4j" value="waived until Dec 4, 2026, 09:30 UTC by alice: =1+1',
    )
    expect(exportJunit(hostileReport())).not.toContain('waive')
  })

  test('in Markdown, in the sentence, the table and a part of its own', () => {
    const written = exportMarkdown(waivedReport())
    expect(written).toContain(
      'with 1 waiver until Dec 4, 2026, 09:30 UTC: the policy service reports 1 of 4',
    )
    expect(written).toContain(
      '| ✕ unsatisfied, waived until Dec 4, 2026, 09:30 UTC by alice | log4j',
    )
    expect(written).toContain(
      '- log4j: waived until Dec 4, 2026, 09:30 UTC by alice. Reason: =1+1 "known" | \\]\\]\\> \\<b\\>not',
    )
    expect(exportMarkdown(hostileReport())).not.toContain('aive')
  })

  test('in SARIF as a suppression of the failure; the others say that nothing suppresses them', () => {
    const [run] = Sarif.parse(JSON.parse(exportSarif(waivedReport()))).runs
    expect(run.results.map(({ suppressions }) => suppressions)).toMatchObject([
      [
        {
          kind: 'external',
          status: 'accepted',
          properties: { expiresAt: '2026-12-04T09:30:00.000Z', person: 'alice' },
        },
      ],
      [],
    ])
    expect(run.results[0]).toMatchObject({ kind: 'fail', level: 'error' })
    expect(exportSarif(hostileReport())).not.toContain('suppressions')
  })
})

test('a time for any reader names its day, its year and UTC', () => {
  expect(utcText(Date.UTC(2026, 11, 4, 9, 30, 59))).toBe('Dec 4, 2026, 09:30 UTC')
  expect(utcText(Date.UTC(2026, 0, 31))).toBe('Jan 31, 2026, 00:00 UTC')
})
