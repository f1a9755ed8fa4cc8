import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { toBase64 } from '../decode/base64.ts'
import { bytesOfHex, joinBytes } from '../decode/bytes.ts'
import { derElement, derInteger, derTag } from '../decode/der.ts'
import { certificatePem, ecPem } from '../foreign-keys.test-support.ts'
import { identityOf, isIdentityKeyId, validityAt } from './identity.ts'
import { certificateKey } from './public-key.ts'
import { pemOf } from './trusted-key.ts'
import { realData } from '../../real-data.test-support.ts'

const der = Uint8Array.from(Buffer.from(certificatePem.split('\n').slice(1, -2).join(''), 'base64'))

describe('a certificate that openssl made', () => {
  const identity = identityOf(certificatePem)

  test('has its names, times and Fulcio extensions', () => {
    expect(identity).toEqual({
      subject: 'C=SE, O=Acme\\, Inc., CN=release signer',
      issuer: 'C=SE, O=Acme\\, Inc., CN=release signer',
      serialNumber: '1f2e',
      notBefore: Date.UTC(2026, 10, 20, 12, 42, 13),
      notAfter: Date.UTC(2026, 10, 30, 12, 42, 13),
      names: [
        { type: 'email', value: 'ann@acme.example' },
        { type: 'uri', value: 'https://acme.example/ci' },
        { type: 'dns', value: 'acme.example' },
        { type: 'ip', value: '10.1.2.3' },
        { type: 'username', value: 'ann' },
      ],
      fulcio: [
        row(1, 'Identity issuer (old form)', 'https://issue.example'),
        row(8, 'Identity issuer', 'https://issuer.example'),
        row(12, 'Source repository', 'https://git.example/acme/app'),
        row(99, 'Extension 99', 'of tomorrow'),
      ],
      oidcIssuer: 'https://issuer.example',
      isAuthority: false,
      purposes: [],
    })
  })

  test('is read from PEM, base64 DER and base64 PEM alike', () => {
    expect(identityOf(toBase64(der))).toEqual(identity)
    expect(identityOf(toBase64(new TextEncoder().encode(certificatePem)))).toEqual(identity)
  })

  test('is valid between its two times, both included', () => {
    const { notBefore = 0, notAfter = 0 } = identity ?? {}
    const at = (time: number) => identity && validityAt(identity, time)
    expect([notBefore - 1, notBefore, notAfter, notAfter + 1].map(at)).toEqual([
      'not-yet-valid',
      'valid',
      'valid',
      'expired',
    ])
  })

  test('is named by its identity and issuer', () => {
    const named = (keyid: string) => isIdentityKeyId(keyid, certificatePem)
    expect(named('ann@acme.example::https://issuer.example')).toBe(true)
    expect(named('ann@acme.example::https://other.example')).toBe(false)
    expect(named('ann@acme.example')).toBe(false)
  })

  test('cut or spoiled anywhere is read or refused, and never throws', () => {
    for (let at = 0; at < der.length; at++) {
      identityOf(toBase64(der.subarray(0, at)))
      const spoiled = der.slice()
      spoiled[at] = (spoiled[at] ?? 0) ^ 0xff
      identityOf(toBase64(spoiled))
      const key = certificateKey(der.subarray(0, at))
      expect(key).toBeUndefined()
    }
    expect(identityOf('')).toBeUndefined()
    expect(identityOf(ecPem)).toBeUndefined()
  })
})

describe('a certificate of parts', () => {
  const hex = (text: string) => bytesOfHex(text) ?? new Uint8Array()
  const utf8 = (text: string, tag = 0x0c) => derElement(tag, new TextEncoder().encode(text))
  const oid = (content: string) => derElement(derTag.oid, hex(content))
  const seq = (...parts: Uint8Array[]) => derElement(derTag.sequence, ...parts)
  const set = (...parts: Uint8Array[]) => derElement(0x31, ...parts)
  const name = (type: Uint8Array, value: Uint8Array) => seq(type, value)
  const extension = (id: string, value: Uint8Array) => seq(oid(id), derElement(0x04, value))
  const [alternative, constraints, usage] = ['551d11', '551d13', '551d25'] as const
  const fulcioUsername = '2b0601040183bf300107'

  interface Parts {
    readonly version?: Uint8Array
    readonly subject?: Uint8Array
    readonly validity?: Uint8Array
    readonly extensions?: readonly Uint8Array[]
  }

  function read({ version, subject = seq(), validity = seq(), extensions = [] }: Parts = {}) {
    const [serial, empty] = [derInteger(Uint8Array.of(7)), seq()]
    const body = [serial, empty, seq(), validity, subject, empty]
    const more = derElement(0xa3, seq(...extensions))
    const whole = seq(seq(...(version === undefined ? [] : [version]), ...body, more), empty)
    return identityOf(toBase64(whole))
  }

  test.each([
    [derElement(0x87, hex('0a010203')), { type: 'ip', value: '10.1.2.3' }],
    [
      derElement(0x87, hex('20010db8000000000000000000000001')),
      { type: 'ip', value: '2001:db8:0:0:0:0:0:1' },
    ],
    [
      derElement(0xa4, seq(set(name(oid('55040a'), utf8('Acme'))))),
      { type: 'directory', value: 'O=Acme' },
    ],
    [derElement(0xa4), { type: 'directory', value: '' }],
    [derElement(0x87, hex('0102030405')), { type: 'ip', value: '102:304' }],
    [derElement(0x88, hex('2a03')), { type: 'other', value: '*\u0003' }],
    [
      derElement(0xa0, oid(fulcioUsername), derElement(0xa0, utf8('ann'))),
      { type: 'username', value: 'ann' },
    ],
    [
      derElement(0xa0, oid('2a0304'), derElement(0xa0, utf8('ann'))),
      { type: 'other', value: '1.2.3.4: ann' },
    ],
    [derElement(0xa0, oid('2a0304')), { type: 'other', value: '1.2.3.4: ' }],
    [derElement(0xa0, utf8('ann')), { type: 'other', value: '' }],
    [utf8('ünï', 0x81), { type: 'email', value: 'ünï' }],
  ])('has the name %#', (written, found) => {
    const [only] = read({ extensions: [extension(alternative, seq(written))] })?.names ?? []
    expect(only).toEqual(found)
  })

  test('has a distinguished name with what is unknown in it by its number or its bytes', () => {
    const subject = seq(
      set(name(oid('550403'), utf8('a+b')), name(oid('2a0304'), utf8('x'))),
      set(name(oid('550406'), derInteger(Uint8Array.of(5)))),
      set(seq(utf8('no type'))),
      set(seq(utf8('no type'), utf8('x')), seq(oid('550403'))),
    )
    expect(read({ subject })?.subject).toBe('CN=a\\+b+1.2.3.4=x, C=#020105, ?, ?+?')
  })

  test('has no names where none are written, or what is written is damaged', () => {
    expect(read()?.names).toEqual([])
    const damaged = Uint8Array.of(0x30, 2, 0x82, 9)
    expect(read({ extensions: [extension(alternative, damaged)] })?.names).toEqual([])
    expect(read({ subject: seq(derElement(0x31, Uint8Array.of(6, 9))) })?.subject).toBe('')
  })

  test('counts the first extension of a kind, and says what it is for', () => {
    const isAuthority = (...bytes: number[]) => seq(derElement(0x01, Uint8Array.from(bytes)))
    const twice = [
      extension(constraints, isAuthority(0xff)),
      extension(constraints, isAuthority(0)),
    ]
    expect(read({ extensions: twice })?.isAuthority).toBe(true)
    expect(read({ extensions: twice.toReversed() })?.isAuthority).toBe(false)
    expect(read({ extensions: [extension(constraints, seq())] })?.isAuthority).toBe(false)
    const purposes = [extension(usage, seq(oid('2b06010505070303')))]
    expect(read({ extensions: purposes })?.purposes).toEqual(['1.3.6.1.5.5.7.3.3'])
    // What isn't named by an identifier is passed over.
    expect(read({ extensions: [seq(utf8('x'), utf8('y'))] })?.fulcio).toEqual([])
  })

  test('has an issuer in the old form where it has no other, and no issuer where it has none', () => {
    const issuer = extension('2b0601040183bf300101', new TextEncoder().encode('https://old'))
    expect(read({ extensions: [issuer] })?.oidcIssuer).toBe('https://old')
    const email = extension(alternative, seq(utf8('a@b', 0x81)))
    const whole = seq(
      seq(
        derInteger(Uint8Array.of(1)),
        seq(),
        seq(),
        seq(),
        seq(),
        seq(),
        derElement(0xa3, seq(email)),
      ),
      seq(),
    )
    expect(isIdentityKeyId('a@b::', toBase64(whole))).toBe(true)
    expect(isIdentityKeyId('a@b::https://old', toBase64(whole))).toBe(false)
    for (const keyid of ['a::b', 'undefined::', '::']) {
      expect(isIdentityKeyId(keyid, 'no certificate')).toBe(false)
    }
  })

  test('lacks a field that it must have: then it is none', () => {
    const fields = [derInteger(Uint8Array.of(7)), seq(), seq(), seq(), seq(), seq()]
    const of = (all: readonly Uint8Array[]) => identityOf(toBase64(seq(seq(...all), seq())))
    expect(of(fields)).toMatchObject({ serialNumber: '07' })
    for (let count = 0; count < fields.length; count++) {
      expect(of(fields.slice(0, count))).toBeUndefined()
    }
    expect(of([seq(), ...fields.slice(1)])).toBeUndefined()
    expect(identityOf(toBase64(seq(derElement(0x31, ...fields), seq())))).toBeUndefined()
  })

  test('has its extensions behind what else is optional, critical or not', () => {
    const critical = seq(
      oid(constraints),
      derElement(0x01, Uint8Array.of(0xff)),
      derElement(0x04, seq(derElement(0x01, Uint8Array.of(0xff)))),
    )
    expect(read({ extensions: [critical] })?.isAuthority).toBe(true)
    const isCalled = (first: Uint8Array) =>
      read({
        extensions: [seq(first, derElement(0x04, seq(derElement(0x01, Uint8Array.of(0xff)))))],
      })?.isAuthority
    expect(isCalled(oid(constraints))).toBe(true)
    // The same bytes, and no identifier.
    expect(isCalled(derElement(0x04, hex(constraints)))).toBe(false)
    const fields = [derInteger(Uint8Array.of(7)), seq(), seq(), seq(), seq(), seq()]
    const unique = derElement(0xa1, seq())
    const whole = seq(seq(...fields, unique, derElement(0xa3, seq(critical))), seq())
    expect(identityOf(toBase64(whole))?.isAuthority).toBe(true)
    expect(read({ extensions: [seq()] })).toMatchObject({ isAuthority: false, purposes: [] })
  })

  test.each([
    ['1.3.6.1.4.1.57264.1.6', '06', utf8('ref'), '\u000c\u0003ref'],
    ['1.3.6.1.4.1.57264.1.8', '08', utf8('https://x'), 'https://x'],
    ['1.3.6.1.4.1.57264.1.8', '08', joinBytes(utf8('x'), hex('41')), '\u000c\u0001xA'],
    ['1.3.6.1.4.1.57264.1.8', '08', hex('41'), 'A'],
    ['1.3.6.1.4.1.57264.1.8', '08', new Uint8Array(), ''],
    ['1.3.6.1.4.1.57264.1.8', '08', derElement(0x04, hex('41')), '\u0004\u0001A'],
  ])('has of Fulcio %s the text %#', (name, last, written, value) => {
    const found = read({ extensions: [extension(`2b0601040183bf3001${last}`, written)] })?.fulcio
    expect(found).toMatchObject([{ oid: name, value }])
  })

  test('without times is of unknown validity', () => {
    const bare = read()
    expect(bare).toMatchObject({ serialNumber: '07', notBefore: undefined, notAfter: undefined })
    expect(bare && validityAt(bare, 0)).toBe('unknown')
    const begin = utf8('260101000000Z', 0x17)
    const half = read({ validity: seq(begin) })
    expect(half && validityAt(half, 0)).toBe('unknown')
    const other = read({ validity: seq(utf8('never', 0x17), begin) })
    expect(other).toMatchObject({ notBefore: undefined })
    expect(other?.notAfter).toBeDefined()
    expect(other && validityAt(other, 0)).toBe('unknown')
  })

  test('of base64 of a PEM that is damaged is none', () => {
    const pem = '-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n'
    expect(identityOf(pem)).toBeUndefined()
    const twice = toBase64(new TextEncoder().encode(certificatePem))
    const inPem = `-----BEGIN CERTIFICATE-----\n${twice}\n-----END CERTIFICATE-----\n`
    expect(identityOf(inPem)).toBeUndefined()
    expect(identityOf(toBase64(new TextEncoder().encode(pem)))).toBeUndefined()
    expect(identityOf(toBase64(new TextEncoder().encode('-----')))).toBeUndefined()
  })
})

const cases = realData('envelopes/cases.jsonl')

test.runIf(existsSync(cases))('real certificates read as Node reads them', () => {
  // Everything in the collection that begins like a certificate, wherever it stands.
  const found = new Set(readFileSync(cases, 'utf8').match(/MII[A-Za-z0-9+/]{500,}={0,2}/g))
  let count = 0
  for (const text of found) {
    const identity = identityOf(text)
    if (!identity) continue
    const node = new X509Certificate(Buffer.from(text, 'base64'))
    const key = certificateKey(Uint8Array.from(Buffer.from(text, 'base64')))
    expect(identity.notBefore).toBe(Date.parse(node.validFrom))
    expect(identity.notAfter).toBe(Date.parse(node.validTo))
    expect(BigInt(`0x${identity.serialNumber}`)).toBe(BigInt(`0x${node.serialNumber}`))
    expect(identity.issuer).toBe(node.issuer.replaceAll('\n', ', '))
    const names = identity.names.map(({ type, value }) => `${nodeNames[type] ?? type}:${value}`)
    if (names.length === 1) expect(names[0]).toBe(node.subjectAltName)
    expect(key && pemOf(key)).toBe(node.publicKey.export({ type: 'spki', format: 'pem' }))
    count += 1
  }
  expect(count).toBeGreaterThan(40)
})

const nodeNames: Readonly<Record<string, string>> = { email: 'email', uri: 'URI', dns: 'DNS' }

function row(number: number, name: string, value: string) {
  return { oid: `1.3.6.1.4.1.57264.1.${number}`, name, value }
}
