import { constants, generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { positions } from '../property-runs.test-support.ts'
import { ecdsaDer } from './ecdsa-der.test-support.ts'
import type { Envelope, EnvelopeSignature } from './decode/envelope.ts'
import { decode } from './decode.ts'
import { fingerprints } from './keys/fingerprints.ts'
import { readKeys } from './keys/read-keys.ts'
import { secp256k1Pem } from './foreign-keys.test-support.ts'
import { hexOf } from './decode/bytes.ts'
import { derElement, derSequence, derTag } from './decode/der.ts'
import { dssev1Pae } from './signatures/pae.ts'
import { sshSigOf } from './ssh-signing.test-support.ts'
import {
  createSigner,
  envelopeOf,
  inTotoType,
  keyOf,
  paeOf,
  type Signer,
  type SignerKind,
} from './signing.test-support.ts'
import { toBase64 } from './decode/base64.ts'
import { verify, type VerifyOptions } from './verify.ts'

const text = '{"_type":"https://in-toto.io/Statement/v1"}'
const bytes = new TextEncoder().encode(text)
const message = paeOf(text)
const p256 = await createSigner('P-256', 'release')
const other = await createSigner('P-256', 'other')
const p384 = await createSigner('P-384')
const p521 = await createSigner('P-521')
const ed25519 = await createSigner('Ed25519')
const pss = await createSigner('RSA-PSS')
const pkcs1 = await createSigner('RSASSA-PKCS1-v1_5')
const all = [p256, other, p384, p521, ed25519, pss, pkcs1].map(({ key }) => key)
const good = ecdsaDer(await p256.sign(message))

function keyOfSigner({ key }: Signer) {
  return key
}

async function judge(
  signature: Partial<EnvelopeSignature>,
  keys = all,
  more: Partial<Envelope> = {},
  options: VerifyOptions = {},
) {
  const [verdict] = await verify(envelopeOf(text, [signature], more), keys, options)
  if (!verdict) throw new Error('no verdict')
  return verdict
}

describe('every algorithm is recognised without being named', () => {
  const rows: [string, Signer, Parameters<Signer['sign']>[1], string][] = [
    ['P-256', p256, {}, 'ECDSA P-256 with SHA-256'],
    ['P-256 and SHA-512', p256, { hash: 'SHA-512' }, 'ECDSA P-256 with SHA-512'],
    ['P-384', p384, { hash: 'SHA-384' }, 'ECDSA P-384 with SHA-384'],
    ['P-384 and SHA-256', p384, {}, 'ECDSA P-384 with SHA-256'],
    ['P-521', p521, { hash: 'SHA-512' }, 'ECDSA P-521 with SHA-512'],
    ['P-521 and SHA-256', p521, {}, 'ECDSA P-521 with SHA-256'],
    ['Ed25519', ed25519, {}, 'Ed25519'],
    ['PSS, salt 32', pss, {}, 'RSA-PSS with SHA-256 and a salt of 32 bytes'],
    [
      'PSS, the longest salt',
      pss,
      { saltLength: 222 },
      'RSA-PSS with SHA-256 and a salt of 222 bytes',
    ],
    [
      'PSS and SHA-512',
      pss,
      { hash: 'SHA-512', saltLength: 64 },
      'RSA-PSS with SHA-512 and a salt of 64 bytes',
    ],
    ['PKCS#1', pkcs1, {}, 'RSA PKCS#1 v1.5 with SHA-256'],
    ['PKCS#1 and SHA-384', pkcs1, { hash: 'SHA-384' }, 'RSA PKCS#1 v1.5 with SHA-384'],
  ]
  test.each(rows)('%s', async (_, signer, options, algorithm) => {
    const raw = await signer.sign(message, options)
    const verdict = await judge({ sig: raw })
    expect(verdict).toMatchObject({ verdict: 'verified', proof: { algorithm }, key: signer.key })
    if (!algorithm.startsWith('ECDSA')) return
    expect(verdict.proof?.form).toBe('P1363')
    expect(await judge({ sig: ecdsaDer(raw) })).toMatchObject({
      verdict: 'verified',
      proof: { algorithm, form: 'DER' },
    })
  })

  test('a salt that is neither 32 nor the hash nor the longest is unsupported; over another payload no match', async () => {
    const sig = await pss.sign(message, { saltLength: 20 })
    const verdict = await judge({ sig }, [pss.key])
    expect(verdict).toMatchObject({ verdict: 'unsupported', key: pss.key })
    expect(verdict.reason).toContain("SHA-256 and a salt of 20 bytes, which isn't supported")
    const other = await pss.sign(paeOf('another payload'), { saltLength: 20 })
    expect(await judge({ sig: other }, [pss.key])).toMatchObject({ verdict: 'mismatch' })
  })

  test('a hash below the curve is verified and remarked on', async () => {
    const verdict = await judge({ sig: await p384.sign(message) })
    expect(verdict.hints).toMatchObject([{ code: 'weak-hash' }])
    const fitting = await judge({ sig: await p384.sign(message, { hash: 'SHA-384' }) })
    expect(fitting.hints).toEqual([])
  })
})

test.each([['release'], [undefined]])(
  "an ECDSA signature with SHA-1 is its key's, in a form that does not count, with the key id %s",
  async (keyid) => {
    const sig = ecdsaDer(await p256.sign(message, { hash: 'SHA-1' }))
    expect(await judge({ sig, keyid })).toMatchObject({
      verdict: 'mismatch',
      reason:
        '"release" (ECDSA P-256, from the configuration) made it with SHA-1, which is too weak to count.',
      key: p256.key,
      hints: [{ code: 'sha1-hash', key: p256.key }],
    })
  },
)

describe('SSH signatures', () => {
  const kinds: [SignerKind, Signer][] = [
    ['P-256', p256],
    ['P-521', p521],
    ['Ed25519', ed25519],
    ['RSASSA-PKCS1-v1_5', pkcs1],
  ]
  test.each(kinds)('with %s, armored or not', async (_, signer) => {
    const { armored, binary } = await sshSigOf(signer, message, 'git')
    for (const sig of [armored, binary]) {
      expect(await judge({ sig })).toMatchObject({
        verdict: 'verified',
        key: signer.key,
        proof: { form: 'SSHSIG', namespace: 'git' },
      })
    }
  })

  test('that were made for another purpose than git are never verified, whether their key is named or not', async () => {
    for (const keyid of ['Ed25519', undefined]) {
      const { binary } = await sshSigOf(ed25519, message, 'file\u202e')
      expect(await judge({ sig: binary, keyid }, [p256.key, ed25519.key])).toMatchObject({
        verdict: 'unsupported',
        reason: 'The SSH signature was made for "file‹U+202E›". Only those for "git" count.',
        key: ed25519.key,
      })
    }
    const { binary } = await sshSigOf(ed25519, paeOf('another payload'), 'file')
    expect(await judge({ sig: binary }, [ed25519.key])).toMatchObject({ verdict: 'mismatch' })
  })

  test('with a key that is not trusted are of an unknown key, whatever else is trusted', async () => {
    const { binary } = await sshSigOf(ed25519, message, 'git')
    expect(await judge({ sig: binary }, [p256.key])).toMatchObject({ verdict: 'unknown-key' })
  })

  test('that name a trusted key but bring another are a mismatch', async () => {
    const { binary } = await sshSigOf(ed25519, message, 'git')
    const verdict = await judge({ sig: binary, keyid: 'release' }, [p256.key])
    expect(verdict).toMatchObject({ verdict: 'mismatch', key: p256.key })
  })

  test('over the payload alone are a hint', async () => {
    const { binary } = await sshSigOf(ed25519, bytes, 'git')
    const verdict = await judge({ sig: binary })
    expect(verdict).toMatchObject({ verdict: 'mismatch', hints: [{ code: 'raw-payload' }] })
  })

  test('of a security key are unsupported, and cut ones never verify', async () => {
    const { binary } = await sshSigOf(ed25519, message, 'git', 'sk-ssh-ed25519@openssh.com')
    expect(await judge({ sig: binary })).toMatchObject({ verdict: 'unsupported' })
    const whole = await sshSigOf(ed25519, message, 'git')
    for (let to = 6; to < whole.binary.length; to++) {
      const { verdict } = await judge({ sig: whole.binary.subarray(0, to) })
      expect(verdict, `cut at ${to}`).not.toBe('verified')
    }
  })
})

test('a signature inside a Sigstore MessageSignature is verified over the PAE', async () => {
  const { json, sig } = await wrapped(good, message)
  expect(await judge({ sig })).toMatchObject({
    verdict: 'verified',
    proof: { isWrapped: true, form: 'DER' },
  })
  const spaced = json.replaceAll(':', ': ').replaceAll(',', ',\n ')
  expect(await judge({ sig: new TextEncoder().encode(spaced) })).toMatchObject({
    verdict: 'verified',
  })
})

test('a Sigstore MessageSignature of another digest verifies nothing', async () => {
  const { sig } = await wrapped(good, bytes)
  expect(await judge({ sig }, [p256.key])).toMatchObject({ verdict: 'mismatch' })
})

test('no bit of a Sigstore MessageSignature can be changed without notice', async () => {
  const { sig } = await wrapped(good, message)
  for (const bit of positions(8 * sig.length - 1)) {
    const changed = sig.slice()
    const at = Math.floor(bit / 8)
    changed[at] = (changed[at] ?? 0) ^ (1 << (bit % 8))
    const { verdict } = await judge({ sig: changed })
    expect(verdict, `bit ${bit}`).not.toBe('verified')
  }
})

async function wrapped(signature: Uint8Array, over: Uint8Array<ArrayBuffer>) {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', over))
  const messageDigest = { algorithm: 'SHA2_256', digest: toBase64(digest) }
  const json = JSON.stringify({ messageDigest, signature: toBase64(signature) })
  return { json, sig: new TextEncoder().encode(json) }
}

describe('which key', () => {
  test('a mismatch where the key id names a key, by its name or any fingerprint', async () => {
    const sig = ecdsaDer(await p256.sign(paeOf(`${text} `)))
    for (const { value } of await fingerprints(p256.key, crypto.subtle)) {
      const verdict = await judge({ sig, keyid: value })
      expect(verdict, value).toMatchObject({ verdict: 'mismatch', key: p256.key })
    }
    expect(await judge({ sig, keyid: 'release' })).toMatchObject({ keyIdForm: 'name' })
  })

  test('a mismatch where nothing names a key and one key alone could have made it', async () => {
    const sig = ecdsaDer(await p256.sign(bytes.slice(1)))
    const verdict = await judge({ sig }, [p256, p384, p521, ed25519, pss, pkcs1].map(keyOfSigner))
    expect(verdict).toMatchObject({ verdict: 'mismatch', key: p256.key, keyIdForm: 'absent' })
    expect(verdict.hints).toMatchObject([{ code: 'key-not-named' }])
    const twin = { ...p256.key, name: 'twin' }
    expect(await judge({ sig }, [p256.key, twin])).toMatchObject({ verdict: 'mismatch' })
    const ssh = await sshSigOf(ed25519, paeOf(`${text} `), 'git')
    expect(await judge({ sig: ssh.binary })).toMatchObject({
      verdict: 'mismatch',
      key: ed25519.key,
    })
  })

  test('unknown where nothing names a key and several could have made it, or none', async () => {
    const sig = ecdsaDer(await p256.sign(bytes.slice(1)))
    const several = await judge({ sig })
    expect(several).toMatchObject({ verdict: 'unknown-key', key: undefined, keyIdForm: 'absent' })
    expect(several.reason).toContain('it was changed after signing, or another key made it')
    for (const signer of [p384, p521, ed25519, pss]) {
      const verdict = await judge({ sig }, [signer.key])
      expect(verdict.verdict, signer.key.name).toBe('unknown-key')
      expect(verdict.reason).toContain('none of them makes this kind of signature,')
    }
    for (const signer of [p256, p384, ed25519, pkcs1]) {
      const raw = await signer.sign(bytes)
      const rest = all.filter((key) => key.algorithm.type !== signer.key.algorithm.type)
      const unlike = signer === p256 || signer === ed25519 ? [pss.key, p521.key] : rest
      const verdict = await judge({ sig: raw }, unlike, { payload: bytes.slice(1) })
      expect(verdict.verdict, signer.key.name).toBe('unknown-key')
    }
  })

  test('a mismatch where the bytes are no signature that any key could make', async () => {
    const broken = [
      good.subarray(0, -1),
      good.subarray(0, 40),
      new Uint8Array(64).fill(255),
      Uint8Array.of(1),
    ]
    for (const sig of broken) {
      const verdict = await judge({ sig })
      expect(verdict).toMatchObject({ verdict: 'mismatch', key: undefined })
      expect(verdict.reason).toContain("aren't a signature of any known kind,")
    }
  })

  test('unknown where there is no key, or the key id names none of them', async () => {
    expect(await judge({ sig: good }, [])).toMatchObject({ verdict: 'unknown-key' })
    const named = await judge({ sig: good, keyid: 'SHA256:abc' }, [other.key])
    expect(named).toMatchObject({ verdict: 'unknown-key', keyIdForm: 'none' })
  })

  test('verified with a remark where the key id names another key, or none', async () => {
    const swapped = await judge({ sig: good, keyid: 'other' })
    expect(swapped).toMatchObject({
      verdict: 'verified',
      key: p256.key,
      hints: [{ code: 'keyid-names-another-key', key: other.key }],
    })
    const strange = await judge({ sig: good, keyid: 'projects/p/keys/1' })
    expect(strange).toMatchObject({ verdict: 'verified', hints: [{ code: 'keyid-mismatch' }] })
    expect((await judge({ sig: good })).hints).toEqual([])
  })

  test('a key id of a megabyte is a key id that names nothing', async () => {
    const verdict = await judge({ sig: good, keyid: 'a'.repeat(1 << 20) })
    expect(verdict).toMatchObject({ verdict: 'verified', hints: [{ code: 'keyid-mismatch' }] })
    expect(verdict.hints[0]?.message.length).toBeLessThan(300)
  })

  test('a public key in the bundle is not taken for a trusted one, unless it is trusted too', async () => {
    const publicKey = toBase64(p256.key.spki)
    const brought = await judge({ sig: good }, [], { publicKey })
    expect(brought).toMatchObject({
      verdict: 'verified',
      key: { origin: 'public key in the bundle' },
    })
    const trusted = await judge({ sig: good }, [p256.key], { publicKey })
    expect(trusted).toMatchObject({ verdict: 'verified', key: { origin: 'configuration' } })
  })
})

describe('hints never verify', () => {
  test('the payload alone was signed', async () => {
    const verdict = await judge({ sig: ecdsaDer(await p256.sign(bytes)) })
    expect(verdict).toMatchObject({
      verdict: 'mismatch',
      proof: undefined,
      hints: [{ code: 'raw-payload', key: p256.key }],
    })
  })

  test('another payload type was signed', async () => {
    const verdict = await judge({ sig: good }, all, { payloadType: `${inTotoType}A` })
    expect(verdict).toMatchObject({ verdict: 'mismatch', hints: [{ code: 'payload-type' }] })
  })

  test('the old DSSEV1 with the payload as Python prints it', async () => {
    const sig = await p384.sign(dssev1Pae(inTotoType, bytes))
    expect(await judge({ sig })).toMatchObject({
      verdict: 'mismatch',
      hints: [{ code: 'dssev1-pae', key: p384.key }],
    })
  })

  test('base64 twice, and hex', async () => {
    const twice = new TextEncoder().encode(toBase64(good))
    expect(await judge({ sig: twice })).toMatchObject({
      verdict: 'mismatch',
      hints: [{ code: 'doubled-base64', key: p256.key }],
    })
    const sigText = hexOf(good)
    const sig = Uint8Array.from(Buffer.from(sigText, 'base64'))
    expect(await judge({ sig, sigText })).toMatchObject({
      verdict: 'mismatch',
      hints: [{ code: 'hex-signature', key: p256.key }],
    })
    const strange = await judge({ sig: twice }, [])
    expect(strange).toMatchObject({ verdict: 'unknown-key', hints: [{ code: 'doubled-base64' }] })
  })

  test('say by which key and how it was made, the first that fits alone', async () => {
    const twice = new TextEncoder().encode(toBase64(good))
    const { hints } = await judge({ sig: twice })
    expect(hints).toEqual([
      {
        code: 'doubled-base64',
        key: p256.key,
        message:
          '"release" (ECDSA P-256, from the configuration) made it and its signature is base64-encoded twice, which DSSE doesn\'t allow.',
      },
    ])
  })

  test('are of bytes that no key fits only where these are no accident', async () => {
    const hintsOn = async (sig: Uint8Array, sigText?: string, keys = all) => {
      const more = sigText === undefined ? {} : { sigText }
      return (await judge({ sig, ...more }, keys)).hints.filter(
        ({ code }) => code !== 'key-not-named',
      )
    }
    const twice = (inner: Uint8Array) => new TextEncoder().encode(toBase64(inner))
    const number = derElement(0x02, Uint8Array.of(1))
    const asTwice = [
      { code: 'doubled-base64', message: 'The signature is base64-encoded twice.', key: undefined },
    ]
    for (const keys of [all, []]) {
      expect(await hintsOn(twice(derElement(0x30, number, number)), undefined, keys)).toEqual(
        asTwice,
      )
      expect(await hintsOn(twice(derElement(0x30, number)), undefined, keys)).toEqual([])
      expect(await hintsOn(twice(Uint8Array.of(1, 2, 3)), undefined, keys)).toEqual([])
    }
    const inHex = (length: number) => {
      const text = 'ab'.repeat(length)
      return hintsOn(Uint8Array.from(Buffer.from(text, 'base64')), ` ${text}\n`)
    }
    expect(await inHex(31)).toEqual([])
    expect(await inHex(32)).toEqual([
      {
        code: 'hex-signature',
        message: 'The signature is hexadecimal instead of base64.',
        key: undefined,
      },
    ])
    // No signature is longer than 20,000 bytes, however it is written.
    const large = (length: number) =>
      derElement(0x30, number, derElement(0x02, new Uint8Array(length)))
    const most = large(15_000 - 11)
    expect(twice(most)).toHaveLength(20_000)
    expect(await hintsOn(twice(most))).toEqual(asTwice)
    expect(await hintsOn(twice(large(15_000 - 10)))).toEqual([])
  })
})

describe('what cannot be judged says why', () => {
  test('no cryptography on plain http', async () => {
    const verdict = await judge({ sig: good }, all, {}, { crypto: {} })
    expect(verdict.verdict).toBe('unsupported')
    expect(verdict.reason).toContain('plain HTTP,')
  })

  test('a payload whose signed bytes are not there', async () => {
    const verdict = await judge({ sig: good }, all, { unverifiable: 'The payload is an object.' })
    expect(verdict).toMatchObject({ verdict: 'unsupported', reason: 'The payload is an object.' })
  })

  test('a key of a kind that no browser verifies with', async () => {
    const verdict = await judge({ sig: good }, [keyOf(secp256k1Pem, 'k1')])
    expect(verdict.verdict).toBe('unsupported')
    expect(verdict.reason).toContain('secp256k1')
  })

  test('a key whose point is not on its curve, unless another key verifies', async () => {
    const spki = p256.key.spki.slice().fill(1, 27)
    const broken = { ...p256.key, name: 'broken', spki }
    const verdict = await judge({ sig: good }, [broken])
    expect(verdict.verdict).toBe('unsupported')
    expect(verdict.reason).toContain('damaged')
    expect(await judge({ sig: good }, [broken, p256.key])).toMatchObject({ verdict: 'verified' })
  })

  test('no signature value is unsigned, or a mismatch where a key is named', async () => {
    expect(await judge({ sigText: '', mistake: 'No value.' })).toMatchObject({
      verdict: 'unsigned',
      key: undefined,
    })
    expect(await judge({ sigText: '', mistake: 'No value.', keyid: 'release' })).toMatchObject({
      verdict: 'mismatch',
      reason: 'No value.',
    })
    const unreadable = { sigText: 'invalid encoding', mistake: 'It is not base64.' }
    expect(await judge({ ...unreadable, keyid: 'release' })).toMatchObject({
      verdict: 'mismatch',
      reason: 'It is not base64.',
    })
    expect(await judge(unreadable, [])).toMatchObject({ verdict: 'unknown-key' })
  })
})

describe('a plain RSA key', () => {
  const text = 'signed with plain RSA'
  const [mine, another] = [2048, 2041].map((modulusLength) =>
    generateKeyPairSync('rsa', { modulusLength }),
  )
  const pemOf = (pair = mine) => pair?.publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const signed = (hash: string, options: object, pair = mine): Uint8Array => {
    if (pair === undefined) throw new Error('there is no key')
    return sign(hash, paeOf(text), { key: pair.privateKey, ...options })
  }
  const pssOf = (saltLength: number) => ({
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength,
  })
  const verdictOn = async (sig: Uint8Array, payload = text) => {
    const { keys } = readKeys(`${pemOf() ?? ''}\n${pemOf(another) ?? ''}`, { name: 'release' })
    const [verdict] = await verify(envelopeOf(payload, [{ sig }]), keys)
    return verdict
  }

  test.each([
    ['sha1', pssOf(20), 'RSA-PSS with SHA-1 and a salt of 20 bytes'],
    ['sha256', pssOf(0), 'RSA-PSS with SHA-256 and a salt of 0 bytes'],
    ['sha384', pssOf(100), 'RSA-PSS with SHA-384 and a salt of 100 bytes'],
    ['sha1', {}, 'RSA PKCS#1 v1.5 with SHA-1'],
    ['sha224', {}, 'RSA PKCS#1 v1.5 with SHA-224'],
    ['sha3-256', {}, 'RSA PKCS#1 v1.5 with SHA3-256'],
  ])('that signed with %s and %j is unsupported with the reason', async (hash, options, how) => {
    for (const pair of [mine, another]) {
      const verdict = await verdictOn(signed(hash, options, pair))
      expect(verdict).toMatchObject({ verdict: 'unsupported' })
      expect(verdict?.reason).toContain(`made it with ${how}, which isn't supported here.`)
    }
  })

  test('whose mask is of another hash than its digest is unsupported, too', async () => {
    const pair = generateKeyPairSync('rsa-pss', {
      modulusLength: 2048,
      hashAlgorithm: 'sha256',
      mgf1HashAlgorithm: 'sha1',
    })
    // The same numbers, in a key that says nothing of PSS.
    const der = pair.publicKey.export({ type: 'spki', format: 'der' })
    const bits = derSequence(der)?.[1]
    const rsa = Buffer.from('300d06092a864886f70d0101010500', 'hex')
    const spki = derElement(derTag.sequence, rsa, der.subarray(bits?.from))
    const { keys } = readKeys(toBase64(spki), { name: 'release' })
    const sig = sign(null, paeOf(text), pair.privateKey)
    const [verdict] = await verify(envelopeOf(text, [{ sig }]), keys)
    expect(verdict).toMatchObject({ verdict: 'unsupported' })
    expect(verdict?.reason).toContain('RSA-PSS with SHA-256, SHA-1 for its mask and a salt of ')
  })

  test.each([
    ['sha1', pssOf(20)],
    ['sha256', pssOf(0)],
    ['sha1', {}],
    ['sha256', {}],
  ])(
    'whose signature with %s and %j is of another payload is a mismatch',
    async (hash, options) => {
      const verdict = await verdictOn(signed(hash, options), 'changed')
      expect(verdict?.verdict).not.toBe('unsupported')
      expect(verdict?.verdict).not.toBe('verified')
    },
  )
})

describe('parameters for PSS in a key', () => {
  const signed = 'signed with PSS'
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const oid = (hex: string) => derElement(derTag.oid, Buffer.from(hex, 'hex'))
  const seq = (...parts: Uint8Array[]) => derElement(derTag.sequence, ...parts)
  const hashes: Readonly<Record<string, string>> = {
    sha1: '2b0e03021a',
    sha224: '608648016503040204',
    sha256: '608648016503040201',
    sha384: '608648016503040202',
    sha512: '608648016503040203',
  }

  /** The verdict on a signature by a key that allows only these (RFC 4055, 3.1). */
  async function pss(hash: string, mask: string, saltLength: number) {
    const bits = derSequence(publicKey.export({ type: 'spki', format: 'der' }))?.[1]
    const der = publicKey.export({ type: 'spki', format: 'der' }).subarray(bits?.from)
    const hashId = seq(oid(hashes[hash] ?? ''))
    const maskId = seq(oid('2a864886f70d010108'), seq(oid(hashes[mask] ?? '')))
    const salt = derElement(derTag.integer, Uint8Array.of(saltLength))
    const parameters = seq(
      derElement(0xa0, hashId),
      derElement(0xa1, maskId),
      derElement(0xa2, salt),
    )
    const spki = seq(seq(oid('2a864886f70d01010a'), parameters), der)
    const sig = sign(hash, paeOf(signed), {
      key: privateKey,
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength,
    })
    const { keys } = readKeys(toBase64(spki), { name: 'release' })
    const [verdict] = await verify(envelopeOf(signed, [{ keyid: 'release', sig }]), keys)
    return verdict
  }

  test.each([
    ['sha256', 32],
    ['sha384', 48],
    ['sha512', 64],
    ['sha384', 40],
    ['sha256', 0],
  ])('of %s with a salt of %d bytes are obeyed', async (hash, salt) => {
    expect(await pss(hash, hash, salt)).toMatchObject({ verdict: 'verified' })
  })

  test('that browsers cannot verify with make it unsupported, never a mismatch', async () => {
    for (const [hash, mask] of [
      ['sha1', 'sha1'],
      ['sha256', 'sha1'],
      ['sha224', 'sha224'],
    ] as const) {
      const verdict = await pss(hash, mask, 20)
      expect(verdict, `${hash} ${mask}`).toMatchObject({ verdict: 'unsupported' })
      expect(verdict?.reason).toContain('RSA-PSS with SHA-')
    }
  })
})

test('a signature that is a text in place of an object says so, and is not called unsigned', async () => {
  const payload = toBase64(bytes)
  const decoded = decode(
    JSON.stringify({ payloadType: inTotoType, payload, signatures: [toBase64(good)] }),
  )
  if (!decoded.ok || decoded.envelope === undefined) throw new Error('no envelope')
  expect(await verify(decoded.envelope, all)).toMatchObject([
    { verdict: 'mismatch', reason: "Signature 1 isn't an object." },
  ])
})
