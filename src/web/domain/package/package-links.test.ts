import { expect, test } from 'vitest'
import { publishLink, publishPackageLink } from './package-links.ts'

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

test('a package is named as the page reads it', () => {
  const address = { type: 'npm', namespace: '@acme', name: 'shop', version: '1.0.0+7' } as const
  const link = publishPackageLink(address, { sha256: 'ab', repositoryUrl: 'npm.example/shop' })
  expect(Object.fromEntries(new URL(link, 'https://here.example').searchParams)).toEqual({
    package: 'pkg:npm/%40acme/shop@1.0.0%2B7',
    sha256: 'ab',
    repository: 'npm.example/shop',
  })
})
