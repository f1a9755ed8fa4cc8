import { expect, test } from 'vitest'
import { createSigner } from '../../../attestation/signing.test-support.ts'
import { trustedOnDevice } from '../../domain/attestation/trusted-keys.ts'
import { readNewKeys, withKeys } from './trusted-keys.ts'

test('a key is kept under the name it was given, once, and comes back the same', async () => {
  const { pem, key } = await createSigner('P-256')
  const { keys } = readNewKeys(pem, ' release ')
  const stored = withKeys(withKeys([], keys), keys)
  expect(stored).toHaveLength(1)
  expect(trustedOnDevice(stored)).toEqual([
    { name: 'release', origin: 'device', algorithm: key.algorithm, spki: key.spki },
  ])
})

test('a name that is taken gets a number', async () => {
  const [one, two] = [await createSigner('P-256'), await createSigner('Ed25519')]
  const first = withKeys([], readNewKeys(one.pem, 'release').keys)
  const names = withKeys(first, readNewKeys(two.pem, 'release').keys).map(({ name }) => name)
  expect(names).toEqual(['release', 'release (2)'])
})

test('a stored text that is no key any more is left out', () => {
  expect(trustedOnDevice([{ name: 'x', pem: 'nothing' }])).toEqual([])
})
