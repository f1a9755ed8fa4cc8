import { describe, expect, test } from 'vitest'
import { toBase64 } from '../decode/base64.ts'
import { ecdsaDer } from '../ecdsa-der.test-support.ts'
import { secp256k1Pem } from '../foreign-keys.test-support.ts'
import { createSigner, keyOf } from '../signing.test-support.ts'
import { sshSigOf } from '../ssh-signing.test-support.ts'
import { attempt, messageSignature } from './attempt.ts'
import { createKeyTrials, type KeyTrials } from './key-trials.ts'

const { subtle } = globalThis.crypto
const release = await createSigner('P-256', 'release')
const ed25519 = await createSigner('Ed25519', 'ed')
const rsa = await createSigner('RSA-PSS', 'rsa')
const otherRsa = await createSigner('RSA-PSS', 'another')
const foreign = keyOf(secp256k1Pem, 'foreign')
const message = new TextEncoder().encode('a message')
const sig = await release.sign(message)
const encode = (text: string) => new TextEncoder().encode(text)

function trials(limit = 1000): KeyTrials {
  return createKeyTrials({ subtle, limit, signal: undefined })
}

async function wrapped(name: string, sigstore: string, of = message): Promise<string> {
  const digest = toBase64(new Uint8Array(await subtle.digest(name, of)))
  return `{"messageDigest":{"algorithm":"${sigstore}","digest":"${digest}"},"signature":"${toBase64(sig)}"}`
}

describe('what came of trying keys', () => {
  test('is a mismatch where one of them could judge it, whatever the others could', async () => {
    const other = await ed25519.sign(message)
    for (const keys of [[foreign, release.key], [release.key, foreign], [release.key], []]) {
      expect(await attempt(keys, message, other, trials())).toEqual({ result: 'mismatch' })
    }
    expect(await attempt([foreign], message, other, trials())).toMatchObject({
      result: 'unsupported',
    })
  })

  test('on an SSH signature is only what its own key says', async () => {
    const { binary } = await sshSigOf(ed25519, message, 'git')
    expect(await attempt([foreign, release.key], message, binary, trials())).toEqual({
      result: 'other-key',
      reason: "The SSH signature contains a key that isn't trusted.",
    })
    expect(await attempt([foreign, ed25519.key], message, binary, trials())).toMatchObject({
      result: 'verified',
      key: ed25519.key,
    })
    expect(await attempt([ed25519.key], message, binary.slice(0, -1), trials())).toEqual({
      result: 'mismatch',
    })
  })

  test.each([
    ['SHA-256', 'SHA2_256'],
    ['SHA-384', 'SHA2_384'],
    ['SHA-512', 'SHA2_512'],
  ])('in a MessageSignature needs the %s of the very message', async (name, sigstore) => {
    const whole = encode(await wrapped(name, sigstore))
    expect(await attempt([release.key], message, whole, trials())).toMatchObject({
      result: 'verified',
      proof: { isWrapped: true },
    })
    const ofOther = encode(await wrapped(name, sigstore, encode('another')))
    expect(await attempt([release.key], message, ofOther, trials())).toEqual({ result: 'mismatch' })
  })
})

describe('what is proven', () => {
  test('says in which form the signature is written, and whether it was wrapped', async () => {
    const rows = [
      [release, sig, { form: 'P1363', isWrapped: false, namespace: undefined }],
      [release, ecdsaDer(sig), { form: 'DER', isWrapped: false }],
      [ed25519, await ed25519.sign(message), { form: 'plain', isWrapped: false }],
      [
        ed25519,
        (await sshSigOf(ed25519, message, 'git')).armored,
        { form: 'SSHSIG', isWrapped: false, namespace: 'git', algorithm: 'Ed25519' },
      ],
      [release, encode(await wrapped('SHA-256', 'SHA2_256')), { form: 'P1363', isWrapped: true }],
    ] as const
    for (const [{ key }, bytes, proof] of rows) {
      expect(await attempt([key], message, bytes, trials())).toMatchObject({
        result: 'verified',
        key,
        proof,
      })
    }
  })

  test('is nothing where no effort is left, or the signature is of a kind that is not supported', async () => {
    const keys = [release.key, ed25519.key]
    expect(await attempt(keys, message, sig, trials(0))).toEqual({ result: 'not-tried' })
    const security = await sshSigOf(ed25519, message, 'git', 'sk-ssh-ed25519@openssh.com')
    expect(await attempt(keys, message, security.binary, trials())).toMatchObject({
      result: 'unsupported',
      reason: expect.stringContaining('SSH') as unknown,
    })
  })

  test('is who made it in a form that is not supported, whatever else could judge it', async () => {
    const odd = await rsa.sign(message, { saltLength: 20 })
    for (const keys of [
      [rsa.key, otherRsa.key],
      [otherRsa.key, foreign, rsa.key],
    ]) {
      expect(await attempt(keys, message, odd, trials())).toMatchObject({
        result: 'unsupported',
        maker: rsa.key,
      })
    }
  })
})

describe('a MessageSignature', () => {
  test.each([
    ['with a blank before it', (json: string) => ` ${json}`],
    ['with a member more', (json: string) => json.replace('}', ',"more":1}')],
    ['with a member more beside', (json: string) => json.replace(/}$/, ',"more":1}')],
    ['with another name', (json: string) => json.replace('"digest"', '"digests"')],
    ['of an unknown hash', (json: string) => json.replace('SHA2_256', 'SHA1')],
    ['whose base64 lacks its padding', (json: string) => json.replace(/=+"/, '"')],
    ['without a digest', () => '{"messageDigest":null,"signature":"AAAA"}'],
    [
      'without a signature',
      () => '{"messageDigest":{"algorithm":"SHA2_256","digest":"AAAA"},"signature":1}',
    ],
    ['that is no JSON', () => '{"messageDigest"'],
  ])('%s is none', async (_, change) => {
    const json = await wrapped('SHA-256', 'SHA2_256')
    expect(messageSignature(encode(json))?.signature).toEqual(sig)
    expect(messageSignature(encode(change(json)))).toBeUndefined()
  })

  test('has 100,000 bytes at most', () => {
    const begin = '{"messageDigest":{"algorithm":"SHA2_256","digest":"AAAA"},"signature":"'
    const ofLength = (length: number): string => {
      const json = `${begin}${'A'.repeat(Math.floor((length - begin.length - 2) / 4) * 4)}"}`
      return json.replace('":"', `":${' '.repeat(length - json.length)}"`)
    }
    expect(messageSignature(encode(ofLength(100_000)))).toBeDefined()
    expect(messageSignature(encode(ofLength(100_001)))).toBeUndefined()
  })
})

describe('effort', () => {
  test('is spent by each verification, and one more for every MB', async () => {
    const scheme = { name: 'ECDSA', curve: 'P-256', hash: 'SHA-256' } as const
    const results = async (limit: number, size: number) => {
      const { tryScheme } = trials(limit)
      const all = []
      for (let time = 0; time < 4; time++) {
        all.push((await tryScheme(release.key, scheme, new Uint8Array(size), sig.slice())).result)
      }
      return all.indexOf('not-tried')
    }
    expect([await results(0, 10), await results(1, 10), await results(3, 10)]).toEqual([0, 1, 3])
    expect([await results(3, 999_999), await results(3, 1_000_000)]).toEqual([3, 2])
  })

  test('is not spent on what a key cannot have made, or cannot verify', async () => {
    const { tryKey } = trials(0)
    expect(await tryKey(rsa.key, message, sig)).toEqual({ result: 'mismatch' })
    expect(await tryKey(ed25519.key, message, sig.slice(1))).toEqual({ result: 'mismatch' })
    expect(await tryKey(release.key, message, sig)).toEqual({ result: 'not-tried' })
    const refused = await tryKey(foreign, message, sig)
    expect(refused).toMatchObject({ result: 'unsupported' })
    expect(refused.result === 'unsupported' && refused.reason).toContain("can't be used to verify")
  })
})
