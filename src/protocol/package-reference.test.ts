import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../property-runs.test-support.ts'
import {
  packagePath,
  policyScanPath,
  readRepositoryUrl,
  readScanName,
  readSha256,
} from './package-address.ts'
import { packageText, packageTextAt, readPackageReference } from './package-reference.ts'

const hex = 'ab'.repeat(32)
const checkout = { type: 'oci', name: 'checkout', version: '2.4.0' }
const payments = { type: 'maven', namespace: 'com.acme', name: 'payments', version: '3.1.0' }

/** A part of an address, with what needs an escape. */
const word = fc.string({ unit: 'binary', minLength: 1, maxLength: 4 })

test.each<readonly [string, object]>([
  ['pkg:maven/com.acme/payments@3.1.0', { address: payments }],
  [
    `pkg:maven/com.acme/payments@3.1.0?checksum=sha1:ab,sha256:${hex}&repository_url=repo.acme.example/release`,
    { address: payments, sha256: hex, repositoryUrl: 'repo.acme.example/release' },
  ],
  [
    `pkg:oci/checkout@sha256%3A${hex}?repository_url=registry.acme.example/shop&tag=2.4.0`,
    { address: checkout, sha256: hex, repositoryUrl: 'registry.acme.example/shop' },
  ],
  [`pkg:oci/checkout@${hex}?tag=2.4.0`, { address: checkout, sha256: hex }],
  [
    `pkg:oci/checkout@sha256:${hex}`,
    { address: { ...checkout, version: `sha256:${hex}` }, sha256: hex },
  ],
  ['pkg:oci/checkout@2.4.0', { address: checkout }],
  [
    'pkg:npm/%40acme/design-system@7.2.0',
    { address: { type: 'npm', namespace: '@acme', name: 'design-system', version: '7.2.0' } },
  ],
  [
    'pkg:golang/github.com/acme/tool@v1.2.0',
    { address: { type: 'golang', namespace: 'github.com/acme', name: 'tool', version: 'v1.2.0' } },
  ],
  [
    `registry.acme.example/shop/checkout:2.4.0@sha256:${hex}`,
    { address: checkout, sha256: hex, repositoryUrl: 'registry.acme.example/shop' },
  ],
  [' localhost:5000/checkout:2.4.0 ', { address: checkout, repositoryUrl: 'localhost:5000' }],
  ['shop/Checkout:2.4.0', { address: checkout }],
  ['checkout:2.4.0', { address: checkout }],
  [
    `registry.acme.example/checkout@sha256:${hex}`,
    {
      address: { ...checkout, version: `sha256:${hex}` },
      sha256: hex,
      repositoryUrl: 'registry.acme.example',
    },
  ],
  ['com.acme:payments:3.1.0', { address: payments }],
  ['com.acme:payments:jar:3.1.0', { address: payments }],
  [
    'com.acme:payments:jar:sources:3.1.0',
    {
      address: payments,
      note: 'Ignored: sources. Only the SHA-256 digest says which file is meant.',
    },
  ],
  ['/packages/oci/checkout/2.4.0', { address: checkout }],
  [
    `https://sightline.example/packages/maven/com.acme/payments/3.1.0/policy-scans/release?sha256=${hex}&repository=repo.acme.example%2Frelease`,
    {
      address: payments,
      scan: 'release',
      sha256: hex,
      repositoryUrl: 'repo.acme.example/release',
    },
  ],
  [
    `/packages/oci/checkout/2.4.0/sha256:${hex}/attestations/af:evidence/abc`,
    { address: checkout, sha256: hex },
  ],
  [
    '/packages/golang/github.com%2Facme/tool/v1.2.0',
    { address: { type: 'golang', namespace: 'github.com/acme', name: 'tool', version: 'v1.2.0' } },
  ],
])('%s names a package', (text, wanted) => {
  const read = readPackageReference(text)
  expect(read.ok && read.reference).toEqual({ form: expect.any(String) as string, ...wanted })
})

test.each([
  ['', 'Enter a package'],
  ['pkg:maven/com.acme/payments', 'no version'],
  ['pkg:', 'type and a name'],
  ['pkg:npm/%ff@1', "isn't UTF-8"],
  ['checkout', "isn't a package version"],
  ['registry.acme.example/shop/checkout', 'no version'],
  ['registry.acme.example/checkout:1:2', 'a tag,'],
  [`checkout:2.4.0@sha256:${hex.slice(1)}`, 'has 63'],
  ['checkout:2.4.0@sha512:ab', 'character 1 is “s”'],
  ['com.acme:payments:', 'with no part empty.'],
  ['a:b:c:d:e:f', 'group:artifact:version'],
  ['com acme', "name can't contain spaces."],
  ['https://registry.acme.example/shop', "URL isn't a package page."],
  ['/packages/oci', '/packages/type/namespace/name/version. Only the namespace is optional.'],
  [
    '/packages/oci/checkout//policy-scans/release',
    '/packages/type/namespace/name/version. Only the namespace is optional.',
  ],
])('“%s” names none, and the sentence says why', (text, words) => {
  const read = readPackageReference(text)
  expect(read.ok ? '' : read.mistake).toContain(words)
})

test.each([
  [
    { type: 'npm', namespace: '@acme', name: 'shop', version: '1.0.0' },
    'pkg:npm/%40acme/shop@1.0.0',
  ],
  // Types without capital letters, or with another spelling: the package URL is another package's.
  [{ type: 'oci', name: 'Shop', version: '1' }, '/packages/oci/Shop/1'],
  [{ type: 'oci', namespace: 'acme', name: 'shop', version: '1' }, 'pkg:oci/acme/shop@1'],
  [{ type: 'pypi', name: 'my_shop', version: '1' }, '/packages/pypi/my_shop/1'],
  [{ type: 'Maven', name: 'shop', version: '1' }, '/packages/Maven/shop/1'],
])('the package %o is written as %s', (address, text) => {
  expect(packageText(address)).toBe(text)
  expect(packageTextAt(packagePath(address))).toBe(text)
})

test('a package is read as the same address that it was written from', () => {
  const part = fc.oneof(fc.constantFrom('shop', 'Shop', 'my_shop', '@acme', 'a/b', '1.2'), word)
  const type = fc.constantFrom('oci', 'docker', 'npm', 'pypi', 'maven', 'golang', 'rpm', 'Generic')
  const parts = { type, namespace: fc.option(part, { nil: undefined }), name: part, version: part }
  fc.assert(
    fc.property(fc.record(parts), ({ namespace, ...rest }) => {
      const address = namespace === undefined ? rest : { namespace, ...rest }
      const read = readPackageReference(packageText(address))
      expect(read.ok && read.reference.address).toEqual(address)
    }),
    { numRuns: runs(1000) },
  )
})

test('the address of a page is read back as the package that it is of', () => {
  for (const address of [checkout, payments, { ...payments, namespace: 'a/b', name: '@x y' }]) {
    const paths = [packagePath(address), policyScanPath(address, 'release 1')]
    for (const path of paths) {
      const read = readPackageReference(path)
      expect(read.ok && read.reference.address).toEqual(address)
    }
  }
})

test.each([
  [`SHA256:${hex.toUpperCase()}`, hex],
  [hex, hex],
  ['', 'Enter the'],
  ['abc', 'has 3'],
  [`${hex}g`, 'character 65 is “g”'],
])('the digest “%s” is read, or what is wrong with it is said', (text, wanted) => {
  const read = readSha256(text)
  expect(read.ok ? read.value : read.mistake).toContain(wanted)
})

test.each([
  [' registry.acme.example/shop ', 'registry.acme.example/shop'],
  ['https://repo.acme.example/maven/', 'https://repo.acme.example/maven/'],
  ['localhost:5000', 'localhost:5000'],
  ['', 'Enter the'],
  ['ftp://repo.acme.example', 'starts with “ftp://”'],
  ['https://user:secret@repo.acme.example/x', 'password. Remove them.'],
  ['two words', 'a space'],
  ['https://', 'must be a host and'],
])('the repository “%s” is read, or what is wrong with it is said', (text, wanted) => {
  const read = readRepositoryUrl(text)
  expect(read.ok ? read.value : read.mistake).toContain(wanted)
})

test.each([
  ['pkg:oci/checkout@1?repository_url=https://user:secret@repo.example/x', 'password'],
  ['pkg:oci/checkout@1?repository_url=two%20words', 'a space'],
  ['user:secret/shop/checkout:1', 'must be a host and a path'],
  [':5000/shop/checkout:1', 'must be a host and a path'],
  ['/packages/oci/checkout/1?repository=ftp://repo.example', 'starts with “ftp://”'],
])('the repository in %s is refused as one that stands by itself', (text, words) => {
  const read = readPackageReference(text)
  expect(read.ok ? '' : read.mistake).toContain(words)
  expect(JSON.stringify(read)).not.toContain('secret')
})

test.each(['shop:1\ud83d', 'pkg:oci/sh\udc00op@1', 'com.acme:\ud83d:1', '/packages/oci/a\ud83d/1'])(
  'half of a character is in no package (%j)',
  (text) => {
    expect(readPackageReference(text)).toMatchObject({ ok: false })
    expect(readPackageReference(text.replace(/\p{Surrogate}/u, '🚀'))).toMatchObject({ ok: true })
  },
)

test('an error in a repository does not repeat a password', () => {
  expect(JSON.stringify(readRepositoryUrl('https://user:secret@repo.example/x'))).not.toContain(
    'secret',
  )
})

test.each([
  [' release ', 'release'],
  ['', 'Enter the'],
  ['a/b', "can't contain a slash."],
  ['a'.repeat(257), 'at most 256'],
])('the name of a scan “%s” is read, or what is wrong with it is said', (text, wanted) => {
  const read = readScanName(text)
  expect(read.ok ? read.value : read.mistake).toContain(wanted)
})

test.each([
  ['pkg:oci/./checkout@2.4.0', "No part of a package's name can be “.”."],
  ['pkg:generic/a@..', "No part of a package's name can be “..”."],
  ['/packages/oci/%2e%2e/1', "No part of a package's name can be “..”."],
])('%s would be the address of another package', (text, mistake) => {
  expect(readPackageReference(text)).toEqual({ ok: false, mistake })
})

test('digests that differ are refused, and the same one twice is not', () => {
  const [a, b] = ['a'.repeat(64), 'b'.repeat(64)]
  const read = (text: string): unknown => {
    const reading = readPackageReference(text)
    return reading.ok ? reading.reference.sha256 : reading.mistake
  }
  const mistake =
    'The package URL contains SHA-256 digests that differ. Keep the one of the package.'
  expect(read(`pkg:npm/a@1?checksum=sha256:${a},sha256:${b}`)).toBe(mistake)
  expect(read(`pkg:oci/a@sha256:${b}?checksum=sha256:${a}`)).toBe(mistake)
  expect(read(`pkg:oci/a@sha256:${a}?checksum=sha256:${a},sha1:${b.slice(24)}`)).toBe(a)
})

test.each([
  ['pkg:maven/a/b@1?type=jar', undefined],
  [`pkg:oci/app@sha256:${hex}?tag=v1&repository_url=ghcr.io/acme`, undefined],
  [
    'pkg:maven/a/b@1?classifier=sources&type=jar#lib',
    'Ignored: classifier=sources, #lib. Only the SHA-256 digest says which file is meant.',
  ],
  [
    `pkg:oci/app@sha256:${hex}?arch=amd64`,
    'Ignored: arch=amd64. Only the SHA-256 digest says which file is meant.',
  ],
  [
    'pkg:npm/a@1?checksum=sha1:ab',
    'Ignored: checksum=sha1:ab. Only the SHA-256 digest says which file is meant.',
  ],
  ['a:b:[1.0,2.0)', '“[1.0,2.0)” is taken for one version, not for a range.'],
  ['pkg:npm/a@^1.2.0', '“^1.2.0” is taken for one version, not for a range.'],
])('of %s it says what is left out: %j', (text, note) => {
  const read = readPackageReference(text)
  expect(read.ok && read.reference.note).toBe(note)
})
