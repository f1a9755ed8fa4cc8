import { expect, test } from 'vitest'
import { type QuarantinedTest, testKey } from '../../../protocol/quarantine.ts'
import { lastEnd, standing } from './quarantine.ts'

const quarantined = (name: string, until: number): QuarantinedTest => ({
  id: name,
  test: { project: 'checkout', task: ':test', className: 'a.B', name },
  reason: 'flaky network',
  until,
  by: 'ann',
  createdAt: 0,
})

test('a quarantine ends in the millisecond that it says, and the others go on', () => {
  const tests = new Map(
    [quarantined('first', 1000), quarantined('second', 2000), quarantined('third', 3000)].map(
      (one) => [testKey(one.test), one],
    ),
  )
  const namesAt = (now: number): string[] =>
    [...standing({ tests }, lastEnd({ tests }, now)).values()].map(({ id }) => id)
  expect(namesAt(999)).toEqual(['first', 'second', 'third'])
  expect(namesAt(1000)).toEqual(['second', 'third'])
  expect(namesAt(2500)).toEqual(['third'])
  expect(namesAt(3000)).toEqual([])
  expect(standing({ tests }, lastEnd({ tests }, 0))).toBe(tests)
})
