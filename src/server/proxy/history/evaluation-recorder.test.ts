import { describe, expect, test } from 'vitest'
import { createEvaluationTally } from './evaluation-recorder.ts'

function part(policy: string, status: string): string {
  return JSON.stringify({ policyUri: `/policies/BuildTool/${policy}`, status })
}

describe('the tally of an evaluation', () => {
  test('knows each policy as bad as its worst result, whatever comes after that', () => {
    const tally = createEvaluationTally(0)
    const statuses = ['not-applicable', 'satisfied', 'UNSATISFIED', 'satisfied', 'odd']
    for (const status of statuses) tally.add(part('a', status))
    for (const status of ['satisfied', 'not applicable']) tally.add(part('b', status))
    const { groups, results } = tally.total()
    expect(groups.map(({ name, status }) => [name, status])).toEqual([
      ['a', 'unsatisfied'],
      ['b', 'satisfied'],
    ])
    expect(results).toBe(7)
  })

  test('does not grow with the results, only with the policies', () => {
    const tally = createEvaluationTally(0)
    for (let n = 0; n < 50_000; n += 1)
      tally.add(part(`p${n % 40}`, n % 3 === 0 ? 'x' : 'satisfied'))
    const { groups, results } = tally.total()
    expect(results).toBe(50_000)
    expect(groups.reduce((sum, group) => sum + group.results.length, 0)).toBeLessThanOrEqual(80)
  })

  test('counts a limited number of policies apart: further ones never pass a package', () => {
    const tally = createEvaluationTally(0)
    for (let n = 0; n < 10_003; n += 1) tally.add(part(`p${n}`, 'satisfied'))
    const { groups, results, unreadable } = tally.total()
    expect([groups.length, results, unreadable]).toEqual([10_000, 10_000, 3])
  })

  test('answers the results as they were written, one to a line', () => {
    const tally = createEvaluationTally(0)
    const pretty =
      '{\n  "policyUri": "/p",\r\n  "status": "satisfied", "n": 12345678901234567890\n}'
    expect(tally.add(pretty)).toEqual([
      '{   "policyUri": "/p",   "status": "satisfied", "n": 12345678901234567890 }',
    ])
    expect(tally.add('no "JSON')).toEqual(['"no \\"JSON"'])
    expect(tally.add('x'.repeat(5000))[0]).toHaveLength(1002)
    expect(tally.total()).toMatchObject({ results: 1, unreadable: 2, isBroken: false })
  })
})
