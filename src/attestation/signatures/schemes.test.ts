import { createECDH } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesOfHex, joinBytes } from '../decode/bytes.ts'
import { derElement, derInteger } from '../decode/der.ts'
import { ecdsaDer } from '../ecdsa-der.test-support.ts'
import { type Curve, curveNames, curves, type KeyAlgorithm } from '../keys/key-algorithm.ts'
import { runs } from '../../property-runs.test-support.ts'
import {
  describeScheme,
  ecdsaSignatures,
  isEd25519Signature,
  joinRS,
  schemesFor,
} from './schemes.ts'

const hex = (text: string) => bytesOfHex(text) ?? new Uint8Array()
const tried = (algorithm: KeyAlgorithm, jwsAlgorithm?: string) =>
  schemesFor(algorithm, jwsAlgorithm).map(describeScheme)
const rsa = (bits: number): KeyAlgorithm => ({ type: 'RSA', bits, pssOnly: false })
const pssWith = (hash: string, ...salts: number[]) =>
  salts.map((salt) => `RSA-PSS with ${hash} and a salt of ${salt} bytes`)
const pss2048 = [
  ...pssWith('SHA-256', 32, 222),
  ...pssWith('SHA-512', 32, 64, 190),
  ...pssWith('SHA-384', 32, 48, 206),
]
const pkcs1 = ['SHA-256', 'SHA-512', 'SHA-384'].map((hash) => `RSA PKCS#1 v1.5 with ${hash}`)

describe('what is tried, the likeliest first,', () => {
  test.each<[Curve, string[]]>([
    ['P-256', ['SHA-256', 'SHA-512', 'SHA-384']],
    ['P-384', ['SHA-384', 'SHA-256', 'SHA-512']],
    ['P-521', ['SHA-512', 'SHA-256', 'SHA-384']],
  ])('with a key on %s are the hash of the curve and the others', (curve, hashes) => {
    const algorithm = { type: 'EC', curve } as const
    expect(tried(algorithm)).toEqual(hashes.map((hash) => `ECDSA ${curve} with ${hash}`))
    expect(tried(algorithm, 'ES384')).toEqual([`ECDSA ${curve} with SHA-384`])
    expect(tried(algorithm, 'RS256')).toEqual([])
  })

  test('with a key of Ed25519 is that, and with one of no supported kind nothing', () => {
    expect(tried({ type: 'Ed25519' })).toEqual(['Ed25519'])
    expect(tried({ type: 'Ed25519' }, 'EdDSA')).toEqual(['Ed25519'])
    expect(tried({ type: 'Ed25519' }, 'ES256')).toEqual([])
    expect(tried({ type: 'unsupported', name: 'Ed448' })).toEqual([])
  })

  test('with an RSA key are PSS with the usual salts, each once, and PKCS#1', () => {
    expect(tried(rsa(2048))).toEqual([...pss2048, ...pkcs1])
    expect(tried({ type: 'RSA', bits: 2048, pssOnly: true })).toEqual(pss2048)
    // RFC 8017, 9.1.1: of 2041 bits the encoded message has 255 bytes, of 2042 bits 256.
    expect(tried(rsa(2041)).slice(0, 2)).toEqual(pssWith('SHA-256', 32, 221))
    expect(tried(rsa(2042)).slice(0, 2)).toEqual(pssWith('SHA-256', 32, 222))
    // In 64 bytes there is no room for some salts, nor for SHA-512 and any.
    expect(tried(rsa(512))).toEqual([
      ...pssWith('SHA-256', 30),
      ...pssWith('SHA-384', 14),
      ...pkcs1,
    ])
    expect(tried(rsa(528)).slice(0, 2)).toEqual([
      ...pssWith('SHA-256', 32),
      ...pssWith('SHA-512', 0),
    ])
  })

  test('with an RSA key that says how it signs is that alone', () => {
    const only = (leastSalt: number) =>
      tried({ type: 'RSA', bits: 2048, pssOnly: true, pss: { hash: 'SHA-384', leastSalt } })
    expect(only(40)).toEqual(pssWith('SHA-384', 40, 48, 206))
    expect(only(0)).toEqual(pssWith('SHA-384', 0, 32, 48, 206))
    expect(only(206)).toEqual(pssWith('SHA-384', 206))
    expect(only(207)).toEqual([])
  })

  test('with a key that names its algorithm (RFC 7518, 3.1) is what that means', () => {
    expect(tried(rsa(2048), 'RS384')).toEqual(['RSA PKCS#1 v1.5 with SHA-384'])
    expect(tried(rsa(2048), 'PS256')).toEqual(pssWith('SHA-256', 32))
    expect(tried(rsa(2048), 'PS384')).toEqual(pssWith('SHA-384', 48))
    expect(tried(rsa(2048), 'PS512')).toEqual(pssWith('SHA-512', 64))
    for (const other of ['none', 'RSA-OAEP', 'EdDSA']) expect(tried(rsa(2048), other)).toEqual([])
  })
})

const names = { 'P-256': 'prime256v1', 'P-384': 'secp384r1', 'P-521': 'secp521r1' }

/** A number of so many bytes. */
function big(value: bigint, size: number): Uint8Array {
  return hex(value.toString(16).padStart(2 * size, '0'))
}

describe.each(curveNames)('an ECDSA signature on %s', (curve) => {
  const { size, order } = curves[curve]
  const last = BigInt(`0x${order}`) - 1n
  const one = new Uint8Array(size)
  one[size - 1] = 1

  test('has numbers below the order that Node knows', () => {
    const setPrivate = (value: bigint) => () => {
      createECDH(names[curve]).setPrivateKey(big(value, size))
    }
    expect(order).toHaveLength(2 * size)
    expect(setPrivate(last)).not.toThrow()
    expect(setPrivate(last + 1n)).toThrow()
  })

  test('is r and s in its DER and side by side, each from 1 to the order of the curve', () => {
    for (const [r, s, isOne] of [
      [1n, 1n, true],
      [last, last, true],
      [0n, 1n, false],
      [1n, 0n, false],
      [last + 1n, 1n, false],
      [1n, last + 1n, false],
    ] as const) {
      const rs = joinBytes(big(r, size), big(s, size))
      expect(joinRS(big(r, size), big(s, size), curve)).toEqual(isOne ? rs : undefined)
      expect(ecdsaSignatures(rs, curve)).toEqual(isOne ? [{ form: 'P1363', rs }] : [])
      const der = ecdsaDer(rs)
      expect(ecdsaSignatures(der, curve)).toEqual(isOne ? [{ form: 'DER', rs }] : [])
    }
  })

  test('is none with a number missing, a third one, or one longer than the curve', () => {
    const number = derInteger(one)
    const long = Uint8Array.from([1, ...one])
    expect(ecdsaSignatures(derElement(0x30, number), curve)).toEqual([])
    expect(ecdsaSignatures(derElement(0x30, number, number, number), curve)).toEqual([])
    expect(ecdsaSignatures(derElement(0x30, derInteger(long), number), curve)).toEqual([])
    expect(ecdsaSignatures(derElement(0x30, number, derInteger(long)), curve)).toEqual([])
    expect(joinRS(undefined, one, curve)).toBeUndefined()
    expect(joinRS(one, undefined, curve)).toBeUndefined()
    expect(joinRS(long, one, curve)).toBeUndefined()
    expect(joinRS(one, long, curve)).toBeUndefined()
    for (const length of [0, size, 2 * size - 1, 2 * size + 1, 4 * size]) {
      expect(ecdsaSignatures(new Uint8Array(length).fill(1), curve)).toEqual([])
    }
  })

  test('is the same numbers however it is written', () => {
    const number = fc.bigInt({ min: 1n, max: last })
    fc.assert(
      fc.property(number, number, (r, s) => {
        const rs = joinBytes(big(r, size), big(s, size))
        expect(ecdsaSignatures(ecdsaDer(rs), curve)).toEqual([{ form: 'DER', rs }])
        expect(ecdsaSignatures(rs, curve)).toContainEqual({ form: 'P1363', rs })
      }),
      { numRuns: runs(200) },
    )
  })
})

test('bytes that are r||s and DER at once are tried as both', () => {
  const numbers = derElement(
    0x30,
    derInteger(new Uint8Array(28).fill(7)),
    derInteger(new Uint8Array(30).fill(7)),
  )
  expect(numbers).toHaveLength(64)
  expect(ecdsaSignatures(numbers, 'P-256').map(({ form }) => form)).toEqual(['DER', 'P1363'])
})

test('a scalar of Ed25519 is below the order of the group (RFC 8032, 5.1.7)', () => {
  const order = (1n << 252n) + 27742317777372353535851937790883648493n
  const isSignature = (scalar: bigint) =>
    isEd25519Signature(joinBytes(new Uint8Array(32).fill(0xff), big(scalar, 32).toReversed()))
  expect([0n, 1n, order - 1n].map(isSignature)).toEqual([true, true, true])
  expect([order, order + 1n, (1n << 256n) - 1n].map(isSignature)).toEqual([false, false, false])
  expect(isEd25519Signature(new Uint8Array(63))).toBe(false)
  expect(isEd25519Signature(new Uint8Array(65))).toBe(false)
})
