import { expect, test } from 'vitest'
import { exampleView } from './example-view.test-support.ts'
import { findBuild } from './feed-page.tsx'

const view = exampleView([{ id: 'aaaaaaaaaaaaa' }, { id: 'bbbbbbbbbbbbb' }])

test('a build is found by its id, with a guess, without one, and with a wrong one', () => {
  for (const guess of [1, undefined, 2, 77]) {
    expect(findBuild(view, 'aaaaaaaaaaaaa', guess)?.arrival).toBe(1)
  }
})

test('a build that the feed does not keep is not found', () => {
  expect(findBuild(view, 'ccccccccccccc', 1)).toBeUndefined()
  expect(findBuild(exampleView(), 'ccccccccccccc', undefined)).toBeUndefined()
})
