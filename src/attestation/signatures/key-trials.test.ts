import {
  constants,
  createHash,
  generateKeyPairSync,
  type KeyObject,
  privateEncrypt,
  randomBytes,
} from 'node:crypto'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { bytesOfHex, hexOf, joinBytes } from '../decode/bytes.ts'
import { derElement, derInteger, derTag } from '../decode/der.ts'
import { secp256k1Pem } from '../foreign-keys.test-support.ts'
import { rsaNumbers, keyBitsOf } from '../keys/public-key.ts'
import type { TrustedKey } from '../keys/trusted-key.ts'
import { toBase64 } from '../decode/base64.ts'
import { createSigner, keyOf } from '../signing.test-support.ts'
import { createKeyTrials } from './key-trials.ts'

const { subtle } = globalThis.crypto
const message = new TextEncoder().encode('a message')
const trials = (limit = 1000, signal?: AbortSignal) => createKeyTrials({ subtle, limit, signal })

afterEach(() => {
  vi.restoreAllMocks()
})

interface RsaPair {
  readonly key: TrustedKey
  readonly secret: KeyObject
  readonly bits: number
}

function rsaPair(bits: number): RsaPair {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: bits })
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  return { key: keyOf(pem, 'release'), secret: privateKey, bits }
}

/** The signature from which the public key recovers these bytes, whatever they are. */
function signatureOf({ secret, bits }: RsaPair, encoded: Uint8Array): Uint8Array {
  const whole = new Uint8Array(Math.ceil(bits / 8))
  whole.set(encoded, whole.length - encoded.length)
  return new Uint8Array(privateEncrypt({ key: secret, padding: constants.RSA_NO_PADDING }, whole))
}

/** What is said of a signature: how the key made it, or the plain result. */
async function said(key: TrustedKey, signature: Uint8Array, of = message): Promise<string> {
  const trial = await trials().tryKey(key, of, signature)
  if (trial.result !== 'unsupported') return trial.result
  expect(trial.maker).toBe(key)
  const [, how] =
    /^"release" \(RSA-\d+, .*\) made it with (.*), which isn't/.exec(trial.reason) ?? []
  return how ?? trial.reason
}

const pair = rsaPair(2048)
const hashOf = (name: string, data: Uint8Array = message) =>
  new Uint8Array(createHash(name).update(data).digest())
const oid = (hex: string) => derElement(derTag.oid, bytesOfHex(hex) ?? new Uint8Array())
const seq = (...parts: Uint8Array[]) => derElement(derTag.sequence, ...parts)
const octets = (bytes: Uint8Array) => derElement(0x04, bytes)

describe('PKCS#1 v1.5 of an RSA key', () => {
  const infoOf = (id: string, digest: Uint8Array) =>
    seq(seq(oid(id), Uint8Array.of(5, 0)), octets(digest))
  /** RFC 8017, 9.2. */
  const encode = (info: Uint8Array, { begin = [0, 1], padding = 0xff, count = 0 } = {}) => {
    const length = count === 0 ? 256 - info.length - 3 : count
    const before = joinBytes(Uint8Array.from(begin), new Uint8Array(length).fill(padding))
    return joinBytes(
      before,
      Uint8Array.of(0),
      info,
      new Uint8Array(256 - before.length - 1 - info.length),
    )
  }
  const sha1 = infoOf('2b0e03021a', hashOf('sha1'))

  test.each([
    ['2b0e03021a', 'sha1', 'SHA-1'],
    ['2a864886f70d0205', 'md5', 'MD5'],
    ['608648016503040204', 'sha224', 'SHA-224'],
    ['608648016503040205', 'sha512-224', 'SHA-512/224'],
    ['608648016503040206', 'sha512-256', 'SHA-512/256'],
    ['608648016503040207', 'sha3-224', 'SHA3-224'],
    ['608648016503040208', 'sha3-256', 'SHA3-256'],
    ['608648016503040209', 'sha3-384', 'SHA3-384'],
    ['60864801650304020a', 'sha3-512', 'SHA3-512'],
    ['2b24030201', 'sha1', 'the hash 1.3.36.3.2.1'],
    ['6086480165030402010a', 'sha256', 'the hash 2.16.840.1.101.3.4.2.1.10'],
    ['2a608648016503040201', 'sha256', 'the hash 1.2.96.840.1.101.3.4.2.1'],
  ])('with %s (%s) is said to be %s', async (id, name, how) => {
    const sig = signatureOf(pair, encode(infoOf(id, hashOf(name))))
    expect(await said(pair.key, sig)).toBe(`RSA PKCS#1 v1.5 with ${how}`)
  })

  test.each([
    ['608648016503040201', 'sha256'],
    ['608648016503040202', 'sha384'],
    ['608648016503040203', 'sha512'],
    ['2b0e03021a', 'sha1'],
  ])('with %s of another message is a mismatch', async (id, name) => {
    const other = hashOf(name, Uint8Array.of(1))
    expect(await said(pair.key, signatureOf(pair, encode(infoOf(id, other))))).toBe('mismatch')
  })

  test('has eight bytes of padding at least, all of them ones, between its marks', async () => {
    const of = (options: Parameters<typeof encode>[1]) =>
      said(pair.key, signatureOf(pair, encode(sha1, options)))
    expect(await of({ count: 8 })).toBe('RSA PKCS#1 v1.5 with SHA-1')
    expect(await of({ count: 7 })).toBe('mismatch')
    expect(await of({ padding: 0xfe })).toBe('mismatch')
    expect(await of({ begin: [0, 2] })).toBe('mismatch')
    expect(await of({ begin: [1, 1] })).toBe('mismatch')
    const patched = encode(sha1).with(9, 0xfe)
    expect(await said(pair.key, signatureOf(pair, patched))).toBe('mismatch')
    const endless = new Uint8Array(256).fill(0xff)
    endless.set([0, 1])
    expect(await said(pair.key, signatureOf(pair, endless))).toBe('mismatch')
  })

  test.each([
    ['nothing', new Uint8Array()],
    ['no DER', Uint8Array.of(0x30, 0x80)],
    ['no algorithm', seq()],
    ['an algorithm that is damaged', seq(derElement(0x30, Uint8Array.of(6, 9)))],
    ['an algorithm without an identifier', seq(seq(), octets(hashOf('md5')))],
    ['an identifier of another kind', seq(seq(octets(Uint8Array.of(0x2a))), octets(hashOf('md5')))],
    ['no digest', seq(seq(oid('2a864886f70d0205')))],
  ])('with %s behind its padding is a mismatch', async (_, info) => {
    expect(await said(pair.key, signatureOf(pair, encode(info)))).toBe('mismatch')
  })
})

const names: Readonly<Record<string, string>> = {
  'SHA-1': 'sha1',
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
}

/** RFC 8017, 9.1.1, of so many bits; `mark` is what stands before the salt. */
function pss(
  bits: number,
  hash: string,
  mask: string,
  salt: Uint8Array,
  mark = 1,
  of: Uint8Array = message,
): Uint8Array {
  const length = Math.ceil(bits / 8)
  const digest = hashOf(names[hash] ?? '', of)
  const proof = hashOf(names[hash] ?? '', joinBytes(new Uint8Array(8), digest, salt))
  const block = new Uint8Array(length - proof.length - 1)
  block.set(salt, block.length - salt.length)
  block[block.length - salt.length - 1] = mark
  const parts = Array.from({ length: 16 }, (_, count) =>
    hashOf(names[mask] ?? '', joinBytes(proof, Uint8Array.of(0, 0, 0, count))),
  )
  const masks = joinBytes(...parts)
  const masked = block.map((byte, at) => byte ^ (masks[at] ?? 0))
  masked[0] = (masked[0] ?? 0) & (0xff >> (8 * length - bits))
  return joinBytes(masked, proof, Uint8Array.of(0xbc))
}

describe('PSS of an RSA key', () => {
  const salt = new Uint8Array(randomBytes(5))

  test.each(Object.keys(names))('with %s and any mask is said with its salt', async (hash) => {
    for (const mask of Object.keys(names)) {
      const ofMask = mask === hash ? '' : `, ${mask} for its mask`
      const sig = signatureOf(pair, pss(2047, hash, mask, salt))
      expect(await said(pair.key, sig)).toBe(`RSA-PSS with ${hash}${ofMask} and a salt of 5 bytes`)
      expect(await said(pair.key, sig, Uint8Array.of(1))).toBe('mismatch')
    }
  })

  test.each([2041, 2042, 2047, 520])('of %i bits is recovered from all of them', async (bits) => {
    const own = rsaPair(bits)
    for (let round = 0; round < 4; round++) {
      const sig = signatureOf(own, pss(bits - 1, 'SHA-1', 'SHA-1', new Uint8Array(randomBytes(3))))
      expect(await said(own.key, sig)).toBe('RSA-PSS with SHA-1 and a salt of 3 bytes')
    }
  })

  test('may have no salt, and one that begins with anything', async () => {
    for (const other of [[], [0], [1], [0, 0, 1], [1, 1]]) {
      const sig = signatureOf(pair, pss(2047, 'SHA-384', 'SHA-384', Uint8Array.from(other)))
      const how = `RSA-PSS with SHA-384 and a salt of ${other.length} bytes`
      expect(await said(pair.key, sig)).toBe(how)
    }
  })

  test('may have any salt for which there is room', async () => {
    for (const length of [232, 233, 234]) {
      const sig = signatureOf(pair, pss(2047, 'SHA-1', 'SHA-1', new Uint8Array(length).fill(7)))
      expect(await said(pair.key, sig)).toBe(`RSA-PSS with SHA-1 and a salt of ${length} bytes`)
    }
  })

  test('is a mismatch with another mark before its salt, with another end, and with nothing in its block', async () => {
    const good = pss(2047, 'SHA-1', 'SHA-1', salt)
    expect(await said(pair.key, signatureOf(pair, good))).toContain('SHA-1')
    const otherMark = pss(2047, 'SHA-1', 'SHA-1', salt, 2)
    expect(await said(pair.key, signatureOf(pair, otherMark))).toBe('mismatch')
    const otherEnd = good.with(-1, 0xbd)
    expect(await said(pair.key, signatureOf(pair, otherEnd))).toBe('mismatch')
    const empty = pss(2047, 'SHA-1', 'SHA-1', new Uint8Array(), 0)
    expect(await said(pair.key, signatureOf(pair, empty))).toBe('mismatch')
  })

  test('written as the modulus and more is a mismatch: each signature has one spelling', async () => {
    const below = 3n << 1022n
    let own = rsaPair(1024)
    const modulus = () => {
      const numbers = rsaNumbers(keyBitsOf(own.key))
      return BigInt(`0x${numbers?.type === 'RSA' ? hexOf(numbers.modulus) : ''}`)
    }
    while (modulus() >= below) own = rsaPair(1024)
    let sig = new Uint8Array()
    let larger = 1n << 1024n
    while (larger >= 1n << 1024n) {
      sig = new Uint8Array(
        signatureOf(own, pss(1023, 'SHA-1', 'SHA-1', new Uint8Array(randomBytes(9)))),
      )
      larger = BigInt(`0x${hexOf(sig)}`) + modulus()
    }
    expect(await said(own.key, sig)).toBe('RSA-PSS with SHA-1 and a salt of 9 bytes')
    const again = bytesOfHex(larger.toString(16).padStart(256, '0')) ?? new Uint8Array()
    expect(await said(own.key, again)).toBe('mismatch')
  })
})

describe('what an RSA key made in another way', () => {
  const salt = new Uint8Array(20)
  const sig = signatureOf(pair, pss(2047, 'SHA-1', 'SHA-1', salt))

  test('is not looked for where the key says how it signs', async () => {
    expect(await said(pair.key, sig)).toContain('SHA-1')
    for (const jwsAlgorithm of ['RS256', 'PS256', 'none']) {
      expect(await said({ ...pair.key, jwsAlgorithm }, sig)).toBe('mismatch')
    }
    const algorithm = {
      type: 'RSA',
      bits: 2048,
      pssOnly: true,
      pss: { hash: 'SHA-256', leastSalt: 20 },
    } as const
    expect(await said({ ...pair.key, algorithm }, sig)).toBe('mismatch')
  })

  test('is as long as its modulus', async () => {
    expect(await said(pair.key, Uint8Array.of(0, ...sig))).toBe('mismatch')
    expect(await said(pair.key, sig.slice(1))).toBe('mismatch')
  })

  test('is not looked for with an exponent past 2³², which would take its time', async () => {
    const numbers = rsaNumbers(keyBitsOf(pair.key))
    const modulus = numbers?.type === 'RSA' ? numbers.modulus : new Uint8Array()
    const keyWith = (exponent: bigint) => {
      const text = exponent.toString(16)
      const digits = bytesOfHex(text.padStart(text.length + (text.length % 2), '0'))
      return keyOf(toBase64(seq(derInteger(modulus), derInteger(digits ?? modulus))), 'release')
    }
    const { p = '', q = '' } = pair.secret.export({ format: 'jwk' })
    const [ofP, ofQ] = [p, q].map(
      (prime) => BigInt(`0x${Buffer.from(prime, 'base64url').toString('hex')}`) - 1n,
    )
    const order = (ofP ?? 0n) * (ofQ ?? 0n)
    // Both exponents recover the same from each signature.
    expect(await said(keyWith(65537n), sig)).toContain('SHA-1')
    expect(await said(keyWith(65537n + order), sig)).toBe('mismatch')
  })

  test('costs as much as two verifications however long the message is, and is not looked for without effort left', async () => {
    const spent = async (limit: number, of: Uint8Array<ArrayBuffer>) => {
      const { tryKey, tryScheme } = trials(limit)
      const { result } = await tryKey(
        pair.key,
        of,
        signatureOf(pair, pss(2047, 'SHA-1', 'SHA-1', salt, 1, of)),
      )
      const scheme = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const
      const next = await tryScheme(pair.key, scheme, Uint8Array.of(1), new Uint8Array(sig))
      return [result, next.result]
    }
    for (const of of [message, new Uint8Array(2_000_000)]) {
      expect(await spent(0, of)).toEqual(['not-tried', 'not-tried'])
      expect(await spent(2, of)).toEqual(['unsupported', 'not-tried'])
      expect(await spent(3, of)).toEqual(['unsupported', 'mismatch'])
    }
  })

  test('is tried in that way alone', async () => {
    const verified = vi.spyOn(subtle, 'verify')
    const { tryKey } = trials()
    for (const length of [32, 64]) {
      const good = pss(2047, 'SHA-256', 'SHA-256', new Uint8Array(length))
      const { result } = await tryKey(pair.key, message, signatureOf(pair, good))
      expect(result).toBe(length === 32 ? 'verified' : 'unsupported')
    }
    expect(await tryKey(pair.key, message, signatureOf(pair, new Uint8Array(256)))).toEqual({
      result: 'mismatch',
    })
    expect(verified).toHaveBeenCalledTimes(1)
  })
})

test('another limit takes the place of what is left', async () => {
  const { tryScheme, refill } = trials(1)
  const scheme = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const
  const next = async () => (await tryScheme(pair.key, scheme, message, new Uint8Array(256))).result
  expect([await next(), await next()]).toEqual(['mismatch', 'not-tried'])
  refill(1)
  expect([await next(), await next()]).toEqual(['mismatch', 'not-tried'])
})

describe('each key', async () => {
  const p256 = await createSigner('P-256', 'release')
  const scheme = { name: 'ECDSA', curve: 'P-256', hash: 'SHA-256' } as const

  test('is imported once for an algorithm, in a form that nobody can take out again', async () => {
    const importKey = vi.spyOn(subtle, 'importKey')
    const { tryKey, tryScheme } = trials()
    const sig = new Uint8Array(await p256.sign(message))
    for (let time = 0; time < 3; time++) {
      expect(await tryScheme(p256.key, scheme, message, sig)).toMatchObject({ result: 'verified' })
    }
    expect(importKey.mock.calls).toEqual([
      ['spki', p256.key.spki, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['verify']],
    ])
    importKey.mockClear()
    const rsa = signatureOf(pair, pss(2047, 'SHA-256', 'SHA-256', new Uint8Array(32)))
    await tryKey(pair.key, message, rsa)
    await tryKey(pair.key, message, rsa)
    expect(importKey).toHaveBeenCalledTimes(1)
  })

  test('that the engine refuses when it verifies is not supported, and says so', async () => {
    vi.spyOn(subtle, 'verify').mockRejectedValue(new Error('not here'))
    const sig = await p256.sign(message)
    expect(await trials().tryKey(p256.key, message, sig)).toEqual({
      result: 'unsupported',
      reason:
        'This browser rejects the key "release" (ECDSA P-256): it doesn\'t support that kind, or the key is damaged.',
    })
    const own = signatureOf(pair, pss(2047, 'SHA-256', 'SHA-256', new Uint8Array(32)))
    const refused = await trials().tryKey(pair.key, message, own)
    expect(refused).toMatchObject({ result: 'unsupported' })
    expect(refused).not.toHaveProperty('maker')
  })

  test('of a kind that no browser has costs no effort', async () => {
    expect(await trials(0).tryKey(keyOf(secp256k1Pem, 'k1'), message, new Uint8Array(64))).toEqual({
      result: 'unsupported',
      reason: 'The key "k1" (secp256k1) can\'t be used to verify signatures in a browser.',
    })
  })

  test('is tried no more once it was aborted', async () => {
    const abort = new AbortController()
    const { tryKey } = trials(1000, abort.signal)
    const sig = await p256.sign(message)
    expect(await tryKey(p256.key, message, sig)).toMatchObject({ result: 'verified' })
    abort.abort(new Error('enough'))
    await expect(tryKey(p256.key, message, sig)).rejects.toThrow('enough')
  })
})

test('a message is hashed once for each hash, however many signatures need it', async () => {
  const digest = vi.spyOn(subtle, 'digest')
  const { digest: hash } = trials()
  const other = message.slice(1)
  for (let time = 0; time < 2; time++) {
    expect(await hash('SHA-256', message)).toEqual(hashOf('sha256'))
    expect(await hash('SHA-512', message)).toEqual(hashOf('sha512'))
    expect(await hash('SHA-256', other)).toEqual(hashOf('sha256', other))
  }
  expect(digest).toHaveBeenCalledTimes(3)
})
