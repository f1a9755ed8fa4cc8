import { expect, test } from 'vitest'
import { z } from 'zod'
import { exportCsv } from './export-csv.ts'
import { exportJson } from './export-json.ts'
import { exportJunit } from './export-junit.ts'
import { exportMarkdown } from './export-markdown.ts'
import { exportSarif } from './export-sarif.ts'
import { hostileReport } from './scan-report.test-support.ts'

test('CSV has a line for each result, and no cell runs as a formula', () => {
  const [header, ...lines] = exportCsv(hostileReport()).split('\r\n')
  expect(header).toBe(
    'package,scan,policy,kind,status,description,remediation,details,labels,attestation,source',
  )
  expect(lines).toHaveLength(5)
  expect(lines[1]).toContain(',UNSATISFIED,"\'=HYPERLINK(""http://x"")')
  expect(lines[1]).toContain('severity=high; a/b=c')
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

test('Markdown tells the verdict, all policies, and what to do where one failed', () => {
  const written = exportMarkdown(hostileReport({ caveats: ['The answer broke off.'] }))
  expect(written.split('\n').slice(0, 5)).toEqual([
    '## Policy scan release: pkg:oci/checkout@2.4.0',
    '',
    '**Not releasable: 1 of 4 policies unsatisfied, 1 in a way not known here, 1 not applicable.**',
    '',
    '> The answer broke off.',
  ])
  expect(written).toContain('| ✕ unsatisfied | log4j | PackageUrl | 0 of 1 |')
  expect(written).toContain('> Upgrade.\n> \n> &lt;img src=x onerror=alert(1)>')
  expect(written).toContain('- UNSATISFIED: `pkg:maven/log4j@2.14.1` (attestation `/packages/')
  expect(written).toContain('- deferred: `` {"deep":[1,{"k":"`"}]} ``')
  expect(written).not.toContain('### ✓')
})

test('JUnit has a case for each policy, and nothing breaks out of it', () => {
  const written = exportJunit(hostileReport({ caveats: ['a < b'] }))
  expect(written).toContain('tests="4" failures="1" errors="1" skipped="1"')
  expect(written).toContain('timestamp="2026-11-20T09:30:00"')
  expect(written.match(/<testcase /g)).toHaveLength(4)
  expect(written.match(/<\/testcase>/g)).toHaveLength(3)
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

test('SARIF has a rule for each policy and a result for each evaluation, failures alone as errors', () => {
  const [run] = Sarif.parse(JSON.parse(exportSarif(hostileReport()))).runs
  expect(run.results.map(({ kind, level }) => [kind, level])).toEqual([
    ['pass', 'none'],
    ['fail', 'error'],
    ['notApplicable', 'none'],
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
})
