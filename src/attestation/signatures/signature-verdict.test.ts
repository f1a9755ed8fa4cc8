import { expect, test } from 'vitest'
import { toBase64 } from '../decode/base64.ts'
import { ecdsaDer } from '../ecdsa-der.test-support.ts'
import { createSigner, envelopeOf, paeOf } from '../signing.test-support.ts'
import { verify } from '../verify.ts'
import { threshold } from './signature-verdict.ts'

const message = paeOf('{}')
const ann = await createSigner('P-256', 'ann')
const bob = await createSigner('Ed25519', 'bob')
const byAnn = { sig: ecdsaDer(await ann.sign(message)) }
const byBob = { sig: await bob.sign(message) }
const keys = [ann.key, bob.key]

test('two different keys meet a threshold of two', async () => {
  const verdicts = await verify(envelopeOf('{}', [byAnn, byBob]), keys)
  expect(threshold(verdicts, 2)).toEqual({
    isMet: true,
    required: 2,
    keys,
    repeated: [],
    untrusted: [],
  })
  expect(threshold(verdicts, 3).isMet).toBe(false)
})

test('the same key twice counts once, under another name and in another form too', async () => {
  const again = { sig: await ann.sign(message) }
  const twin = { ...ann.key, name: 'ann at home' }
  const verdicts = await verify(envelopeOf('{}', [byAnn, again]), [ann.key, twin])
  expect(verdicts.map(({ verdict }) => verdict)).toEqual(['verified', 'verified'])
  expect(threshold(verdicts, 2)).toMatchObject({ isMet: false, keys: [ann.key], repeated: [1] })
  const named = await verify(
    envelopeOf('{}', [
      { ...byAnn, keyid: 'ann' },
      { ...again, keyid: 'ann at home' },
    ]),
    [ann.key, twin],
  )
  expect(named.map(({ key }) => key?.name)).toEqual(['ann', 'ann at home'])
  expect(threshold(named, 2).isMet).toBe(false)
})

test('a key that only the envelope vouches for does not count', async () => {
  const envelope = envelopeOf('{}', [byAnn], { publicKey: toBase64(ann.key.spki) })
  const verdicts = await verify(envelope, [])
  expect(verdicts).toMatchObject([{ verdict: 'verified' }])
  expect(threshold(verdicts)).toMatchObject({ isMet: false, keys: [], untrusted: [0] })
})

test('a threshold that nobody has to meet is never met by nobody', () => {
  for (const required of [0, -1, 0.5, Number.NaN, Infinity]) {
    expect(threshold([], required).isMet).toBe(false)
  }
})
