import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { toBase64 } from '../decode/base64.ts'
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
