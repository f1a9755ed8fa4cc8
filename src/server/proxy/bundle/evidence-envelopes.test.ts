import { expect, test } from 'vitest'
import { createSigner, inTotoType, paeOf } from '../../../attestation/signing.test-support.ts'
import { judgeEnvelope } from './evidence-envelopes.ts'

test('a signature that names no key and that the only key does not verify is not verified, no mismatch', async () => {
  const [trusted, stranger] = [
    await createSigner('P-256', 'release'),
    await createSigner('P-256', 'nobody'),
  ]
  const text = '{"_type":"https://in-toto.io/Statement/v1","subject":[],"predicateType":"a:b"}'
  const sig = Buffer.from(await stranger.sign(paeOf(text))).toString('base64')
  const judged = async (signature: object) => {
    const envelope = {
      payloadType: inTotoType,
      payload: Buffer.from(text).toString('base64'),
      signatures: [signature],
    }
    return judgeEnvelope(Buffer.from(JSON.stringify(envelope)), [trusted.key], [])
  }
  expect(await judged({ sig })).toMatchObject([{ signature: { word: 'not verified' } }])
  expect(await judged({ sig, keyid: 'release' })).toMatchObject([
    { signature: { word: 'mismatch' } },
  ])
})
