import fc from 'fast-check'
import { expect, test } from 'vitest'
import { causesOf, ownerOf } from './failure-causes.ts'

test.each([
  [
    {
      vulnerablePackage: 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1',
      predicateType: 'x',
    },
    ['org.apache.logging.log4j/log4j-core 2.14.1'],
  ],
  [{ vulnerablePackage: 'pkg:npm/event-stream@3.3.6' }, ['event-stream 3.3.6']],
  [{ vulnerablePackage: 'log4j' }, ['log4j']],
  [{ keyIds: ['3fab'] }, ['Key not accepted: 3fab']],
  [{ keyIds: [] }, ['No signature']],
  [{ uris: ['https://jitpack.io/', 'https://jitpack.io/'] }, ['https://jitpack.io/']],
  [{ message: 'Missing:\n provenance' }, ['Missing: provenance']],
  [{ buildTool: 'gradle 8.1' }, ['Gradle 8.1']],
  [{ toolchains: ['Temurin 11.0.2'] }, ['JDK Temurin 11.0.2']],
  [
    { overallScore: 62, baseline: 70, categories: {}, overdue: ['CVE-2021-44228'] },
    ['Overdue: CVE-2021-44228'],
  ],
  [{ overallScore: 62, baseline: 70, categories: {} }, ['Score 62 of 100, 70 required']],
  [{ lastSeen: 3, at: ['x', 'y'] }, ['at: x, y; last seen: 3']],
  [{ description: 'shown elsewhere' }, []],
])('%j fails for %j', (details, causes) => {
  expect(causesOf(details)).toEqual(causes)
})

test('a cause and an owner are cut between characters', () => {
  expect(causesOf(`${'x'.repeat(198)}🚀 and more`)).toEqual([`${'x'.repeat(198)}…`])
  expect(ownerOf({ team: `${'x'.repeat(79)}🚀` })).toBe('x'.repeat(79))
})

test('whatever the details are, the causes are few, short and without hidden characters', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (details) => {
      const causes = causesOf(details)
      expect(causes.length).toBeLessThanOrEqual(4)
      for (const cause of causes) {
        expect(cause.length).toBeLessThanOrEqual(200)
        expect(cause).not.toMatch(/[\p{Cc}\p{Cf}]/u)
      }
      expect(causesOf(details)).toEqual(causes)
    }),
  )
})

test.each([
  [{ 'policy.acme.example/owner': 'security' }, 'security'],
  [{ team: ' payments ' }, 'payments'],
  [{ 'x/homeowner': 'nobody' }, undefined],
  [{ owner: '' }, undefined],
])('the owner of a policy labeled %j is %s', (labels, owner) => {
  expect(ownerOf(labels)).toBe(owner)
})
