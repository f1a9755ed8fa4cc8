import { createECDH } from 'node:crypto'
import { expect, test } from 'vitest'
import { publicKeyOf } from '../../../attestation/keys/public-key.ts'
import { pemOf } from '../../../attestation/keys/trusted-key.ts'
import { createSigner } from '../../../attestation/signing.test-support.ts'
import { trustedKeys } from '../../domain/attestation/trusted-keys.ts'
import { keyCountText, readNewKeys, withKeys } from './trusted-keys.tsx'

test('a key is kept under the name it was given, once, and comes back the same', async () => {
  const { pem, key } = await createSigner('P-256')
  const { keys } = readNewKeys(pem, ' release ')
  const stored = withKeys(withKeys([], keys), keys)
  expect(stored).toHaveLength(1)
  expect(trustedKeys([], stored)).toEqual([
    { name: 'release', origin: 'device', algorithm: key.algorithm, spki: key.spki },
  ])
})

test('a file may be DER, which is no text', async () => {
  const { key } = await createSigner('P-256')
  expect(readNewKeys(key.spki, '').keys).toMatchObject([{ spki: key.spki }])
})

test('a key that is written in another way is trusted already', () => {
  const pair = createECDH('prime256v1')
  pair.generateKeys()
  const pems = (['uncompressed', 'compressed'] as const).map((form) => {
    const point = Uint8Array.from(pair.getPublicKey(null, form))
    const key = publicKeyOf({ type: 'EC', curve: 'P-256', point })
    return key === undefined ? '' : pemOf(key)
  })
  const [first, again] = pems.map((pem) => readNewKeys(pem, 'release').keys)
  expect(withKeys(withKeys([], first ?? []), again ?? [])).toHaveLength(1)
})

test('a name that is taken gets a number', async () => {
  const [one, two] = [await createSigner('P-256'), await createSigner('Ed25519')]
  const first = withKeys([], readNewKeys(one.pem, 'release').keys)
  const names = withKeys(first, readNewKeys(two.pem, 'release').keys).map(({ name }) => name)
  expect(names).toEqual(['release', 'release (2)'])
})

test('a stored text that is no key any more is left out', () => {
  expect(trustedKeys([], [{ name: 'x', pem: 'nothing' }])).toEqual([])
})

test('the key ids that stand beside a key are kept with it', async () => {
  const { pem } = await createSigner('P-256')
  const text = JSON.stringify({ release: { pem, keyIds: ['kms://1'] } })
  expect(trustedKeys([], withKeys([], readNewKeys(text, '').keys))).toMatchObject([
    { name: 'release', keyIds: ['kms://1'] },
  ])
})

test.each([
  [{ isKnown: true, isPending: false }, '0'],
  [{ isKnown: false, isPending: true }, 'loading…'],
  [{ isKnown: false, isPending: false }, '0 from this browser, the others not loaded'],
])('keys are counted as far as they are known: %j', (state, text) => {
  const rest = { keys: [], sigstore: undefined, mistakes: [], retry: () => undefined }
  expect(keyCountText({ ...rest, ...state })).toBe(text)
})
