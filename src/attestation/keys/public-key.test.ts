import { createECDH } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { bytesOfHex, hexOf } from '../decode/bytes.ts'
import { derElement, derInteger, derSequence, derTag } from '../decode/der.ts'
import { ecPem, rsaPem } from '../foreign-keys.test-support.ts'
import { type Curve, curves, keyOid } from './key-algorithm.ts'
import {
  certificateKey,
  keyBitsOf,
  keyIdentity,
  publicKeyOf,
  readSpki,
  rsaNumbers,
} from './public-key.ts'

const hex = (text: string) => bytesOfHex(text) ?? new Uint8Array()
const oid = (content: string) => derElement(derTag.oid, hex(content))
const seq = (...parts: Uint8Array[]) => derElement(derTag.sequence, ...parts)
const bits = (content: Uint8Array, unused = 0) =>
  derElement(derTag.bitString, Uint8Array.of(unused), content)
const derOf = (pem: string) =>
  Uint8Array.from(Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64'))

const rsaSpki = derOf(rsaPem)
const rsaBits = rsaSpki.subarray(derSequence(rsaSpki)?.[1]?.from)
const sha256 = seq(oid('608648016503040201'))
const mgf1 = (hash: Uint8Array) => seq(oid('2a864886f70d010108'), hash)

/** What is made of an RSA key that is for PSS with these parameters alone. */
function pss(...parameters: Uint8Array[]) {
  const algorithm = readSpki(seq(seq(oid(keyOid.rsaPss), seq(...parameters)), rsaBits))?.algorithm
  return algorithm?.type === 'unsupported' ? algorithm.name : algorithm
}

describe('parameters of a key for PSS (RFC 4055, 3.1)', () => {
  const hash = derElement(0xa0, sha256)
  const mask = derElement(0xa1, mgf1(sha256))
  const salt = (...digits: number[]) =>
    derElement(0xa2, derElement(derTag.integer, Uint8Array.from(digits)))
  const allowed = (leastSalt: number) => ({ type: 'RSA', pss: { hash: 'SHA-256', leastSalt } })

  test('are obeyed', () => {
    expect(pss(hash, mask, salt(32))).toEqual({ ...allowed(32), bits: 2048, pssOnly: true })
    expect(pss(hash, mask, salt(0, 200))).toMatchObject(allowed(200))
    // What is left of the 256 bytes of an encoded message without the two that mark it.
    expect(pss(hash, mask, salt(0, 254))).toMatchObject(allowed(254))
    expect(pss(hash, mask, salt(0, 255))).toContain('RSA-PSS with ')
  })

  test.each([
    ['SHA-384', '608648016503040202'],
    ['SHA-512', '608648016503040203'],
  ])('may be of %s', (name, id) => {
    const parameters = [derElement(0xa0, seq(oid(id))), derElement(0xa1, mgf1(seq(oid(id))))]
    expect(pss(...parameters)).toMatchObject({ pss: { hash: name, leastSalt: 20 } })
  })

  test('that no browser has are called by their names', () => {
    const parameters = (id: string, mask: string) => [
      derElement(0xa0, seq(oid(id))),
      derElement(0xa1, mgf1(seq(oid(mask)))),
    ]
    const [sha1, sha224] = ['2b0e03021a', '608648016503040204']
    expect(pss(...parameters(sha1, sha224))).toBe('RSA-PSS with SHA-1 and SHA-224 for its mask')
    expect(pss(...parameters('2b0e0302', sha1))).toBe(
      'RSA-PSS with another hash and SHA-1 for its mask',
    )
  })

  test('of a key with more bits may be a longer salt', () => {
    const modulus = new Uint8Array(512).fill(0x81)
    const numbers = bits(seq(derInteger(modulus), derInteger(Uint8Array.of(3))))
    const spki = seq(seq(oid(keyOid.rsaPss), seq(hash, mask, salt(1, 44))), numbers)
    expect(readSpki(spki)?.algorithm).toMatchObject(allowed(300))
  })

  test('make no key of numbers that are none, and no other kind of one that is too large', () => {
    const of = (numbers: Uint8Array) =>
      readSpki(seq(seq(oid(keyOid.rsaPss), seq(hash, mask, salt(32))), bits(numbers)))
    expect(of(seq())).toBeUndefined()
    const large = new Uint8Array(1025).fill(1)
    expect(of(seq(derInteger(large), derInteger(Uint8Array.of(3))))?.algorithm).toEqual({
      type: 'unsupported',
      name: 'RSA with 8193 bits (maximum 8192)',
    })
  })

  test('that are left out mean SHA-1 and a salt of 20 bytes', () => {
    expect(pss()).toBe('RSA-PSS with SHA-1 and SHA-1 for its mask')
    expect(pss(hash)).toBe('RSA-PSS with SHA-256 and SHA-1 for its mask')
    expect(pss(mask)).toBe('RSA-PSS with SHA-1 and SHA-256 for its mask')
    expect(pss(hash, mask)).toMatchObject(allowed(20))
  })

  test.each([
    ['a salt longer than the key', [hash, mask, salt(1, 0)]],
    ['a salt of three bytes', [hash, mask, salt(1, 0, 0)]],
    ['a negative salt', [hash, mask, salt(0x80)]],
    ['another last byte', [hash, mask, derElement(0xa3, derElement(2, Uint8Array.of(2)))]],
    ['another hash', [derElement(0xa0, seq(oid('2b0e0302'))), mask]],
    ['no sequence of elements', [Uint8Array.of(0xa0, 0x80)]],
    ['a damaged hash', [derElement(0xa0, Uint8Array.of(6, 9)), mask]],
    ['a damaged mask', [hash, derElement(0xa1, derElement(0x30, Uint8Array.of(6, 9)))]],
  ])('of %s make it unsupported', (_, parameters) => {
    expect(pss(...parameters)).toContain('RSA-PSS with ')
  })

  test('that are none at all make it a key for PSS with any', () => {
    const spki = seq(seq(oid(keyOid.rsaPss)), rsaBits)
    expect(readSpki(spki)?.algorithm).toMatchObject({ type: 'RSA', pssOnly: true })
    expect(readSpki(spki)?.algorithm).not.toHaveProperty('pss')
  })
})

describe('numbers', () => {
  const rsa = (modulus: Uint8Array, exponent = Uint8Array.of(1, 0, 1)) =>
    publicKeyOf({ type: 'RSA', modulus, exponent })?.algorithm
  const modulus = (bytes: number, first = 0x80) => {
    const all = new Uint8Array(bytes).fill(1)
    all[0] = first
    return all
  }

  test('of RSA have 512 bits at least and 8192 at most, and an exponent', () => {
    expect(rsa(modulus(64))).toMatchObject({ type: 'RSA', bits: 512 })
    expect(rsa(modulus(64, 0x7f))).toBeUndefined()
    expect(rsa(modulus(1024, 0xff))).toMatchObject({ bits: 8192 })
    expect(rsa(modulus(1025, 1))).toEqual({
      type: 'unsupported',
      name: 'RSA with 8193 bits (maximum 8192)',
    })
    expect(rsa(modulus(64), new Uint8Array(3))).toBeUndefined()
    // With these anyone can sign, or nobody.
    for (const exponent of [[1], [0, 1], [2], [1, 0, 0]]) {
      expect(rsa(modulus(64), Uint8Array.from(exponent))).toBeUndefined()
    }
    expect(rsa(modulus(64), Uint8Array.of(3))).toMatchObject({ bits: 512 })
    expect(rsa(new Uint8Array(64))).toBeUndefined()
  })

  test('of RSA are two that are not negative', () => {
    const good = derInteger(modulus(64))
    const negative = derElement(derTag.integer, Uint8Array.of(0x80))
    expect(rsaNumbers(seq(good, derInteger(Uint8Array.of(3))))).toEqual({
      type: 'RSA',
      modulus: modulus(64),
      exponent: Uint8Array.of(3),
    })
    for (const wrong of [seq(good), seq(good, negative), seq(negative, good), seq(), good]) {
      expect(rsaNumbers(wrong)).toBeUndefined()
    }
  })

  test('of Ed25519 are the y of a point', () => {
    const ed25519 = (point: Uint8Array) => publicKeyOf({ type: 'Ed25519', point })
    const base = Uint8Array.from([0x58, ...new Array<number>(31).fill(0x66)])
    expect(ed25519(base)?.algorithm).toEqual({ type: 'Ed25519' })
    const two = new Uint8Array(32)
    two[0] = 2
    expect(ed25519(two)).toBeUndefined()
    expect(ed25519(base.subarray(1))).toBeUndefined()
    // 2²⁵⁵ - 19 is no number of the field.
    expect(ed25519(Uint8Array.from([0xed, ...new Array<number>(30).fill(0xff), 0x7f]))).toBe(
      undefined,
    )
  })

  // With these anyone can sign: each times eight is nothing.
  test.each([
    ['01', '0'.repeat(62)],
    ['01', `${'0'.repeat(60)}80`],
    ['00', '0'.repeat(62)],
    ['00', `${'0'.repeat(60)}80`],
    ['ec', `${'f'.repeat(60)}7f`],
    ['ec', 'f'.repeat(62)],
    ['26', 'e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'],
    ['26', 'e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85'],
    ['c7', '176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'],
    ['c7', '176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa'],
  ])('of Ed25519 are no point of a small order: %s%s', (first, rest) => {
    expect(publicKeyOf({ type: 'Ed25519', point: hex(first + rest) })).toBeUndefined()
  })

  test('of a curve are a point on it, compressed or not', () => {
    const spki = derOf(ecPem)
    const point = spki.subarray(-65)
    const of = (...parts: (Uint8Array | number)[]) =>
      publicKeyOf({
        type: 'EC',
        curve: 'P-256',
        point: Uint8Array.from(
          parts.flatMap((part) => (typeof part === 'number' ? part : [...part])),
        ),
      })?.algorithm
    const [x, y] = [point.subarray(1, 33), point.subarray(33)]
    const onCurve = { type: 'EC', curve: 'P-256' }
    for (const whole of [of(4, x, y), of(2, x), of(3, x)]) expect(whole).toEqual(onCurve)
    for (const wrong of [
      of(4, y, x),
      of(4, x),
      of(2, x, y),
      of(5, x),
      of(),
      of(4, x, y, 0),
      of(4, x, 0, y),
    ]) {
      expect(wrong).toBeUndefined()
    }
    const prime = hex(curves['P-256'].prime.toString(16).padStart(64, '0'))
    expect([of(2, prime), of(4, prime, y), of(4, x, prime)]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    // A y goes with about half of all x.
    const small = new Uint8Array(32)
    const isSquare = Array.from({ length: 20 }, (_, first) => {
      small[31] = first + 1
      return of(2, small) !== undefined
    })
    expect(new Set(isSquare)).toEqual(new Set([true, false]))
  })

  test('of P-521, which has room for more, are below its prime', () => {
    const ecdh = createECDH('secp521r1')
    const point = new Uint8Array(ecdh.generateKeys())
    const of = (x: Uint8Array, y: Uint8Array, mark = 4) =>
      publicKeyOf({ type: 'EC', curve: 'P-521', point: Uint8Array.of(mark, ...x, ...y) })
    const more = (number: Uint8Array) => {
      const value = BigInt(`0x${hexOf(number)}`) + curves['P-521'].prime
      return hex(value.toString(16).padStart(132, '0'))
    }
    const [x, y] = [point.subarray(1, 67), point.subarray(67)]
    expect(of(x, y)).toBeDefined()
    expect(of(x, new Uint8Array(), 2)).toBeDefined()
    expect(of(more(x), y)).toBeUndefined()
    expect(of(more(x), new Uint8Array(), 2)).toBeUndefined()
    expect(of(x, more(y))).toBeUndefined()
  })

  test.each<Curve>(['P-256', 'P-384', 'P-521'])('of %s are as long as the curve', (curve) => {
    const { size, oid: name } = curves[curve]
    const short = bits(Uint8Array.from([4, ...new Uint8Array(2 * size - 1)]))
    expect(readSpki(seq(seq(oid(keyOid.ec), oid(name)), short))).toBeUndefined()
  })
})

describe('what is no public key', () => {
  const good = derOf(ecPem)
  const [identifier] = derSequence(good) ?? []
  const algorithm = good.subarray(identifier?.from, identifier?.to)
  const point = good.subarray(-65)

  test.each([
    ['with bits that are left over', seq(algorithm, bits(point, 1))],
    ['with a third part', seq(algorithm, bits(point), bits(point))],
    ['without its bits', seq(algorithm)],
    ['without an algorithm', seq(seq(), bits(point))],
    ['whose algorithm is no sequence', seq(oid(keyOid.ec), bits(point))],
    [
      'whose algorithm is a set',
      seq(derElement(0x31, oid(keyOid.ec), oid('2a8648ce3d030107')), bits(point)),
    ],
    ['whose bits are octets', seq(algorithm, derElement(0x04, Uint8Array.of(0), point))],
    ['whose algorithm is damaged', seq(derElement(0x30, Uint8Array.of(6, 9)), bits(point))],
    [
      'of an RSA key with a third number',
      seq(
        seq(oid(keyOid.rsa)),
        bits(
          seq(
            derInteger(new Uint8Array(64).fill(0x81)),
            derInteger(Uint8Array.of(3)),
            derInteger(Uint8Array.of(1)),
          ),
        ),
      ),
    ],
  ])('%s is none', (_, bytes) => {
    expect(readSpki(bytes)).toBeUndefined()
  })

  test.each([
    [
      'a curve by parameters of its own',
      seq(seq(oid(keyOid.ec), seq()), bits(point)),
      'EC without a named curve',
    ],
    ['a curve of no name', seq(seq(oid(keyOid.ec)), bits(point)), 'EC without a named curve'],
    [
      'a curve of another name',
      seq(seq(oid(keyOid.ec), oid('2b8104000a')), bits(point)),
      'secp256k1',
    ],
    [
      'an algorithm that nobody knows',
      seq(seq(oid('2a0304')), bits(point)),
      'the algorithm 1.2.3.4',
    ],
  ])('%s is a key that is not supported', (_, bytes, name) => {
    expect(readSpki(bytes)?.algorithm).toEqual({ type: 'unsupported', name })
  })

  test('a key is a copy of the bytes as they were written, and what its bits are', () => {
    const kept = (bytes: Uint8Array) => {
      const given = bytes.slice()
      const key = readSpki(given)
      given.fill(0)
      return key
    }
    const unsupported = seq(seq(oid('2a0304')), bits(point))
    const forPss = seq(seq(oid(keyOid.rsaPss), seq()), rsaBits)
    // Without the NULL that others write.
    const bare = seq(seq(oid(keyOid.rsa)), rsaBits)
    for (const bytes of [good, unsupported, forPss, bare]) expect(kept(bytes)?.spki).toEqual(bytes)
    expect(kept(bare)?.algorithm).toEqual({ type: 'RSA', bits: 2048, pssOnly: false })
    expect(keyBitsOf({ spki: good.slice() })).toEqual(point)
    expect(keyBitsOf({ spki: seq(algorithm) })).toEqual(new Uint8Array())
    expect(keyBitsOf({ spki: new Uint8Array() })).toEqual(new Uint8Array())
  })

  test('a certificate has its key with a version and without, and none where it is damaged', () => {
    const empty = seq()
    const certificate = (...fields: Uint8Array[]) =>
      seq(seq(...fields), empty, bits(new Uint8Array()))
    const version = derElement(0xa0, derInteger(Uint8Array.of(2)))
    const five = [empty, empty, empty, empty, empty]
    expect(certificateKey(certificate(...five, good))?.spki).toEqual(good)
    expect(certificateKey(certificate(version, ...five, good))?.spki).toEqual(good)
    expect(certificateKey(certificate(...five))).toBeUndefined()
    expect(certificateKey(seq(Uint8Array.of(0x30, 2, 2, 9), empty, bits(empty)))).toBeUndefined()
    expect(certificateKey(seq(seq(...five, good), empty))).toBeUndefined()
    const set = derElement(0x31, ...five, good)
    expect(certificateKey(seq(set, empty, bits(empty)))).toBeUndefined()
    expect(certificateKey(new Uint8Array())).toBeUndefined()
  })
})

describe('the identity of a key', () => {
  const identityOf = (numbers: Parameters<typeof publicKeyOf>[0]) => {
    const key = publicKeyOf(numbers)
    return key && keyIdentity(key)
  }

  test.each([
    ['P-256', 'prime256v1'],
    ['P-384', 'secp384r1'],
    ['P-521', 'secp521r1'],
  ] as const)('is that of its point on %s, written short or not', (curve, name) => {
    const pair = createECDH(name)
    pair.generateKeys()
    const short = Uint8Array.from(pair.getPublicKey(null, 'compressed'))
    const whole = Uint8Array.from(pair.getPublicKey())
    expect(identityOf({ type: 'EC', curve, point: short })).toBe(
      identityOf({ type: 'EC', curve, point: whole }),
    )
    // The point below has the other sign.
    short[0] = short[0] === 2 ? 3 : 2
    expect(identityOf({ type: 'EC', curve, point: short })).not.toBe(
      identityOf({ type: 'EC', curve, point: whole }),
    )
  })

  test('is that of its numbers, with parameters or without', () => {
    const withNull = readSpki(rsaSpki)
    const without = readSpki(seq(seq(oid(keyOid.rsa)), rsaBits))
    expect(without && keyIdentity(without)).toBe(withNull && keyIdentity(withNull))
  })
})
