import { expect, test } from 'vitest'
import { artifactOf, configuredPackages, knownOf, requiredOfArtifact } from './known-packages.ts'
import { packageSentence } from './packages-page.tsx'

const artifact = { sha256: 'ab'.repeat(32), repositoryUrl: 'registry.example/shop' }

test('the packages of a board are offered like those that are named by themselves, each once', () => {
  const found = configuredPackages({
    packages: [{ purl: 'pkg:oci/checkout@2.4.0', ...artifact, scans: ['release'] }],
    boards: [
      {
        name: 'november',
        scans: ['release', 'production'],
        require: [],
        packages: [
          { purl: 'pkg:oci/checkout@2.4.0', ...artifact, scans: [] },
          { purl: 'pkg:oci/cart@1.0.0', ...artifact, scans: ['production'] },
          { purl: 'no package', ...artifact, scans: [] },
        ],
      },
    ],
  })
  expect(found.map(({ address, scans }) => [address.name, ...scans])).toEqual([
    ['checkout', 'release', 'production'],
    ['cart', 'production'],
  ])
})

const address = { type: 'oci', name: 'checkout', version: '2.4.0' }
const used = { ...artifact, address, scans: ['release'] }
const other = { ...artifact, address, sha256: 'cd'.repeat(32), scans: ['audit'] }

test('an artifact that was used here and is configured has the scans of both', () => {
  const configured = [{ ...used, scans: ['security', 'release'] }, other]
  const found = knownOf({ remembered: [used], configured }, address)
  expect(found.map(({ sha256, scans }) => [sha256.slice(0, 2), ...scans])).toEqual([
    ['ab', 'release', 'security'],
    ['cd', 'audit'],
  ])
})

test('of several artifacts the one counts that the address names, never another one', () => {
  const named = (sha256: string, repositoryUrl = '') =>
    artifactOf([used, other], { sha256, repositoryUrl })
  expect([named(''), named('CD'.repeat(32))]).toEqual([used, other])
  expect([named('ef'.repeat(32)), named(used.sha256, 'registry.example/other')]).toEqual([
    undefined,
    undefined,
  ])
})

test('what the boards require that have an artifact, they require of it on its page', () => {
  const board = (name: string, sha256: string, require: string[]) => {
    const packages = [{ purl: 'pkg:oci/checkout@2.4.0', ...artifact, sha256, scans: [] }]
    return { name, scans: ['release'], packages, require }
  }
  const boards = [
    board('one', used.sha256, ['sbom', 'high']),
    board('two', used.sha256, ['high']),
    board('three', other.sha256, ['signed']),
  ]
  expect(requiredOfArtifact(boards, used)).toEqual(['sbom', 'high'])
  expect(requiredOfArtifact([], used)).toEqual([])
})

test('a package is not said to be anything while that is being loaded', () => {
  const nothing = { isLoading: true, row: undefined, fault: undefined }
  expect(packageSentence(nothing).sentence).toBe('Loading package…')
  expect(packageSentence({ ...nothing, isLoading: false }).sentence).toBe(
    'Can it be released? Choose a policy scan.',
  )
  expect(packageSentence({ ...nothing, fault: 'x' }).sentence).toBe(
    "Recorded results can't be loaded.",
  )
})
