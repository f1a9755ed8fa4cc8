import { expect, test } from 'vitest'
import { type CountedLabel, offeredLabels } from './offered-labels.ts'

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
