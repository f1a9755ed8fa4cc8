import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../property-runs.test-support.ts'
import { ecdsaDer } from './ecdsa-der.test-support.ts'
import { sshSigOf } from './ssh-signing.test-support.ts'
import { createSigner, envelopeOf, inTotoType, paeOf } from './signing.test-support.ts'
import { threshold } from './signatures/signature-verdict.ts'
import type { TrustedKey } from './keys/trusted-key.ts'
import { verify } from './verify.ts'

const text = '{"predicateType":"https://slsa.dev/provenance/v1","subject":[{"digest":{}}]}'
const message = paeOf(text)
const ec = await createSigner('P-256')
const ec521 = await createSigner('P-521')
const ed = await createSigner('Ed25519')
const rsa = await createSigner('RSASSA-PKCS1-v1_5')
const pss = await createSigner('RSA-PSS')
const keys = [ec, ec521, ed, rsa, pss].map(({ key }) => key)

const forms: [string, Uint8Array, TrustedKey][] = [
  ['ECDSA in DER', ecdsaDer(await ec.sign(message)), ec.key],
  ['ECDSA as r||s', await ec.sign(message), ec.key],
  ['ECDSA P-521 in DER', ecdsaDer(await ec521.sign(message)), ec521.key],
  ['Ed25519', await ed.sign(message), ed.key],
  ['RSA PKCS#1', await rsa.sign(message), rsa.key],
  ['RSA PSS', await pss.sign(message), pss.key],
  ['SSHSIG', (await sshSigOf(ed, message, 'git')).binary, ed.key],
]

function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const copy = bytes.slice()
  const at = Math.floor(bit / 8) % copy.length
  copy[at] = (copy[at] ?? 0) ^ (1 << (bit % 8))
  return copy
}

async function verdictOf(sig: Uint8Array, by: readonly TrustedKey[], more = {}) {
  const [verdict] = await verify(envelopeOf(text, [{ sig }], more), by)
  return verdict?.verdict
}

describe.each(forms)('%s', (_, sig, key) => {
  test('verifies as it is', async () => {
    expect(await verdictOf(sig, keys)).toBe('verified')
  })

  test('verifies with no bit of the signature flipped', async () => {
    // Every bit of the short ones, a sample of the long.
    const bits = 8 * sig.length
    for (let bit = 0; bit < bits; bit += bits > 600 ? 31 : 1) {
      expect(await verdictOf(flipped(sig, bit), [key]), `bit ${bit}`).not.toBe('verified')
    }
  })

  test('verifies with no bit of the payload or its type changed', async () => {
    const payload = new TextEncoder().encode(text)
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 8 * payload.length - 1 }), async (bit) => {
        expect(await verdictOf(sig, [key], { payload: flipped(payload, bit) })).not.toBe('verified')
      }),
      { numRuns: runs(25) },
    )
    const types = [
      `${inTotoType}A`,
      inTotoType.slice(1),
      inTotoType.toUpperCase(),
      '',
      ` ${inTotoType}`,
    ]
    for (const payloadType of types) {
      expect(await verdictOf(sig, [key], { payloadType }), payloadType).not.toBe('verified')
    }
  })

  test('verifies with nothing put before, after or between', async () => {
    const arbitrary = fc.tuple(
      fc.nat({ max: sig.length }),
      fc.uint8Array({ minLength: 1, maxLength: 4 }),
    )
    await fc.assert(
      fc.asyncProperty(arbitrary, async ([at, more]) => {
        const longer = Uint8Array.from([...sig.subarray(0, at), ...more, ...sig.subarray(at)])
        expect(await verdictOf(longer, [key])).not.toBe('verified')
      }),
      { numRuns: runs(25) },
    )
  })

  test('shifting bytes between type and payload is noticed', async () => {
    const payload = new TextEncoder().encode(`+json ${text.length} ${text}`)
    const payloadType = 'application/vnd.in-toto'
    expect(await verdictOf(sig, [key], { payload, payloadType })).not.toBe('verified')
  })
})

test('any bytes at all get a verdict that is not verified', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (sig) => {
      expect(['mismatch', 'unsupported', 'unknown-key', 'unsigned']).toContain(
        await verdictOf(sig, keys),
      )
    }),
    { numRuns: runs(100) },
  )
})

test('a threshold never counts more keys than there are, whatever the signatures', async () => {
  const arbitrary = fc.array(fc.constantFrom(...forms.map(([, sig]) => sig)), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(arbitrary, async (sigs) => {
      const verdicts = await verify(
        envelopeOf(
          text,
          sigs.map((sig) => ({ sig })),
        ),
        keys,
      )
      const counted = threshold(verdicts).keys
      expect(new Set(counted).size).toBe(counted.length)
      expect(counted.length).toBeLessThanOrEqual(keys.length)
    }),
    { numRuns: runs(20) },
  )
})
