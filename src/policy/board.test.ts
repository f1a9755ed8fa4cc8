import { expect, test } from 'vitest'
import { readBoardList } from './board.ts'
import { writeBoardList } from './board-list.test-support.ts'

const digest = 'ab'.repeat(32)

test('each form is read, comments are left out, and it can be written and read again', () => {
  const text = `# the release
pkg:oci/checkout@2.4.0 sha256:${digest} registry.example/shop

org.acme:catalog:5.0.1, artifacts.example/maven, ${digest}
registry.example/shop/web:1.0@sha256:${digest}`
  const { packages, mistakes } = readBoardList(text)
  expect(mistakes).toEqual([])
  expect(packages.map(({ address, repositoryUrl }) => [address.name, repositoryUrl])).toEqual([
    ['checkout', 'registry.example/shop'],
    ['catalog', 'artifacts.example/maven'],
    ['web', 'registry.example/shop'],
  ])
  expect(readBoardList(writeBoardList(packages)).packages).toEqual(packages)
})

test('a bad line is marked at its bad part, and the others are read', () => {
  const good = `pkg:oci/checkout@2.4.0 ${digest} registry.example/shop`
  const text = `${good}\npkg:oci/web@1 sha256:12 registry.example/shop\npkg:oci/app@1\n${good}`
  const { packages, mistakes } = readBoardList(text)
  expect(packages).toHaveLength(1)
  expect(
    mistakes.map(({ line, from, to, sentence }) => [line, text.slice(from, to), sentence]),
  ).toEqual([
    [2, 'sha256:12', 'A SHA-256 digest has 64 hexadecimal digits, but this one has 2.'],
    [3, 'pkg:oci/app@1', expect.stringContaining('its digest (sha256:…) and its repository')],
    [4, 'pkg:oci/checkout@2.4.0', 'Same as line 1; evaluated once.'],
  ])
})

test('what is known here of a package need not be written', () => {
  const known = { sha256: digest, repositoryUrl: 'registry.example/shop' }
  expect(readBoardList('pkg:oci/app@1', () => known).packages).toMatchObject([known])
  // It is not known of another file of the package.
  expect(readBoardList('pkg:oci/app@1?arch=arm64', () => known)).toMatchObject({
    packages: [],
    mistakes: [
      { sentence: expect.stringMatching(/^Add its digest .* Ignored: arch=arm64\./) as unknown },
    ],
  })
})
