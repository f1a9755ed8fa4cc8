import { expect, test } from 'vitest'
import { configuredPackages } from './known-packages.ts'

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
