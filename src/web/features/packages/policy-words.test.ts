import { expect, test } from 'vitest'
import { type CountedLabel, labelWords, offeredLabels } from './policy-words.ts'

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

test('a name too long for a line is cut, unless that leaves two alike', () => {
  const long = 'x'.repeat(3000)
  expect(labelWords([long]).get(long)).toBe(`${'x'.repeat(60)}…`)
  expect([...labelWords([`${long}a`, `${long}b`]).values()]).toEqual([`${long}a`, `${long}b`])
})

const label = (name: string, ...counts: readonly number[]): CountedLabel => [
  name,
  new Map(counts.map((count, index) => [`v${index}`, count])),
]
const names = (labels: readonly CountedLabel[]): readonly string[] => labels.map(([name]) => name)
const none = new Set<string>()

test('few labels are all offered', () => {
  const labels = [label('a', 1), label('b', 1)]
  expect(offeredLabels(labels, none, 2)).toBe(labels)
})

test('of many, those that the most policies have are, in the order they were in', () => {
  const labels = [label('a', 1), label('b', 2, 2), label('c', 3), label('d', 9)]
  expect(names(offeredLabels(labels, none, 2))).toEqual(['b', 'd'])
})

test('what is in use is offered besides, also where hardly any policy has it', () => {
  const labels = [label('a', 1), label('b', 5), label('c', 4)]
  expect(names(offeredLabels(labels, new Set(['a']), 1))).toEqual(['a', 'b'])
  expect(names(offeredLabels(labels, new Set(['gone']), 1))).toEqual(['b'])
})
