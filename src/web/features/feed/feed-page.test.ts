import { expect, test } from 'vitest'
import { exampleStatus, exampleView } from './example-view.test-support.ts'
import { findBuild, keptText } from './feed-page.tsx'

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

test('builds are counted in the footer, and zero only where it is a count', () => {
  expect(keptText(view, 2)).toBe('2 builds')
  expect(keptText(view, 1)).toBe('1 of 2 builds')
  expect(keptText(exampleView(), 0)).toBe('0 builds')
  const nothing = [
    exampleView([], { connection: { state: 'idle' } }),
    exampleView([], { connection: { state: 'connecting' }, upstream: undefined }),
    exampleView([], { connection: { state: 'catching-up', received: 0, left: undefined } }),
    exampleView([], { upstream: exampleStatus({ upstream: 'retrying' }) }),
  ]
  for (const unknown of nothing) expect(keptText(unknown, 0).trim()).toBe('')
})
