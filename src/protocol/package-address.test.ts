import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  attestationPath,
  packagePath,
  policyScanPath,
  publishPath,
  readAttestationUri,
} from './package-address.ts'

const checkout = { type: 'maven', namespace: 'com.acme.shop', name: 'checkout', version: '2.4.0' }

test('a package has a path with its namespace, and one without where it has none', () => {
  expect(packagePath(checkout)).toBe('/packages/maven/com.acme.shop/checkout/2.4.0')
  expect(packagePath({ type: 'oci', name: 'checkout', version: 'sha256:ab' })).toBe(
    '/packages/oci/checkout/sha256:ab',
  )
})

test('a namespace with slashes and a name with an at sign stay one segment each', () => {
  expect(
    packagePath({ type: 'npm', namespace: '@acme', name: 'web ui', version: '1.0.0+b/1' }),
  ).toBe('/packages/npm/@acme/web%20ui/1.0.0%2Bb%2F1')
  expect(
    packagePath({ type: 'golang', namespace: 'github.com/acme', name: 'a', version: 'v1' }),
  ).toBe('/packages/golang/github.com%2Facme/a/v1')
})

test('its operations stand below it', () => {
  expect(publishPath(checkout)).toBe('/packages/maven/com.acme.shop/checkout/2.4.0/attestations')
  expect(policyScanPath(checkout, 'pre release')).toBe(
    '/packages/maven/com.acme.shop/checkout/2.4.0/policy-scans/pre%20release',
  )
})

test('an attestation address is read from a path and from an absolute address', () => {
  const path = '/packages/oci/checkout/2.4.0/sha256:4f2f/attestations/af:evidence/c2hv'
  const address = {
    type: 'oci',
    name: 'checkout',
    version: '2.4.0',
    digestType: 'sha256',
    digest: '4f2f',
    instance: 'af:evidence',
    id: 'c2hv',
  }
  expect(readAttestationUri(path)).toEqual(address)
  expect(readAttestationUri(`https://governor.example.com/base${path}?x=1`)).toEqual(address)
})

test.each([
  '',
  'https://store.example.com/evidence/1.json',
  '/packages/oci/checkout/2.4.0',
  '/packages/oci/checkout/2.4.0/sha256/attestations/af:evidence/1',
  '/packages/oci/checkout/2.4.0/sha256:/attestations/af:evidence/1',
  '/packages/oci//checkout/2.4.0/sha256:1/attestations/af:evidence/1',
  '/packages/oci/checkout/2.4.0/sha256:1/evidence/af:evidence/1',
  '/packages/oci/a/b/checkout/2.4.0/sha256:1/attestations/af:evidence/1',
  '/packages/oci/checkout/2.4.0/sha256:1/attestations/af:evidence/%ff',
])('"%s" names no attestation', (uri) => {
  expect(readAttestationUri(uri)).toBeUndefined()
})

test('what is written is read back, whatever its parts hold', () => {
  const part = fc
    .string({ minLength: 1, unit: 'grapheme' })
    .filter((text) => !/[\p{Cs}]/u.test(text))
  const digestType = part.filter((text) => !text.includes(':'))
  fc.assert(
    fc.property(
      fc.record(
        {
          type: part,
          namespace: part,
          name: part,
          version: part,
          digestType,
          digest: part,
          instance: part,
          id: part,
        },
        { requiredKeys: ['type', 'name', 'version', 'digestType', 'digest', 'instance', 'id'] },
      ),
      (address) => {
        expect(readAttestationUri(attestationPath(address))).toEqual(address)
      },
    ),
  )
})
