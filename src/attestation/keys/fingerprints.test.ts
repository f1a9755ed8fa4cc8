import { createHash, createPublicKey, type JsonWebKey } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  type Fingerprint,
  type FingerprintForm,
  fingerprints,
  matchingFingerprint,
} from './fingerprints.ts'
import {
  certificatePem,
  ecPem,
  ed25519Pem,
  rsaPem,
  secp256k1Pem,
} from '../foreign-keys.test-support.ts'
import { readKeys } from './read-keys.ts'
import { keyOf } from '../signing.test-support.ts'

const prints = await fingerprints(keyOf(certificatePem, 'release'), crypto.subtle)

/** Found with openssl, sha256sum and Python's json. */
const rows: [FingerprintForm, string][] = [
  ['sha256-pem', '0a0cfeddec48902d4decc798584932ae89a96534c97013ca0c66476dee5f26cb'],
  ['sha256-pem-trimmed', '344994dd29935fd93dadbcf54e311a2fe54d4370f160d6e6d0e4b654a0b20dbb'],
  ['sha256-spki', '08eb6cd925ee9335e09e970645d2ce23d643334c52abd5fd59121d4543ee9c2b'],
  ['sha256-spki-base64', 'COts2SXukzXgnpcGRdLOI9ZDM0xSq9X9WRIdRUPunCs='],
  ['securesystemslib', '2a378716f54f229d1dcec399e9e3dfc0742319e36e640097ab37acef5824a7ef'],
  ['securesystemslib', 'dae5b9f77f317353847392f555ba868defa18476e900bc18e543b098614525d0'],
  ['sha1-key', '3848b6c6187ebe1fdfa54d353ac2205409a1ceed'],
  ['sha256-certificate', '46e0ba4cb54fdd15c5c3417241bea8e5226b53de53fce1b68e660b00d8af563f'],
]

test.each(rows)('%s is what other programs make it', (form, value) => {
  expect(prints).toContainEqual(expect.objectContaining({ form, value }))
  expect(matchingFingerprint(value, prints)).toMatchObject({ form })
})

/** The key as each signing program writes it down to make its key id. */
const canonical: readonly (readonly [string, (pem: string, jwk: JsonWebKey) => string[]])[] = [
  [
    ecPem,
    (pem) =>
      ['ecdsa', 'ecdsa-sha2-nistp256'].flatMap((type) => inBoth(type, pem, 'ecdsa-sha2-nistp256')),
  ],
  [
    rsaPem,
    (pem) =>
      ['rsassa-pss-sha256', 'rsa-pkcs1v15-sha256'].flatMap((scheme) => inBoth('rsa', pem, scheme)),
  ],
  [
    ed25519Pem,
    (_, { x = '' }) => inBoth('ed25519', Buffer.from(x, 'base64url').toString('hex'), 'ed25519'),
  ],
]

function inBoth(keytype: string, text: string, scheme: string): string[] {
  const rest = { keytype, keyval: { public: text }, scheme }
  const whole = { keyid_hash_algorithms: ['sha256', 'sha512'], ...rest }
  // Canonical JSON leaves line breaks as they are.
  return [whole, rest].map((value) => JSON.stringify(value).replaceAll('\\n', '\n'))
}

test.each(canonical)('are made of what other programs write of a key: %#', async (pem, texts) => {
  const jwk = createPublicKey(pem).export({ format: 'jwk' })
  const made = await fingerprints(keyOf(pem, 'release'), crypto.subtle)
  const valuesOf = (form: FingerprintForm) =>
    made.filter((print) => print.form === form).map(({ value }) => value)
  const sha256 = (text: string) => createHash('sha256').update(text)
  expect(valuesOf('securesystemslib')).toEqual(
    texts(pem.trimEnd(), jwk).map((text) => sha256(text).digest('hex')),
  )
  // RFC 7638, 3.2: the members that the kind of key requires, by name.
  const required = ['crv', 'e', 'kty', 'n', 'x', 'y'].filter((name) => name in jwk)
  const members = JSON.stringify(jwk, required)
  expect(valuesOf('jwk-thumbprint')).toEqual([sha256(members).digest('base64url')])
  expect(valuesOf('sha256-certificate')).toEqual([])
})

test('the thumbprint of the key in RFC 7638, 3.1', async () => {
  const jwk = {
    kty: 'RSA',
    n: '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw',
    e: 'AQAB',
    alg: 'RS256',
    kid: '2011-04-29',
  }
  const [key] = readKeys(jwk).keys
  const ofKey = key ? await fingerprints(key, crypto.subtle) : []
  const value = 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs'
  expect(ofKey).toContainEqual(expect.objectContaining({ form: 'jwk-thumbprint', value }))
})

test('a key id matches in any case, with colons, prefixes, alphabets and padding of its own', () => {
  const hex = rows[2]?.[1] ?? ''
  const ways = [
    hex.toUpperCase(),
    hex.match(/../g)?.join(':') ?? '',
    `sha256:${hex}`,
    ` ${hex}\n`,
    'SHA256:COts2SXukzXgnpcGRdLOI9ZDM0xSq9X9WRIdRUPunCs',
    'COts2SXukzXgnpcGRdLOI9ZDM0xSq9X9WRIdRUPunCs',
  ]
  for (const way of ways) expect(matchingFingerprint(way, prints), way).toBeDefined()
  for (const other of ['', 'SHA256:', hex.slice(1), `${hex}00`, 'release', 'x'.repeat(1 << 20)]) {
    expect(matchingFingerprint(other, prints), other.slice(0, 80)).toBeUndefined()
  }
})

test('a key id matches base64 of either alphabet, and is 200 characters at most', () => {
  const value = `${'+/'.repeat(21)}8=`
  const print: Fingerprint = { form: 'sha256-spki-base64', label: '', value }
  const urlSafe = print.value.replaceAll('+', '-').replaceAll('/', '_')
  const thumbprint: Fingerprint = { form: 'jwk-thumbprint', label: '', value: urlSafe.slice(0, -1) }
  for (const way of [
    print.value,
    urlSafe,
    thumbprint.value,
    `sha1:${urlSafe}`,
    `SHA256:${urlSafe}`,
  ]) {
    expect(matchingFingerprint(way, [print])).toBe(print)
    expect(matchingFingerprint(way, [thumbprint])).toBe(thumbprint)
  }
  const inside = `${urlSafe.slice(0, 4)}sha256:${urlSafe.slice(4)}`
  expect(matchingFingerprint(inside, [print])).toBeUndefined()
  expect(matchingFingerprint(print.value.padStart(200), [print])).toBe(print)
  expect(matchingFingerprint(print.value.padStart(201), [print])).toBeUndefined()
})

test('a certificate of which nothing is left has no fingerprint', async () => {
  for (const certificate of ['', '%']) {
    const key = { ...keyOf(ecPem, 'release'), certificate }
    const made = await fingerprints(key, crypto.subtle)
    expect(made.map(({ form }) => form)).not.toContain('sha256-certificate')
  }
})

test('a key with which nothing is verified has the fingerprints of its bytes alone', async () => {
  const ofKey = await fingerprints(keyOf(secp256k1Pem, 'k1'), crypto.subtle)
  expect(ofKey.map(({ form }) => form)).toEqual([
    'sha256-pem',
    'sha256-pem-trimmed',
    'sha256-spki',
    'sha256-spki-base64',
    'sha1-key',
  ])
})
