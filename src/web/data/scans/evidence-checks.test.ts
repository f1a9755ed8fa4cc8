import { QueryClient } from '@tanstack/react-query'
import { afterEach, expect, test } from 'vitest'
import { createSigner, inTotoType, paeOf } from '../../../attestation/signing.test-support.ts'
import { createManualClock } from '../../../protocol/manual-clock.test-support.ts'
import { readAttestationUri } from '../../../protocol/package-address.ts'
import type { SigstoreTrust } from '../../../protocol/proxy-config.ts'
import { createAttestationRunner } from '../attestation/attestation-runner.ts'
import { createTestSigstore } from '../attestation/keyless.test-support.ts'
import { startEngineHere } from './stored-evidence.test-support.ts'
import { createEvidenceChecks, standingOf } from './evidence-checks.ts'
import { type AnsweringServer, answeringServer } from './policy-scan.test-support.ts'
import { createRequest } from '../core/request.ts'
import { createSession } from '../core/session.ts'

/** Evidence fetched from a server over a socket, verified with real keys. */

let server: AnsweringServer | undefined

afterEach(async () => {
  await server?.stop()
  server = undefined
})

const digest = 'ab'.repeat(32)
const text = statement([{ name: 'a', digest: { sha256: digest } }])

function statement(subject: unknown): string {
  return JSON.stringify({ _type: 'https://in-toto.io/Statement/v1', subject, predicateType: 'a:b' })
}

const noSigstore: SigstoreTrust | undefined = undefined
const signer = await createSigner('P-256', 'acme-release')
const stranger = await createSigner('P-256', 'nobody')

/**
 * As evidence of the package, at whose digest the attestation is stored unless another is said; a text
 * is answered as it stands.
 */
async function check(
  answer: unknown,
  { status = 200, storedAt = `sha256:${digest}`, sigstore = noSigstore } = {},
) {
  const started = await answeringServer((_request, response) => {
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(typeof answer === 'string' ? answer : JSON.stringify(answer))
  })
  server = started
  const clock = createManualClock(1_000_000)
  const isOnline = (): boolean => true
  const send: typeof fetch = (input, init) => {
    const path = input instanceof Request ? input.url : input.toString()
    return path === '/session'
      ? Promise.resolve(
          Response.json({ token: 't', expiresAt: 9e9, user: { name: 'a', roles: [] } }),
        )
      : fetch(`${started.origin}${path}`, init)
  }
  const session = createSession({ fetch: send, clock, isOnline })
  const request = createRequest({ fetch: send, session, clock, isOnline })
  const runner = createAttestationRunner(startEngineHere)
  const checks = createEvidenceChecks(request, runner, { keys: [signer.key], sigstore })
  const address = readAttestationUri(`/packages/oci/a/1/${storedAt}/attestations/af:e/1`)
  if (address === undefined) throw new Error('the address of the test is none')
  return new QueryClient().query({ ...checks.query(address, digest), retry: false })
}

/** A DSSE envelope as services write it. */
function envelope(
  signatures: readonly { readonly sig: Uint8Array; readonly keyid?: string }[],
  payload = text,
) {
  return {
    payloadType: inTotoType,
    payload: Buffer.from(payload).toString('base64'),
    signatures: signatures.map(({ sig, ...more }) => ({
      ...more,
      sig: Buffer.from(sig).toString('base64'),
    })),
  }
}

test('evidence that a trusted key verifies is valid by its name', async () => {
  const sig = await signer.sign(paeOf(text))
  expect(await check(envelope([{ sig }]))).toEqual({
    signature: { is: 'valid', by: ['acme-release'], verified: 1, all: 1 },
    subject: 'package',
  })
})

test('beside a signature of somebody else it is one of two', async () => {
  const sigs = [await stranger.sign(paeOf(text)), await signer.sign(paeOf(text))]
  expect(await check(envelope(sigs.map((sig) => ({ sig }))))).toMatchObject({
    signature: { is: 'valid', verified: 1, all: 2 },
  })
})

test('evidence that was changed after it was signed is not valid', async () => {
  const sig = await signer.sign(paeOf(`${text} `))
  expect(await check(envelope([{ sig, keyid: 'acme-release' }]))).toMatchObject({
    signature: { is: 'not-valid', reason: expect.stringContaining('"acme-release"') as string },
  })
})

test('of a signature that no key can have made, none is said to have been named', async () => {
  const reason =
    "Its bytes aren't a signature of any known kind, so no key can have made it in this form."
  expect(await check(envelope([{ sig: Uint8Array.of(1, 2, 3) }]))).toMatchObject({
    signature: { is: 'not-valid', reason },
  })
})

test('evidence by a key that is not here is by an unknown key, and never valid', async () => {
  const sig = await stranger.sign(paeOf(text))
  expect(await check(envelope([{ sig, keyid: 'ab'.repeat(32) }]))).toMatchObject({
    signature: { is: 'unknown-key' },
  })
})

test('a signature that is refuted counts before one that holds', async () => {
  const [good, bad] = [await signer.sign(paeOf(text)), await signer.sign(paeOf(`${text} `))]
  const both = [{ sig: good }, { sig: bad, keyid: 'acme-release' }]
  expect(await check(envelope(both))).toMatchObject({ signature: { is: 'not-valid' } })
})

test.each([
  ['another artifact', [{ digest: { sha256: 'cd'.repeat(32) } }], 'another', 'another-artifact'],
  ['nothing', [], 'nothing', 'no-subject'],
  [
    'what has no such digest',
    [{ digest: { gitCommit: '1'.repeat(40) } }],
    'not-compared',
    'not-compared',
  ],
])(
  'signed evidence about %s is not valid evidence of the package',
  async (_, subjects, subject, standing) => {
    const other = statement(subjects)
    const found = await check(envelope([{ sig: await signer.sign(paeOf(other)) }], other))
    expect(found).toMatchObject({ signature: { is: 'valid' }, subject })
    expect(standingOf(found)).toBe(standing)
  },
)

test('evidence that is stored for another artifact, and about that, is not about the package', async () => {
  const sha256 = 'cd'.repeat(32)
  const storedAt = `sha256:${sha256}`
  const other = statement([{ digest: { sha256 } }])
  const signed = envelope([{ sig: await signer.sign(paeOf(other)) }], other)
  expect(await check(signed, { storedAt })).toMatchObject({ subject: 'another' })
  const own = envelope([{ sig: await signer.sign(paeOf(text)) }])
  expect(await check(own, { storedAt })).toMatchObject({ subject: 'package' })
})

test.each([
  ['sha512', 'cd'.repeat(64)],
  ['sha3_256', 'cd'.repeat(32)],
  ['blake2b', 'cd'.repeat(64)],
  ['gitCommit', 'cd'.repeat(32)],
])(
  'evidence that has only the %s of its address has nothing to compare with the SHA-256 of the package',
  async (algorithm, value) => {
    const stored = { digest: { [algorithm]: value } }
    for (const subjects of [[stored], [stored, { digest: { sha256: 'ef'.repeat(32) } }]]) {
      const other = statement(subjects)
      const signed = envelope([{ sig: await signer.sign(paeOf(other)) }], other)
      const found = await check(signed, { storedAt: `${algorithm}:${value}` })
      expect(standingOf(found)).not.toBe('valid')
      await server?.stop()
    }
  },
)

test('evidence by a keyless signer who is not trusted is valid and by nobody trusted, and says why', async () => {
  const { bundle, trustedRoot } = createTestSigstore()
  const found = await check(bundle(text), { sigstore: { trustedRoot, identities: [] } })
  expect(found).toEqual({
    signature: {
      is: 'untrusted',
      reason: 'Identity: No trusted identity of the configuration is meant.',
      verified: 1,
      all: 1,
    },
    subject: 'package',
  })
  expect(standingOf(found)).toBe('untrusted-signer')
  await server?.stop()
  expect(await check(bundle(text))).toMatchObject({
    signature: {
      is: 'untrusted',
      reason: 'Its key came with the attestation, so anyone could have added it.',
    },
  })
})

test('evidence that a trusted key made in an older form is neither valid nor forged', async () => {
  const sig = await signer.sign(new TextEncoder().encode(text))
  const found = await check(envelope([{ sig }]))
  expect(found).toMatchObject({
    signature: { is: 'other-form', reason: expect.stringContaining('older than DSSE') as string },
  })
  expect(standingOf(found)).toBe('other-form')
})

test('of several attestations in one answer the worst counts, and so does what is no attestation', async () => {
  const good = JSON.stringify(envelope([{ sig: await signer.sign(paeOf(text)) }]))
  const sig = await signer.sign(paeOf(`${text} `))
  const forged = JSON.stringify(envelope([{ sig, keyid: 'acme-release' }]))
  const rows = [
    [`${good}\n${good}`, 'valid'],
    [`${good}\n${forged}`, 'mismatch'],
    [`[${good},${forged}]`, 'mismatch'],
    [`${good}\n${text}`, 'not-checked'],
    [`${good}\n{"payload":"e30=",${good.slice(1)}`, 'not-checked'],
  ] as const
  for (const [answer, standing] of rows) {
    expect(standingOf(await check(answer))).toBe(standing)
    await server?.stop()
  }
})

test('evidence whose type is not that of a statement is not about the package', async () => {
  const payloadType = 'application/vnd.acme.config+json'
  const config = {
    ...envelope([{ sig: await signer.sign(paeOf(text, payloadType)) }]),
    payloadType,
  }
  expect(await check(config)).toMatchObject({
    signature: { is: 'valid' },
    subject: 'not-compared',
  })
})

test('evidence without a signature says so', async () => {
  expect(await check(envelope([]))).toMatchObject({ signature: { is: 'unsigned' } })
})

test('an answer that is no attestation is not checked', async () => {
  expect(await check({ hello: 'world' })).toMatchObject({
    signature: { is: 'not-checked' },
    subject: 'not-compared',
  })
})

test('an envelope in which a field stands twice is refused as it was sent', async () => {
  const signed = JSON.stringify(envelope([{ sig: await signer.sign(paeOf(text)) }]))
  for (const twice of ['"payload":"e30=",', '"signatures":[],']) {
    expect(await check(`{${twice}${signed.slice(1)}`)).toMatchObject({
      signature: { is: 'not-checked' },
      subject: 'not-compared',
    })
    await server?.stop()
  }
})

test("what cannot be fetched fails with the server's own message", async () => {
  await expect(check({}, { status: 404 })).rejects.toMatchObject({ status: 404 })
})
