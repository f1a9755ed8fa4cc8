import { expect, test } from 'vitest'
import { type DependencyInsights, DependencyInsightsPredicate } from './evidence.ts'
import { PolicyDefinition } from './policy-definition.ts'
import { cvssSeverity, scoreDependencies } from './score-dependencies.ts'

const critical = [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H' }]
const log4shell = { id: 'GHSA-jfh8-c2jp-5v3q', severity: critical }

function upgrade(version: string, day: string, left = 0) {
  const publishedTime = `${day}T00:00:00Z`
  return { version, publishedTime, vulnerabilitiesRemainingAfterUpgrade: left }
}

function insights(purls: object, day = '2026-06-01'): DependencyInsights {
  return DependencyInsightsPredicate.parse({ verifiedTime: `${day}T00:00:00Z`, purls })
}

function spec(scoring: object) {
  const policy = PolicyDefinition.parse({
    apiVersion: 'policy.gradle.com/v1',
    kind: 'DependencyScoring',
    metadata: { name: 'health' },
    spec: scoring,
  })
  if (policy.kind !== 'DependencyScoring') throw new Error('another kind was read')
  return policy.spec
}

const scoringRules = {
  vulnerability: [{ purlPatterns: ['pkg:**'], slo: { CRITICAL: 7, HIGH: 30 } }],
  upgrade: [{ purlPatterns: ['pkg:maven/**'], strategy: 'MINOR', sloDays: 90 }],
}
const tiers = [
  { name: 'Gold', minScore: 90 },
  { name: 'Bronze', minScore: 25 },
]

test('what is overdue costs its share, by the weights of its category', () => {
  const score = scoreDependencies(
    spec({
      scoringRules,
      tiers,
      baseline: 50,
      weightRules: { categoryWeights: { VULNERABILITY: 40, UPGRADE: 60 } },
    }),
    insights({
      'pkg:maven/log4j@2.14.1': {
        versions: { latestMinor: upgrade('2.25.2', '2025-09-18') },
        vulnerabilities: [log4shell],
      },
      'pkg:maven/fresh@1': { versions: { latestPatch: upgrade('1.0.1', '2026-05-20') } },
      'pkg:npm/elsewhere@1': { versions: { latestMajor: upgrade('2', '2020-01-01') } },
    }),
  )
  expect(score).toEqual({
    overallScore: 30,
    baseline: 50,
    categories: {
      VULNERABILITY: { score: 0, compliant: 0, total: 1 },
      UPGRADE: { score: 50, compliant: 1, total: 2 },
    },
    tier: 'Bronze',
    nextTier: { name: 'Gold', pointsNeeded: 60 },
    overdue: ['GHSA-jfh8-c2jp-5v3q', 'pkg:maven/log4j@2.14.1 → 2.25.2'],
  })
})

test.each([
  ['within the time that the rule allows', upgrade('3', '2026-05-30'), 1, 1],
  ['when it is over', upgrade('3', '2026-05-20'), 0, 1],
  ['that no upgrade fixes', upgrade('3', '2020-01-01', 1), 0, 0],
])('a vulnerability %s', (_, latestMajor, compliant, total) => {
  const purls = { 'pkg:maven/a@1': { versions: { latestMajor }, vulnerabilities: [log4shell] } }
  const { categories, overallScore } = scoreDependencies(spec({ scoringRules }), insights(purls))
  expect(categories.VULNERABILITY).toMatchObject({ compliant, total })
  expect(overallScore).toBe(total > compliant ? 50 : 100)
})

test('one vulnerability of two packages counts once, by the strictest rule and the oldest fix', () => {
  const rules = {
    vulnerability: [
      { purlPatterns: ['pkg:maven/lax@*'], slo: { CRITICAL: 3000 } },
      { purlPatterns: ['pkg:**'], slo: { CRITICAL: 7 } },
    ],
  }
  const of = (day: string) => ({
    versions: { latestPatch: upgrade('9', day) },
    vulnerabilities: [log4shell],
  })
  const both = insights({
    'pkg:maven/lax@1': of('2026-05-01'),
    'pkg:maven/strict@1': of('2026-05-31'),
  })
  const { categories } = scoreDependencies(spec({ scoringRules: rules }), both)
  expect(categories.VULNERABILITY).toEqual({ score: 0, compliant: 0, total: 1 })
})

test('with nothing to count the score is full', () => {
  expect(scoreDependencies(spec({}), insights({}))).toMatchObject({
    overallScore: 100,
    baseline: 0,
    tier: null,
    nextTier: null,
  })
})

test('weights that are not 100 together are refused', () => {
  expect(() =>
    spec({ weightRules: { categoryWeights: { VULNERABILITY: 50, UPGRADE: 60 } } }),
  ).toThrow('the weights must add up to 100')
})

// Vectors and ratings of well-known vulnerabilities, as the National Vulnerability Database has them.
test.each([
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H', 'CRITICAL'], // 10.0
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', 'CRITICAL'], // 9.8
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H', 'HIGH'], // 7.5
  ['CVSS:3.0/AV:N/AC:L/PR:L/UI:N/S:U/C:H/I:H/A:H', 'HIGH'], // 8.8
  ['CVSS:3.1/AV:L/AC:L/PR:L/UI:N/S:C/C:H/I:H/A:H', 'HIGH'], // 8.8
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:R/S:C/C:L/I:L/A:N', 'MEDIUM'], // 6.1
  ['CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:N/A:N', 'LOW'], // 3.7
  ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N', undefined], // 0.0
  ['CVSS:3.1/AV:N', undefined],
  ['AV:N/AC:L/Au:N/C:P/I:P/A:P', undefined],
  ['', undefined],
])('%s is %s', (vector, severity) => {
  expect(cvssSeverity(vector)).toBe(severity)
})
