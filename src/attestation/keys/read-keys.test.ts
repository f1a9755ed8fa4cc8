import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { toBase64, toBase64Url } from '../decode/base64.ts'
import { derElement } from '../decode/der.ts'
import {
  certificatePem,
  ecPem,
  ed25519Pem,
  ed448Pem,
  rsaPem,
  rsaPkcs1Pem,
  rsaPssPem,
  secp256k1Pem,
  signedText,
  sshKeys,
} from '../foreign-keys.test-support.ts'
import { createSigner, envelopeOf } from '../signing.test-support.ts'
import { verify } from '../verify.ts'
import { fingerprints } from './fingerprints.ts'
import { describeAlgorithm } from './key-algorithm.ts'
import { hasPrivateKey, privateKeyMessage } from './keys-in-text.ts'
import { readKeys } from './read-keys.ts'
import { pemOf } from './trusted-key.ts'

const base64 = (text: string) => toBase64(new TextEncoder().encode(text))

/** What was read, each as its name, algorithm and PEM. */
function read(input: unknown) {
  const { keys, mistakes } = readKeys(input)
  expect(mistakes).toEqual([])
  return keys.map((key) => [key.name, describeAlgorithm(key.algorithm), pemOf(key)])
}

/** The mistakes, a line each. */
function said(input: unknown): string {
  return readKeys(input)
    .mistakes.map(({ where, message }) => `${where}: ${message}`)
    .join('\n')
}

const isPrivateAt = (where: string) => ({ where, message: privateKeyMessage, code: 'private-key' })

describe('PEM', () => {
  test('of every kind of key', () => {
    expect(read(ecPem)).toEqual([['key', 'ECDSA P-256', ecPem]])
    expect(read(ed25519Pem)).toEqual([['key', 'Ed25519', ed25519Pem]])
    expect(read(rsaPem)).toEqual([['key', 'RSA-2048', rsaPem]])
    expect(read(rsaPkcs1Pem)).toEqual([['key', 'RSA-2048', rsaPem]])
  })

  test('however it was copied', () => {
    const ways = [
      ecPem.trim(),
      ecPem.replaceAll('\n', '\r\n'),
      ecPem.replaceAll('\n', '\\n'),
      ecPem.replaceAll('\n', ''),
      ecPem.replaceAll('\n', '\n    '),
      `\uFEFFOur key, from the wiki:\n\n${ecPem}\nKind regards`,
      base64(ecPem),
      toBase64Url(new TextEncoder().encode(ecPem)),
      ecPem.split('\n').slice(1, 3).join('\n'),
    ]
    for (const way of ways) expect(read(way), way).toEqual([['key', 'ECDSA P-256', ecPem]])
  })

  test('of a certificate is its key, and the certificate is kept', () => {
    const { keys } = readKeys(`subject=whoever\n${certificatePem}`, { name: 'ci' })
    expect(keys).toMatchObject([{ name: 'ci', origin: 'device' }])
    expect(keys.map(pemOf)).toEqual([ecPem])
    expect(keys[0]?.certificate).toBe(certificatePem.split('\n').slice(1, -2).join(''))
  })

  test('of a map keeps the key ids that it lists', () => {
    const { keys } = readKeys({ release: { pem: ecPem, keyIds: ['kms://1', 7] } })
    expect(keys).toMatchObject([{ name: 'release', keyIds: ['kms://1'] }])
  })

  test('of several, the same key twice counted once', () => {
    const { keys } = readKeys([ecPem, rsaPem, ecPem, ed25519Pem].join('\n'), {
      name: 'release',
      origin: 'configuration',
    })
    expect(keys.map(({ name, origin }) => [name, origin])).toEqual([
      ['release', 'configuration'],
      ['release (2)', 'configuration'],
      ['release (3)', 'configuration'],
    ])
  })

  test('of a key with which nobody verifies is a key that says so', () => {
    expect(read(secp256k1Pem)).toEqual([['key', 'secp256k1', secp256k1Pem]])
    expect(read(ed448Pem)).toEqual([['key', 'Ed448', ed448Pem]])
  })

  test('of a key for PSS alone is never tried with PKCS#1', () => {
    expect(readKeys(rsaPssPem).keys).toMatchObject([{ algorithm: { type: 'RSA', pssOnly: true } }])
  })

  test('that is damaged says where and what', () => {
    expect(readKeys(`one\ntwo\n${ecPem.replace('MFkw', 'MFk%')}`).mistakes).toEqual([
      { where: 'line 3', message: "The text between BEGIN and END isn't base64." },
    ])
    expect(readKeys(ecPem.replace('-----END PUBLIC KEY-----', '')).mistakes).toEqual([
      { where: 'line 1', message: 'The end is missing: "-----END PUBLIC KEY-----".' },
    ])
    expect(readKeys(ecPem.replace('MFkw', 'MFow')).mistakes).toMatchObject([{ where: 'line 1' }])
    const both = readKeys(`${ecPem.replace('MFkw', 'MFow')}${rsaPem}`)
    expect(both.keys.length).toBe(1)
    expect(both.mistakes.length).toBe(1)
  })
})

describe('SSH', () => {
  test.each(sshKeys)('$algorithm verifies what ssh-keygen signed', async (row) => {
    const { keys, mistakes } = readKeys(row.line)
    expect(mistakes).toEqual([])
    expect(keys.map(({ algorithm }) => describeAlgorithm(algorithm))).toEqual([row.algorithm])
    expect(keys.map(({ name }) => name)).toEqual([row.line.split(' ').slice(2).join(' ')])
    const [key] = keys
    const prints = key ? await fingerprints(key, crypto.subtle) : []
    expect(prints).toContainEqual({ form: 'ssh', label: 'SSH fingerprint', value: row.fingerprint })
    const sig = new TextEncoder().encode(row.signature)
    const verdicts = await verify(envelopeOf(signedText, [{ sig, keyid: row.fingerprint }]), keys)
    expect(verdicts).toMatchObject([
      { verdict: 'verified', keyIdForm: 'ssh', proof: { form: 'SSHSIG', namespace: 'git' } },
    ])
  })

  test('lines with options or principals before the key, several at once', () => {
    const [ed25519 = '', rsa = ''] = sshKeys.map(({ line }) => line)
    const text = `# our keys\nann@acme namespaces="git" ${ed25519}\nno-pty,from="10.0.0.1" ${rsa}\r\n`
    expect(readKeys(text).keys.map(({ name }) => name)).toEqual(['ann@acme', 'release rsa'])
  })

  test('keys between PEM blocks are found too, each at its line', () => {
    const [{ line } = { line: '' }] = sshKeys
    const text = [ecPem, line, rsaPem, 'ssh-rsa AAAA cut'].join('\n')
    expect(readKeys(text).keys.map(({ name }) => name)).toEqual(['key', 'key (2)', 'ann@acme'])
    expect(said(text)).toMatch(/^line 17: /)
  })

  test('that is cut, or of a kind nobody verifies with, says so', () => {
    const [row] = sshKeys
    expect(said(row?.line.replace('AAAAC3', 'AAAAC4'))).toMatch(/^line 1: .* damaged\.$/)
    expect(said('sk-ssh-ed25519@openssh.com AAAAGnNr')).toContain('sk-ssh-ed25519@openssh.com')
  })
})

describe('JSON', () => {
  test('Web Keys, one or a set, with their kid as name', async () => {
    const pairs = await Promise.all([
      crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-384' }, true, ['sign', 'verify']),
      crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-521' }, true, ['sign', 'verify']),
    ])
    for (const { publicKey } of pairs) {
      const jwk = await crypto.subtle.exportKey('jwk', publicKey)
      const pem = pemOf({ spki: new Uint8Array(await crypto.subtle.exportKey('spki', publicKey)) })
      const name = `ECDSA ${jwk.crv ?? ''}`
      expect(read(JSON.stringify({ ...jwk, kid: 'a' }))).toEqual([['a', name, pem]])
      expect(read({ keys: [jwk] })).toEqual([['key', name, pem]])
      expect(read([jwk, ecPem])).toEqual([
        ['key', name, pem],
        ['key (2)', 'ECDSA P-256', ecPem],
      ])
    }
  })

  test('a Web Key whose algorithm is of another kind of key is refused', async () => {
    const { publicKey } = await crypto.subtle.generateKey(
      { name: 'ECDSA', namedCurve: 'P-256' },
      true,
      ['sign', 'verify'],
    )
    const jwk = await crypto.subtle.exportKey('jwk', publicKey)
    expect(readKeys({ ...jwk, alg: 'RS256' })).toMatchObject({
      keys: [],
      mistakes: [
        {
          message: expect.stringContaining("isn't a signature algorithm of ECDSA P-256") as string,
        },
      ],
    })
  })

  test.each([
    [{ use: 'enc' }, false],
    [{ use: 'enc', alg: 'ECDH-ES' }, false],
    [{ alg: 'ECDH-ES' }, false],
    [{ key_ops: ['deriveKey'] }, false],
    [{ use: 'sig', key_ops: ['verify'], alg: 'ES256' }, true],
    [{}, true],
  ])('a Web Key with %j is for signatures: %s', async (more, isRead) => {
    const { publicKey } = await crypto.subtle.generateKey(
      { name: 'ECDSA', namedCurve: 'P-256' },
      true,
      ['sign', 'verify'],
    )
    const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', publicKey)
    const { keys, mistakes } = readKeys({ kty, crv, x, y, ...more })
    expect([keys.length, mistakes.length]).toEqual(isRead ? [1, 0] : [0, 1])
  })

  test('a Web Key is tried only with the algorithm it names', async () => {
    const signer = await createSigner('P-256')
    const publicKey = await crypto.subtle.importKey(
      'spki',
      signer.key.spki,
      { name: 'ECDSA', namedCurve: 'P-256' },
      true,
      ['verify'],
    )
    const jwk = await crypto.subtle.exportKey('jwk', publicKey)
    const message = new TextEncoder().encode('DSSEv1 28 application/vnd.in-toto+json 2 {}')
    const sig = await signer.sign(message, { hash: 'SHA-512' })
    const judged = async (alg: string) => {
      const [verdict] = await verify(envelopeOf('{}', [{ sig }]), readKeys({ ...jwk, alg }).keys)
      return verdict?.verdict
    }
    expect([await judged('ES512'), await judged('ES256')]).toEqual(['verified', 'mismatch'])
  })

  test('the map of the policy files, as text and as a value, alone or under keys or spec', () => {
    const map = {
      release: { pem: ecPem },
      'team b': { pemBase64: base64(ed25519Pem) },
      old: certificatePem,
    }
    const expected = [
      ['release', 'ECDSA P-256', ecPem],
      ['team b', 'Ed25519', ed25519Pem],
    ]
    for (const value of [map, { keys: map }, { kind: 'x', spec: { keys: map } }]) {
      expect(read(value)).toEqual(expected)
      expect(read(JSON.stringify(value))).toEqual(expected)
    }
  })

  test('an error in a map names its key and leaves the others', () => {
    const { keys, mistakes } = readKeys({ good: { pem: ecPem }, bad: { pem: 'none' }, worse: 7 })
    expect(keys.map(({ name }) => name)).toEqual(['good'])
    expect(mistakes.map(({ where }) => where)).toEqual(['the key "bad"', 'the key "worse"'])
  })

  test('names that mean something to JavaScript are names', () => {
    const text = `{"__proto__": {"pem": ${JSON.stringify(ecPem)}}}`
    expect(read(text)).toEqual([['__proto__', 'ECDSA P-256', ecPem]])
  })
})

describe('a private key is refused and nothing of it is repeated', () => {
  test('in every form', async () => {
    const { privateKey, publicKey } = await crypto.subtle.generateKey(
      { name: 'ECDSA', namedCurve: 'P-256' },
      true,
      ['sign', 'verify'],
    )
    const pkcs8 = toBase64(new Uint8Array(await crypto.subtle.exportKey('pkcs8', privateKey)))
    const jwk = await crypto.subtle.exportKey('jwk', privateKey)
    const armor = (label: string) => `-----BEGIN ${label}-----\n${pkcs8}\n-----END ${label}-----\n`
    const forms: unknown[] = [
      ...[
        'PRIVATE KEY',
        'RSA PRIVATE KEY',
        'ENCRYPTED SIGSTORE PRIVATE KEY',
        'OPENSSH PRIVATE KEY',
      ].map(armor),
      armor('PUBLIC KEY'),
      armor('PRIVATE KEY').slice(0, 90),
      base64(armor('PRIVATE KEY')),
      pkcs8,
      jwk,
      JSON.stringify({ keys: [jwk] }),
      JSON.stringify({ kty: 'oct', k: pkcs8 }),
      { release: { pem: armor('EC PRIVATE KEY') } },
      `PuTTY-User-Key-File-3: ssh-ed25519\n${pkcs8}`,
    ]
    for (const form of forms) {
      const { keys, mistakes } = readKeys(form)
      expect(keys, String(form)).toEqual([])
      expect(mistakes.map(({ message }) => message).join()).toMatch(/private/i)
      const text = said(form)
      expect(text).not.toContain(pkcs8.slice(40, 60))
      expect(text).not.toContain(jwk.d)
    }
    const spki = new Uint8Array(await crypto.subtle.exportKey('spki', publicKey))
    const mixed = readKeys(`${armor('PRIVATE KEY')}${pemOf({ spki })}`)
    expect(mixed.keys.map(pemOf)).toEqual([pemOf({ spki })])
    expect(mixed.mistakes).toEqual([isPrivateAt('line 1')])
  })
})

describe('a text', () => {
  test('that begins like JSON is read for the keys in it', () => {
    expect(read(`[release]\n${ecPem}`)).toEqual([['key', 'ECDSA P-256', ecPem]])
    expect(read(` \n${JSON.stringify({ release: { pem: ecPem } })}\n`)).toEqual([
      ['release', 'ECDSA P-256', ecPem],
    ])
    expect(read(JSON.stringify(ecPem))).toEqual([['key', 'ECDSA P-256', ecPem]])
    const secret = '-----BEGIN PRIVATE KEY-----\n'
    const { mistakes } = readKeys(`{\nssh-rsa AAAA\n${secret}`)
    expect(mistakes).toHaveLength(2)
    expect(mistakes).toContainEqual(isPrivateAt('line 3'))
    expect(said(`{ ${ecPem.slice(0, 90)}`)).toContain("isn't valid JSON")
    expect(said('hello [release]')).toContain('No public key found')
  })

  test('of base64 may hold SSH keys, and have blanks around it', () => {
    const [{ line } = { line: '' }] = sshKeys
    expect(readKeys(` ${base64(line)}\n`).keys).toMatchObject([{ name: 'ann@acme' }])
    for (const pemBase64 of [`\n ${base64(ecPem)} `, `\u00A0${base64(ecPem)}\u00A0`]) {
      expect(read({ release: { pemBase64 } })).toEqual([['release', 'ECDSA P-256', ecPem]])
    }
  })

  test('has SSH keys where no PEM block is, each mistake once', () => {
    const [{ line } = { line: '' }] = sshKeys
    const inside = ecPem.replace(
      '-----BEGIN PUBLIC KEY-----',
      `-----BEGIN PUBLIC KEY-----\n${line}`,
    )
    expect(readKeys(inside).keys).toEqual([])
    expect(readKeys(inside).mistakes).toHaveLength(1)
    expect(said(`ssh-rsa AAAA\n${ecPem}`)).toMatch(/^line 1: [^\n]*$/)
    expect(readKeys(line.split(' ').slice(0, 2).join(' ')).keys).toMatchObject([{ name: 'key' }])
  })

  test('says of a damaged block only so much as is no secret and no flood', () => {
    const label = `PUBLIC\u0007KEY${'X'.repeat(100)}`
    expect(said(`-----BEGIN ${label}-----\nAAAA`)).toBe(
      `line 1: The end is missing: "-----END PUBLIC?KEY${'X'.repeat(30)}-----".`,
    )
    expect(said({ bad: { pem: ecPem.replace('MFkw', 'MFk%') } })).toMatch(
      /^the key "bad": The text/,
    )
    expect(said({ bad: { pem: 'ssh-rsa AAAA' } })).toMatch(/^the key "bad": The SSH key/)
    expect(said({ [`é${'x'.repeat(100)}`]: 7 })).toMatch(/^the key "\?x{79}": /)
  })
})

describe('a JSON Web Key', () => {
  const jwkOf = (pem: string) => createPublicKey(pem).export({ format: 'jwk' })
  const [ec, ed, rsa] = [jwkOf(ecPem), jwkOf(ed25519Pem), jwkOf(rsaPem)]
  const incomplete = ': The JSON Web Key is incomplete or of an unknown type.'

  test('of every kind is its key', () => {
    expect(read(ec)).toEqual([['key', 'ECDSA P-256', ecPem]])
    expect(read(ed)).toEqual([['key', 'Ed25519', ed25519Pem]])
    expect(read(rsa)).toEqual([['key', 'RSA-2048', rsaPem]])
    const { keys } = readKeys({ ...ed, kid: 7, alg: 7 })
    expect(keys).toMatchObject([{ name: 'key' }])
    expect(keys[0]).not.toHaveProperty('jwsAlgorithm')
    expect(readKeys({ ...ed, kid: 'a', alg: 'EdDSA' }).keys).toMatchObject([
      { name: 'a', jwsAlgorithm: 'EdDSA' },
    ])
  })

  test.each([
    ['without x', { ...ec, x: undefined }],
    ['without y', { ...ec, y: undefined }],
    ['with an x that is empty', { ...ec, x: '' }],
    ['with an x that is no base64', { ...ec, x: '%' }],
    ['on a curve that nobody knows', { ...ec, crv: 'P-999' }],
    ['on a curve that is a number', { ...ec, crv: 7 }],
    ['of another type than its curve', { ...ec, kty: 'OKP' }],
    ['of Ed25519 without x', { ...ed, x: undefined }],
    ['of Ed25519 as a curve', { ...ed, kty: 'EC' }],
    ['of Ed25519 with an x that is empty', { ...ed, x: '' }],
    ['of RSA without n', { ...rsa, n: undefined }],
    ['of RSA without e', { ...rsa, e: undefined }],
    ['of RSA with an e that is empty', { ...rsa, e: '' }],
    ['of a type that is a number', { ...rsa, kty: 7 }],
  ])('%s is incomplete', (_, jwk) => {
    expect(said(jwk)).toBe(incomplete)
  })

  test('has numbers that are each as long as the curve', () => {
    const [x, y] = [ec.x, ec.y].map((text) => Buffer.from(text ?? '', 'base64url'))
    const both = Buffer.concat([x ?? Buffer.of(), y ?? Buffer.of()])
    for (const at of [31, 33]) {
      const moved = { x: both.subarray(0, at), y: both.subarray(at) }
      const texts = { x: moved.x.toString('base64url'), y: moved.y.toString('base64url') }
      expect(said({ ...ec, ...texts })).toBe(incomplete)
    }
  })

  test.each([
    [{ kty: 'EC', crv: 'secp256k1' }, 'secp256k1'],
    [{ kty: 'OKP', crv: 'Ed448' }, 'Ed448'],
    [{ kty: 'AKP', crv: '' }, 'AKP'],
    [{ kty: 'AKP' }, 'AKP'],
    [{ kty: 'AKP', crv: 7 }, 'AKP'],
  ])('%j is of a type that browsers cannot verify with', (jwk, type) => {
    expect(said(jwk)).toBe(`: Browsers can't verify with a JSON Web Key of type ${type}.`)
  })

  test('that is secret is refused, whatever of it is there', () => {
    for (const jwk of [
      { kty: 'oct' },
      { ...ed, d: '' },
      { ...ec, k: 1 },
      { kty: 'AKP', priv: 1 },
    ]) {
      expect(said(jwk)).toContain('private or secret')
    }
  })
})

describe('what is nested', () => {
  const nested = (depth: number, around: (value: unknown) => unknown): unknown => {
    let value: unknown = { pem: ecPem }
    for (let level = 0; level < depth; level++) value = around(value)
    return value
  }

  test.each<[string, (value: unknown) => unknown]>([
    ['lists', (value) => [value]],
    ['names', (value) => ({ name: value })],
    ['keys', (value) => ({ keys: value })],
  ])('in %s is read four levels deep, and never overflows', (_, around) => {
    expect(readKeys(nested(4, around)).keys).toHaveLength(1)
    for (const depth of [5, 100_000]) {
      expect(readKeys(nested(depth, around)).keys).toEqual([])
      expect(readKeys(nested(depth, around)).mistakes).toHaveLength(1)
    }
  })

  test('in a list has its number, and in a name that', () => {
    const { mistakes } = readKeys([ecPem, 7, [8], { keys: [9] }])
    expect(mistakes.map(({ where }) => where)).toEqual([
      'number 2 of the list',
      'number 3 of the list',
      'number 4 of the list',
    ])
    expect(readKeys({ release: [7] }).mistakes).toMatchObject([{ where: 'the key "release"' }])
  })

  test('under a name that holds several keeps the names it has', () => {
    expect(readKeys({ both: [ecPem, rsaPem] }).keys.map(({ name }) => name)).toEqual([
      'key',
      'key (2)',
    ])
    expect(readKeys({ one: [ecPem, 'none'] }).keys.map(({ name }) => name)).toEqual(['one'])
  })
})

test('a key has nothing that was not beside it', () => {
  const bare = ['algorithm', 'name', 'origin', 'spki']
  const namesOf = (input: unknown) => readKeys(input).keys.map((key) => Object.keys(key).sort())
  expect(namesOf(ecPem)).toEqual([bare])
  for (const keyIds of [undefined, [], [7], 'kms://1', {}]) {
    expect(namesOf({ release: { pem: ecPem, keyIds } })).toEqual([bare])
  }
})

test.each([
  ['a version of 0', [0], 2, true],
  ['a version of 1', [1], 2, true],
  ['a version of 2', [2], 2, false],
  ['a version of 5', [5], 2, false],
  ['a version of two bytes', [1, 0], 2, false],
  ['nothing but a version', [0], 1, false],
])('DER of %s before something is a private key, or not', (_, version, parts, isPrivate) => {
  const all = [derElement(0x02, Uint8Array.from(version)), derElement(0x04)]
  const der = toBase64(derElement(0x30, ...all.slice(0, parts)))
  expect(readKeys(der).keys).toEqual([])
  expect(said(der).includes('private key, so')).toBe(isPrivate)
})

test('a block that calls itself a private key is one, whatever is in it', () => {
  for (const label of ['OPENSSH PRIVATE KEY', 'ENCRYPTED SIGSTORE PRIVATE KEY']) {
    const block = `-----BEGIN ${label}-----\nb3BlbnNzaA==\n-----END ${label}-----\n`
    expect(readKeys(block).mistakes).toEqual([isPrivateAt('line 1')])
    expect(readKeys({ release: { pem: block } }).mistakes).toEqual([
      isPrivateAt('the key "release"'),
    ])
  }
})

test.each([
  ['of PuTTY', 'PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-Lines: 1\nMIIB'],
  ['of age, in base64', base64('AGE-SECRET-KEY-1QQQQ')],
  ['of PEM, in base64', base64('-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----')],
  [
    'of PKCS#8, in base64',
    toBase64(derElement(0x30, derElement(2, Uint8Array.of(0)), derElement(4))),
  ],
  ['that is a secret Web Key', '{"kty":"oct","k":"MIIB"}'],
  ['that is a cut Web Key', '{"kty":"EC","d":"MIIB'],
  ['in a set of Web Keys', '{"keys":[{"kty":"EC"},{"kty":"EC","d":"MIIB"}]}'],
])('a private key %s is known by its code', (_, text) => {
  const { keys, mistakes } = readKeys(text)
  expect([keys, hasPrivateKey(mistakes)]).toEqual([[], true])
  expect(hasPrivateKey(readKeys('hello').mistakes)).toBe(false)
})

test('the bytes of a file are read, whatever they are of', () => {
  const [{ spki: der } = { spki: new Uint8Array() }] = readKeys(ecPem).keys
  const map = JSON.stringify({ release: { pem: ecPem } })
  for (const bytes of [Buffer.from(ecPem), new TextEncoder().encode(map), der]) {
    expect(read(bytes)).toHaveLength(1)
  }
})

test.each([
  ['little-endian', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
  ['big-endian', (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16()],
])('UTF-16 with a mark is text, %s', (_, encoded) => {
  expect(read(encoded(ecPem.replaceAll('\n', '\r\n')))).toHaveLength(1)
  const { keys, mistakes } = readKeys(encoded('-----BEGIN PRIVATE KEY-----\r\nAAAA\r\n'))
  expect([keys, hasPrivateKey(mistakes)]).toEqual([[], true])
})

test('what is no key says what a key looks like', () => {
  for (const input of ['', '  ', 'hello', '%%%', 'aGVsbG8=', 'ssh me the key', '-----BEGIN']) {
    expect(readKeys(input).keys).toEqual([])
    expect(said(input)).toContain('SSH public key')
  }
  expect(said('{"kty": "EC", ')).toContain("isn't valid JSON. It may be incomplete.")
  for (const input of [
    {},
    [],
    null,
    undefined,
    7,
    { kty: 'EC' },
    { keys: { a: { b: { c: { d: {} } } } } },
  ]) {
    const { keys, mistakes } = readKeys(input)
    expect(keys).toEqual([])
    expect(mistakes.length).toBe(1)
  }
})

describe('a point', () => {
  const spki = (curve: string) =>
    generateKeyPairSync('ec', { namedCurve: curve }).publicKey.export({
      type: 'spki',
      format: 'der',
    })
  const pemOfDer = (der: Uint8Array) =>
    `-----BEGIN PUBLIC KEY-----\n${Buffer.from(der).toString('base64')}\n-----END PUBLIC KEY-----`

  test.each(['P-256', 'P-384', 'P-521'])(
    'off the curve %s is refused, one on it is read',
    (curve) => {
      for (let round = 0; round < 5; round++) {
        const der = spki(curve)
        expect(readKeys(pemOfDer(der)).keys).toHaveLength(1)
        der[der.length - 1] = (der.at(-1) ?? 0) ^ 1
        const { keys, mistakes } = readKeys(pemOfDer(der))
        expect(keys).toEqual([])
        expect(mistakes[0]?.message).toContain("its point isn't on the curve")
      }
    },
  )

  test('of Ed25519 that has no x is refused, and every key of node is read', () => {
    for (let round = 0; round < 20; round++) {
      const { publicKey } = generateKeyPairSync('ed25519')
      const der = publicKey.export({ type: 'spki', format: 'der' })
      expect(readKeys(pemOfDer(der)).keys).toHaveLength(1)
    }
    const der = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' })
    // y = 2 (RFC 8032, 5.1.3: no square root).
    der.fill(0, 12).writeUInt8(2, 12)
    expect(readKeys(pemOfDer(der)).keys).toEqual([])
  })
})

test('YAML with several keys is refused, as their names would be lost, and one key in it is read', () => {
  const indented = (pem: string): string => pem.trim().replaceAll(/^/gm, '    ')
  const both = `release: |\n${indented(ecPem)}\nother: |-\n${indented(ed25519Pem)}\n`
  const line = ecPem.replaceAll(/-----[^-]+-----|\s/g, '')
  for (const text of [both, `release: ${line}\n`, `keys:\n  - kty: EC\n    crv: P-256\n`]) {
    const { keys, mistakes } = readKeys(text)
    expect(keys).toEqual([])
    expect(mistakes).toHaveLength(1)
    expect(mistakes[0]?.message).toMatch(/^This is YAML.* JSON with a name/)
  }
  expect(readKeys(`release: |\n${indented(ecPem)}\n`).keys).toHaveLength(1)
  expect(readKeys(`${ecPem}\n${ed25519Pem}`).keys).toHaveLength(2)
})
