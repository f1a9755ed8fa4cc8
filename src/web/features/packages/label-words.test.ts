import { expect, test } from 'vitest'
import { byWeight, labelWords, severityLabel } from './label-words.ts'

test('names of labels are read without their domain', () => {
  expect([
    ...labelWords([
      'policy.example.com/enforcement-point',
      'policy.example.com/compliance/severity',
      'owner',
      '/',
    ]).values(),
  ]).toEqual(['enforcement point', 'compliance severity', 'owner', '/'])
})

test('two labels that would be called the same keep their names', () => {
  expect([...labelWords(['a.example/owner', 'b.example/owner']).values()]).toEqual([
    'a.example/owner',
    'b.example/owner',
  ])
})

test('severities stand in the order of their weight, and unknown ones behind', () => {
  expect(['low', 'weird', 'Critical', 'medium', 'high'].sort(byWeight)).toEqual([
    'Critical',
    'high',
    'medium',
    'low',
    'weird',
  ])
})

test.each([
  [['x/owner', 'policy.example.com/compliance/severity'], 'policy.example.com/compliance/severity'],
  [['x/severity-owner'], undefined],
])('the label for severity among %j is %s', (names, wanted) => {
  expect(severityLabel(names)).toBe(wanted)
})

test('a name too long for a line is cut, unless that leaves two alike', () => {
  const long = 'x'.repeat(3000)
  expect(labelWords([long]).get(long)).toBe(`${'x'.repeat(60)}…`)
  expect([...labelWords([`${long}a`, `${long}b`]).values()]).toEqual([`${long}a`, `${long}b`])
})
