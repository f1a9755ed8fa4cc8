import fc from 'fast-check'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { runs } from '../property-runs.test-support.ts'
import { exportJunit } from './export-junit.ts'
import { groupByPolicy } from './policy-group.ts'
import { policyResult } from './policy-result.test-support.ts'
import { hostileReport, waivedReport } from './scan-report.test-support.ts'
import { scanVerdict } from './verdict.ts'

/** The schema that Jenkins reads JUnit files by; MIT, its licence stands in it. */
const schema = readFileSync(
  new URL('schemas.test-support/jenkins-junit.xsd', import.meta.url),
  'utf8',
)

async function mistakesIn(...reports: readonly string[]): Promise<readonly string[]> {
  const xml = reports.map((contents, index) => ({ fileName: `report-${index}.xml`, contents }))
  const { errors } = await validateXML({ xml, schema })
  return errors.map(({ rawMessage }) => rawMessage)
}

test('the report is valid by the schema that Jenkins reads it by', async () => {
  expect(
    await mistakesIn(
      exportJunit(hostileReport()),
      exportJunit(hostileReport({ caveats: ['a < b & "c"'], groups: [] })),
    ),
  ).toEqual([])
})

test('a waived failure is skipped, with its waiver, where waivers are accepted', async () => {
  expect(exportJunit(waivedReport())).toContain('failures="1"')
  const accepted = exportJunit({ ...waivedReport(), acceptsWaivers: true })
  expect(accepted).toMatch(/failures="0" errors="1" skipped="2"/)
  expect(accepted).toContain('<skipped>waived until Dec 4, 2026, 09:30 UTC by alice: ')
  expect(await mistakesIn(accepted)).toEqual([])
})

test('a report that is not is shown of', async () => {
  const broken = exportJunit(hostileReport()).replace(' name="log4j"', '')
  expect(await mistakesIn(broken)).toEqual([expect.stringContaining("attribute 'name'")])
})

test('no text of a service makes it invalid', async () => {
  const text = fc.string({ unit: 'binary', maxLength: 40 })
  const result = fc
    .record({
      policyUri: text.map((name) => `/policies/A/${name}`),
      status: fc.constantFrom('satisfied', 'unsatisfied', 'not-applicable', 'unknown'),
      statusText: text,
      description: text,
      remediation: text,
      details: fc.dictionary(text, text, { maxKeys: 3 }),
    })
    .map(policyResult)
  const reports = fc
    .sample(fc.array(result, { maxLength: 6 }), { numRuns: runs(200), seed: 8 })
    .map(groupByPolicy)
    .map((groups) =>
      exportJunit(
        hostileReport({ groups, verdict: scanVerdict(groups, { unreadable: 0, complete: true }) }),
      ),
    )
  expect(await mistakesIn(...reports)).toEqual([])
})
