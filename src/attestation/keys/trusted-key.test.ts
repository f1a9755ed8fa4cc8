import { expect, test } from 'vitest'
import { ed25519Pem, rsaPem } from '../foreign-keys.test-support.ts'
import { keyOf } from '../signing.test-support.ts'
import { describeKey, isTrusted, type KeyOrigin, pemOf, sentenceOf } from './trusted-key.ts'

const key = keyOf(ed25519Pem, 'release')

test.each<[KeyOrigin, boolean, string]>([
  ['configuration', true, '"release" (Ed25519, from the configuration)'],
  ['device', true, '"release" (Ed25519, trusted on this device)'],
  ['identity', true, '"release" (Ed25519, by its identity and issuer)'],
  ['certificate in the bundle', false, 'the key of the included certificate (Ed25519)'],
  ['public key in the bundle', false, 'the included public key (Ed25519)'],
])('a key of the %s is trusted: %s', (origin, trusted, words) => {
  expect(isTrusted({ ...key, origin })).toBe(trusted)
  expect(describeKey({ ...key, origin })).toBe(words)
})

test('a sentence begins with a capital', () => {
  expect(sentenceOf('the included public key')).toBe('The included public key')
  expect(sentenceOf('')).toBe('')
})

test('PEM has lines of 64 and a line break at its end', () => {
  expect(pemOf(keyOf(rsaPem, 'rsa'))).toBe(rsaPem)
  expect(pemOf({ spki: new Uint8Array() })).toBe(
    '-----BEGIN PUBLIC KEY-----\n-----END PUBLIC KEY-----\n',
  )
})
