import { expect, test } from 'vitest'
import { decode } from '../decode.ts'
import { describeBytes } from './wrong-paste.ts'

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64')
const armor = (label: string) => `-----BEGIN ${label}-----\n\niQEz\n-----END ${label}-----\n`
const sha1 = 'a'.repeat(40)
const sha256 = 'a'.repeat(64)
const header = Buffer.from('{"alg":"ES256"}').toString('base64url')

test.each([
  ['a PGP signature', armor('PGP SIGNATURE'), /^This is a PGP signature\. Attestations aren't/],
  [
    'a clear-signed text',
    `${armor('PGP SIGNED MESSAGE')}x`,
    /^This is a PGP signature\. Attestations aren't/,
  ],
  ['a PGP key', armor('PGP PUBLIC KEY BLOCK'), /^This is a PGP key\. Attestations aren't/],
  ['another PGP block', armor('PGP MESSAGE'), /^This is a PGP block\. Attestations aren't/],
  ['CMS', armor('PKCS7'), /^This is a CMS/],
  ['a signed commit', `tree ${sha1}\nauthor a\ngpgsig ${armor('SSH SIGNATURE')}`, /commit or tag/],
  ['a signed tag', `object ${sha1}\ntype commit\n${armor('PGP SIGNATURE')}`, /commit or tag/],
  [
    'a minisign signature',
    'untrusted comment: signature from minisign secret key\nRUQ',
    /minisign/,
  ],
  [
    'a minisign key',
    'untrusted comment: minisign public key 1A\nRWQ=',
    /minisign or signify public key/,
  ],
  ['a file of allowed signers', 'me@x namespaces="git" ssh-ed25519 AAAAC3', /SSH public key/],
  ['a token whose payload is elsewhere', `${header}..c2ln`, /^This is a JWT/],
  [
    'a JWS around a statement',
    `${header}.${Buffer.from('{"_type":"https://in-toto.io/Statement/v1","subject":[]}').toString('base64url')}.c2ln`,
    /^This is a JWS around a statement\. Attestations are DSSE envelopes\./,
  ],
  ['a token with disclosures', `${header}.e30.c2ln~WyJh~`, /^This is a JWT/],
  ['lines of digests', `${sha256}  a.jar\n${sha256}  b.jar\n`, /^This is a digest/],
  ['a digest as BSD writes it', `SHA256 (a.jar) = ${sha256}`, /^This is a digest/],
  ['an integrity value', `sha512-${'A'.repeat(86)}==`, /^This is a digest/],
  ['a checkpoint', 'log.example\n7\nAAA=\n\n\u2014 log.example wNI9ajBF\n', /checkpoint/],
  ['SPDX tags', 'SPDXVersion: SPDX-2.3\nDataLicense: CC0-1.0\n', /^This is an SPDX/],
  ['a policy', '# why\npackage signature\n\nallow { true }', /^This is a Rego policy/],
])('%s is called by its name', (_what, text, says) => {
  expect(decode(text)).toMatchObject({ ok: false, mistakes: [{ code: 'wrong-paste' }] })
  expect(decode(text).mistakes[0]?.message).toMatch(says)
})

const dist = { attestations: { url: 'https://registry.example/a' } }
const logged = { payloadType: 'a/b', signatures: [{ publicKey: 'LS0t', sig: 'TUVR' }] }

test.each([
  ['a link', { signed: { _type: 'link' }, signatures: [] }, /^This is an in-toto link from before/],
  ['a layout', { signed: { _type: 'layout' }, signatures: [] }, /^This is an in-toto layout/],
  ['TUF metadata', { signed: { _type: 'root' }, signatures: [] }, /^This is TUF metadata/],
  ['metadata of Notary', { signed: { _type: 'Targets' }, signatures: [] }, /^This is TUF/],
  ['a link alone', { _type: 'link', materials: {}, products: {} }, /^This is an in-toto link w/],
  [
    'a trusted root',
    { mediaType: 'x', tlogs: [], ctlogs: [] },
    /^This is a Sigstore trusted root:/,
  ],
  [
    'a key of in-toto',
    { keytype: 'rsa', keyval: { public: 'x' } },
    /^This is a key in the in-toto/,
  ],
  [
    'a policy',
    { expires: 'x', steps: {}, publickeys: {} },
    /^This is a Witness policy\. It lists required/,
  ],
  ['a JWE', { protected: 'e30', ciphertext: 'x', iv: 'x' }, /^This is a JWE/],
  ['a package of npm', { name: 'x', dist }, /dist\.attestations\.url/],
  ['no attestations of GitHub', { attestations: [] }, /empty list of attestations/],
  [
    'no attestations of PyPI',
    { version: 1, attestation_bundles: [] },
    /empty list of attestations/,
  ],
  ['provenance alone', { buildDefinition: {}, runDetails: {} }, /^This is the predicate of SLSA/],
  [
    'what buildx shows',
    { SLSA: { builder: {}, buildType: 'x' } },
    /^This is the predicate of SLSA/,
  ],
  ['a summary', { verifier: {}, verificationResult: 'PASSED' }, /predicate of a verification/],
  [
    'the body of an entry',
    { apiVersion: '0.0.1', kind: 'dsse', spec: {} },
    /body of a transparency/,
  ],
  [
    'an entry that kept the signatures',
    { apiVersion: '0.0.2', kind: 'intoto', spec: { content: { envelope: logged } } },
    /body of a transparency/,
  ],
  ['a resource', { apiVersion: 'v1', kind: 'ClusterImagePolicy', spec: {} }, /a cluster resource,/],
  [
    'an entry of cosign',
    { SignedEntryTimestamp: 'x', Payload: {} },
    /a transparency log entry\. Paste/,
  ],
  [
    'an entry of Rekor 2',
    { logIndex: '1', canonicalizedBody: 'e30=' },
    /a transparency log entry\. Paste/,
  ],
  ['an index', { schemaVersion: 2, manifests: [] }, /^This is an OCI index/],
  ['a manifest', { schemaVersion: 2, config: {}, layers: [] }, /^This is an OCI manifest/],
  ['an artifact', { artifactType: 'x', blobs: [] }, /^This is an OCI manifest/],
  ['a layer', { mediaType: 'x', digest: 'sha256:a', size: 1 }, /^This is an OCI descriptor/],
])('%s as JSON is called by its name', (_what, value, says) => {
  const result = decode(JSON.stringify(value))
  expect(result).toMatchObject({ ok: false, mistakes: [{ code: 'wrong-paste' }] })
  expect(result.mistakes[0]?.message).toMatch(says)
})

test.each([
  ['GitHub', { message: 'Not Found', documentation_url: 'https://docs', status: '404' }],
  ['a log', { code: 404, message: 'Not Found' }],
  ['a registry of images', { errors: [{ code: 'MANIFEST_UNKNOWN', message: 'Not Found' }] }],
  ['npm', { error: 'Not Found' }],
])('the error of %s is shown in its own words', (_who, value) => {
  const says = 'This is a service\'s error response: "Not Found".'
  expect(decode(JSON.stringify(value)).mistakes).toMatchObject([
    { code: 'problem-answer', message: says },
  ])
})

test('what a log knows of an attestation is shown though its own envelope has no payload', () => {
  const statement = '{"_type":"https://in-toto.io/Statement/v1","predicateType":"a:b"}'
  const entry = { Attestation: statement, Body: { IntotoObj: { content: { envelope: logged } } } }
  expect(decode(JSON.stringify(entry))).toMatchObject({ ok: true, layout: 'statement' })
  expect(decode(JSON.stringify({ payload: 'e30=', ...logged }))).toMatchObject({
    ok: true,
    layout: 'envelope',
  })
})

const asn1 = (...bytes: readonly number[]) => Uint8Array.of(0x30, bytes.length, ...bytes)
const signedData = [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02]

test.each([
  ['a signature in DER', asn1(2, 1, 7, 2, 1, 9), /^This is a bare signature/],
  ['CMS', asn1(...signedData, 0xa0, 0), /^This is a CMS/],
  ['a timestamp', asn1(0x30, 3, 2, 1, 0, 0x30, 11, ...signedData), /^This is a CMS/],
  ['an old PGP packet', Uint8Array.of(0x89, 0x01, 0x33, 4, 0, 1), /^This is a PGP signature/],
  ['a new PGP packet', Uint8Array.of(0xc2, 0x75, 4, 0, 0x16), /^This is a PGP signature/],
  ['a longer new one', Uint8Array.of(0xc2, 0xc1, 0x20, 4, 0), /^This is a PGP signature/],
  ['a PGP key', Uint8Array.of(0x99, 0x01, 0x0d, 4, 0), /^This is a PGP key/],
  ['COSE with a tag', Uint8Array.of(0xd2, 0x84, 0x43, 0xa1), /^This is a COSE signature/],
  ['COSE', Uint8Array.of(0x84, 0x43, 0xa1, 0x01, 0x26), /^This is a COSE signature/],
  [
    'a bundle in Protobuf',
    Buffer.from('\n-application/vnd.dev.sigstore.bundle.v0.3+json\x12'),
    /binary Protobuf/,
  ],
  ['gzip', Uint8Array.of(0x1f, 0x8b, 8), /^This is gzip data\. Unpack it first\.$/],
  ['xz', Uint8Array.of(0xfd, 0x37, 0x7a, 0x58, 0x5a, 0), /^This is xz/],
])('%s is called by its name', (_what, bytes, says) => {
  expect(describeBytes(bytes)?.message).toMatch(says)
})

test('bytes that are like nothing are called nothing', () => {
  for (const bytes of [[], [0x89], [0x89, 1, 0x33, 9], [0xff, 0], [0x0a, 0x20]]) {
    expect(describeBytes(Uint8Array.from(bytes))).toBeUndefined()
  }
})

test('an envelope is found among all of these', () => {
  const envelope = { payloadType: 'a/b', payload: base64({ a: 1 }), signatures: [] }
  for (const around of [
    { errors: [{ message: 'x' }], envelope },
    { attestations: [], others: [envelope] },
    { schemaVersion: 2, manifests: [{ data: base64(envelope) }] },
    { kind: 'intoto', apiVersion: '0.0.2', spec: { content: { envelope } } },
  ]) {
    expect(decode(JSON.stringify(around)), JSON.stringify(around)).toMatchObject({ ok: true })
  }
})
