// As the makers of SARIF's own tools carry it.
import schema from '@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json' with { type: 'json' }
import Ajv from 'ajv-draft-04'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../property-runs.test-support.ts'
import { exportSarif } from './export-sarif.ts'
import { groupByPolicy } from './policy-group.ts'
import { policyResult } from './policy-result.test-support.ts'
import { hostileReport, waivedReport } from './scan-report.test-support.ts'
import { scanVerdict } from './verdict.ts'

const isValid = new Ajv({
  strict: false,
  validateFormats: false,
  allErrors: true,
  // One of its patterns is none where expressions are read strictly.
  unicodeRegExp: false,
}).compile(schema)

function mistakesIn(report: string): readonly string[] {
  const log: unknown = JSON.parse(report)
  return isValid(log)
    ? []
    : (isValid.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message ?? ''}`)
}

test('the log is valid by the schema of SARIF 2.1.0', () => {
  expect(mistakesIn(exportSarif(hostileReport()))).toEqual([])
  expect(mistakesIn(exportSarif(waivedReport()))).toEqual([])
  expect(mistakesIn(exportSarif(hostileReport({ caveats: ['cut <off>'], groups: [] })))).toEqual([])
})

test('a log that is not is shown of', () => {
  const broken = exportSarif(hostileReport()).replaceAll('"ruleId"', '"rule"')
  expect(mistakesIn(broken)).not.toEqual([])
})

test('no text of a service makes it invalid', () => {
  const text = fc.string({ unit: 'binary', maxLength: 40 })
  const result = fc
    .record({
      policyUri: text.map((name) => `/policies/A/${name}`),
      status: fc.constantFrom('satisfied', 'unsatisfied', 'not-applicable', 'unknown'),
      statusText: text,
      description: text,
      remediation: text,
      attestationUri: fc.option(text),
      details: fc.dictionary(text, text, { maxKeys: 3 }),
    })
    .map(policyResult)
  fc.assert(
    fc.property(fc.array(result, { maxLength: 6 }), (results) => {
      const groups = groupByPolicy(results)
      const verdict = scanVerdict(groups, { unreadable: 0, complete: true })
      expect(mistakesIn(exportSarif(hostileReport({ groups, verdict })))).toEqual([])
    }),
    { numRuns: runs(200) },
  )
})

test('what fails for several reasons is as many alerts, each the same when another one is fixed', () => {
  const found = (details: unknown, fields = {}) =>
    policyResult({ status: 'unsatisfied', attestationUri: '/a/1', details, ...fields })
  const [log4j, netty] = ['log4j@2.14', 'netty@4.0'].map((one) =>
    found({ vulnerablePackage: `pkg:maven/${one}`, predicateType: 't' }),
  )
  const plain = found({ message: 'x' })
  const alerts = (...results: (ReturnType<typeof policyResult> | undefined)[]): string[] =>
    exportSarif(
      hostileReport({ groups: groupByPolicy(results.flatMap((one) => one ?? [])) }),
    ).match(/(?<="primaryLocationLineHash": ")[^"]*/g) ?? []
  const all = alerts(log4j, netty, plain, plain)
  expect(new Set(all).size).toBe(4)
  expect(alerts(netty, plain)).toEqual([all[1], all[2]])
})
