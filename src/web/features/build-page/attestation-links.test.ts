import { expect, test } from 'vitest'
import { attestationLinks } from './attestation-links.ts'

const id = 'aaaaaaaaaaaa1'
const publish = { text: 'Publish attestations of it', to: `/publish?builds=${id}` }
const app = {
  address: { type: 'oci', name: 'app', version: '1' },
  sha256: 'ab',
  repositoryUrl: 'r.example/shop',
  scans: [],
}

test('a build leads to the packages that it is known to stand behind', () => {
  expect(attestationLinks(id, [{ ...app, builds: [id] }, app])).toEqual([
    {
      text: 'Attestations made from it: pkg:oci/app@1',
      to: '/packages/oci/app/1?sha256=ab&repository=r.example%2Fshop',
    },
    publish,
  ])
})

test('where none is known it leads to all of them', () => {
  const all = { text: 'Attestations made from it', to: '/packages' }
  expect(attestationLinks(id, [app])).toEqual([all, publish])
})
