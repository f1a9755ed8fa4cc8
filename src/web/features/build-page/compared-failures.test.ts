import { expect, test } from 'vitest'
import type { Failure } from '../../../facts/failures.ts'
import { compareFailures, type KnownFailures, namedFailures } from './compared-failures.tsx'

const failure: Failure = { id: '1', path: null, taskId: null, exceptions: [] } as never

const known = (names: readonly string[], isAll = true): KnownFailures => ({
  failures: names.map((name) => ({ id: name, name, failure })),
  isAll,
})

function said(before: KnownFailures, after: KnownFailures) {
  const { shown, fixed, isOpen } = compareFailures(before, after)
  return {
    notes: shown.map(({ name, note }) => `${name}: ${note}`),
    fixed: fixed.map(({ name }) => name),
    isOpen,
  }
}

test('of builds whose failures are all known each is new, old or fixed', () => {
  expect(said(known(['a', 'b']), known(['b', 'c']))).toEqual({
    notes: ['b: failed before, too', 'c: new'],
    fixed: ['a'],
    isOpen: false,
  })
  expect(said(known([]), known([]))).toEqual({ notes: [], fixed: [], isOpen: false })
})

test('nothing is new where not all that failed before is known', () => {
  expect(said(known(['a'], false), known(['a', 'b']))).toEqual({
    notes: ['a: failed before, too', 'b: undefined'],
    fixed: [],
    isOpen: true,
  })
})

test('nothing is fixed where not all that fails now is known', () => {
  expect(said(known(['a']), known([], false))).toEqual({ notes: [], fixed: [], isOpen: true })
  expect(said(known(['a']), known(['a'], false))).toEqual({
    notes: ['a: failed before, too'],
    fixed: [],
    isOpen: false,
  })
})

test('a test that fails without a message is not fixed', () => {
  const after = { failures: [{ id: 'a', name: 'a', failure: null }], isAll: true }
  expect(said(known(['a']), after).fixed).toEqual([])
})

test('a test that fails without a message is shown all the same', () => {
  const after = { failures: [{ id: 'a', name: 'a', failure: null }], isAll: true }
  expect(said(known([]), after).notes).toEqual(['a: new'])
})

test('a build without exceptions that says why it failed failed of that', () => {
  const failed = namedFailures(undefined, [], 'Exit code 3: some tests failed or timed out')
  expect(said(known([]), { failures: failed, isAll: true }).notes).toEqual([
    'Exit code 3: some tests failed or timed out: new',
  ])
})

test('a test is another one in another task, and is named as everywhere', () => {
  const failed = (...tasks: readonly string[]) =>
    namedFailures(
      {
        total: tasks.length,
        rows: tasks.map((task) => ({ test: testCase(task), failure })),
      },
      [],
    )
  const one = failed(':a:test')
  const two = failed(':a:test', ':b:test')
  expect(one.map(({ name }) => name)).toEqual(['com.example.ShopTest.adds()'])
  expect(said({ failures: one, isAll: true }, { failures: two, isAll: true })).toEqual({
    notes: [
      'com.example.ShopTest.adds() in :a:test: failed before, too',
      'com.example.ShopTest.adds() in :b:test: new',
    ],
    fixed: [],
    isOpen: false,
  })
})

function testCase(task: string) {
  return { task, className: 'com.example.ShopTest', name: 'adds()', outcome: 'failed' } as never
}
