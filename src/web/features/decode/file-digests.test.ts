import { expect, test } from 'vitest'
import { decode } from '../../../attestation/decode.ts'
import { algorithmsFor } from './file-digests.ts'

function algorithms(...digests: readonly Record<string, string>[]) {
  const decoded = decode(
    JSON.stringify({
      _type: 'https://in-toto.io/Statement/v1',
      subject: digests.map((digest) => ({ digest })),
      predicateType: 'a:b',
    }),
  )
  if (!decoded.ok) throw new Error('not decoded')
  return algorithmsFor(decoded)
}

test('a file is hashed as the subjects are, and no further', () => {
  expect(algorithms({ sha256: 'a' })).toEqual(['sha256'])
  expect(algorithms({ sha512: 'a' }, { sha1: 'b', sha384: 'c' })).toEqual([
    'sha512',
    'sha384',
    'sha1',
  ])
  expect(algorithms({ md5: 'a', gitBlob: 'b', sm3: 'c' })).toEqual(['gitBlob', 'md5'])
  expect(algorithms({ gitCommit: 'a' })).toEqual(['sha256'])
  expect(algorithms()).toEqual(['sha256'])
})
