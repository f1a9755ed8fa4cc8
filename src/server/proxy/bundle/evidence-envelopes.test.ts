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
  const raw = Buffer.from(await trusted.sign(Buffer.from(text))).toString('base64')
  expect(await judged({ sig: raw })).toMatchObject([
    { signature: { word: 'other form' }, artifact: { word: 'none' } },
  ])
})

const digest = 'ab'.repeat(32)

test.each([
  ['what it is of', { sha256: digest }, 'matches'],
  ['another artifact', { sha256: 'cd'.repeat(32) }, 'mismatch'],
  // As the decoder has it: no digest is in upper case, and nothing has two of them.
  ['a digest in upper case', { sha256: digest.toUpperCase() }, 'not compared'],
  ['nothing of that kind', { gitCommit: '1'.repeat(40) }, 'not compared'],
])('an attestation about %s is judged as in the decoder', async (_, of, word) => {
  expect(await judgedArtifact(JSON.stringify(of))).toMatchObject({ word })
})

test('a subject with two digests of one kind is not the artifact', async () => {
  const twice = `{"sha256":"${'cd'.repeat(32)}","sha256":"${digest}"}`
  expect(await judgedArtifact(twice)).toEqual({
    word: 'mismatch',
    sentence: `A subject has sha256:${digest}, and another SHA-256 as well.`,
  })
})

async function judgedArtifact(digests: string) {
  const text = `{"_type":"https://in-toto.io/Statement/v1","subject":[{"digest":${digests}}],"predicateType":"a:b"}`
  const payload = Buffer.from(text).toString('base64')
  const envelope = { payloadType: inTotoType, payload, signatures: [] }
  const [judged] = await judgeEnvelope(Buffer.from(JSON.stringify(envelope)), [], [digest])
  return judged?.artifact
}
