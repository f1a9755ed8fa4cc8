import { expect, test } from 'vitest'
import { publishLink } from './publish-link.ts'

test('a few builds are a parameter', () => {
  expect(publishLink(['aaaaaaaaaaaa1', 'aaaaaaaaaaaa2'])).toBe(
    '/publish?builds=aaaaaaaaaaaa1%2Caaaaaaaaaaaa2',
  )
})

test('what a server gets of a link to many builds stays short', () => {
  const builds = Array.from({ length: 1000 }, (_, index) => `a${String(index).padStart(12, '0')}`)
  const [sent, kept] = publishLink(builds).split('#')
  expect(sent).toBe('/publish')
  expect(kept).toBe(`builds=${builds.join(',')}`)
})
