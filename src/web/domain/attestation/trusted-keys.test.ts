import { expect, test } from 'vitest'
import { createSigner } from '../../../attestation/signing.test-support.ts'
import { configuredKeys } from './trusted-keys.ts'

test('keys of the configuration have its names, and what is no key is named', async () => {
  const { pem } = await createSigner('Ed25519')
  const pemBase64 = Buffer.from((await createSigner('P-256')).pem).toString('base64')
  const { keys, mistakes } = configuredKeys({
    trustedKeys: { release: { pem }, nightly: { pemBase64 }, wrong: { pem: 'x' } },
  })
  expect(keys.map(({ name, origin }) => [name, origin])).toEqual([
    ['release', 'configuration'],
    ['nightly', 'configuration'],
  ])
  expect(mistakes.map(({ where }) => where)).toEqual(['the key "wrong"'])
  expect(configuredKeys({ trustedKeys: {} })).toEqual({ keys: [], mistakes: [] })
})
