import { expect, test } from 'vitest'
import { nothingPublished, type PublishQuestion } from '../../data/publish/publish-run.ts'
import { storedBefore } from './stored-before.ts'

const asked: PublishQuestion = {
  address: { type: 'oci', name: 'app', version: '1' },
  sha256: 'ab',
  repositoryUrl: 'r.example',
  builds: ['aaaaaaaaaaaa1'],
  queries: [],
}

test('what was stored counts for the same artifact, whatever the builds', () => {
  const view = { ...nothingPublished, question: { ...asked, builds: [] }, stored: 6 }
  expect(storedBefore(view, asked)).toBe(6)
  expect(storedBefore(view, { ...asked, sha256: 'cd' })).toBe(0)
  expect(storedBefore(view, { ...asked, repositoryUrl: 's.example' })).toBe(0)
  expect(storedBefore(view, { ...asked, address: { ...asked.address, version: '2' } })).toBe(0)
  expect(storedBefore(nothingPublished, asked)).toBe(0)
})
