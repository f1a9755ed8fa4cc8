import { expect, test } from 'vitest'
import { exampleView } from '../features/feed/example-view.test-support.ts'
import { findBuilds } from './find-builds.ts'

const view = exampleView(
  Array.from({ length: 20 }, (_, index) => ({ id: `abc${String(index).padStart(10, '0')}` })),
)

test('builds are found by a part of their id, newest first, a screenful at most', () => {
  const found = findBuilds(view, ' ABC ')
  expect(found.map(({ arrival }) => arrival)).toEqual([20, 19, 18, 17, 16, 15, 14, 13])
  expect(findBuilds(view, '00000003')).toHaveLength(1)
})

test('two characters are in too many ids to look for', () => {
  expect(findBuilds(view, 'ab')).toEqual([])
})
