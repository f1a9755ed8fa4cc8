import { describe, expect, test } from 'vitest'
import { decode } from './decode.ts'
import { derElement } from './decode/der.ts'
import { ecdsaDer } from './ecdsa-der.test-support.ts'
import { certificatePem, ecPem, secp256k1Pem } from './foreign-keys.test-support.ts'
import { hexOf } from './decode/bytes.ts'
import { dssev1Pae, pae } from './signatures/pae.ts'
import { readKeys } from './keys/read-keys.ts'
import type { HintCode, Verdict } from './signatures/signature-verdict.ts'
import { createSigner, inTotoType, keyOf, paeOf } from './signing.test-support.ts'
import { toBase64, toBase64Url } from './decode/base64.ts'
import type { TrustedKey } from './keys/trusted-key.ts'
import { verify } from './verify.ts'

/**
 * The rows of docs/attestations.md#variants that say what becomes of a signature, from the text of
 * the envelope to the verdict: V is `verified`, N is any other. What decoding alone decides is
 * elsewhere.
 */
interface Row {
  /** The number of the row. */
  readonly n: number
  readonly what: string
  readonly envelope: Record<string, unknown>
  readonly keys?: readonly TrustedKey[]
  readonly verdicts: readonly Verdict[]
  readonly hint?: HintCode
}

// With ">" and "?" the base64 of the payload has characters that the two alphabets write differently.
const text = '{"_type":"https://in-toto.io/Statement/v1","predicate":{"a":"???>>>~~~"}}'
const bytes = new TextEncoder().encode(text)
const message = paeOf(text)
const ec = await createSigner('P-256', 'release')
const ec2 = await createSigner('P-256', 'second')
const ec384 = await createSigner('P-384', 'p384')
const ed = await createSigner('Ed25519', 'ed')
const pss = await createSigner('RSA-PSS', 'pss')
const keys = [ec.key, ec2.key, ec384.key, ed.key, pss.key]

const rs = await ec.sign(message)
const der = ecdsaDer(rs)
const [r, s] = [rs.subarray(0, 32), rs.subarray(32)]
const second = toBase64(ecdsaDer(await ec2.sign(message)))
const sig = toBase64(der)
const payload = toBase64(bytes)
const edSig = await ed.sign(message)
const zeros = new Uint8Array(32)
/** Read as Ed25519 by chance, it is past L: then no key here can have made what ends with it. */
const large = Uint8Array.from([...s.subarray(0, 31), 0xff])
const order = Uint8Array.from(
  Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex'),
)

function signed(signature: Record<string, unknown>, more: Record<string, unknown> = {}) {
  return { payloadType: inTotoType, payload, signatures: [signature], ...more }
}

function bytesSig(value: Uint8Array) {
  return signed({ sig: toBase64(value) })
}

/** A DER INTEGER with what is given before its digits. */
function integer(digits: Uint8Array, ...before: number[]): Uint8Array {
  return derElement(0x02, Uint8Array.of(...before), digits)
}

const padded = derElement(0x30, integer(r, 0, 0, 0), integer(s, 0, 0))
const longForm = Uint8Array.from([0x30, 0x81, der.length - 2, ...der.subarray(2)])
const indefinite = Uint8Array.from([0x30, 0x80, ...der.subarray(2), 0, 0])
const negative = derElement(0x30, integer(Uint8Array.of(0x80, ...r.subarray(1))), integer(s, 0))
const aboveL = Uint8Array.from([...edSig.subarray(0, 32), ...zeros.map(() => 0xff)])
const textOfHex = hexOf(der)

const altered = signed(
  { sig },
  { payload: toBase64(new TextEncoder().encode(text.replace('v1', 'v2'))) },
)

const rows: readonly Row[] = [
  {
    n: 12,
    what: 'no signatures',
    envelope: { payloadType: inTotoType, payload, signatures: [] },
    verdicts: [],
  },
  { n: 13, what: 'a signature without fields', envelope: signed({}), verdicts: ['unsigned'] },
  {
    n: 15,
    what: 'the payload is an object',
    envelope: signed({ sig }, { payload: { a: 1 } }),
    verdicts: ['unsupported'],
  },
  {
    n: 17,
    what: 'unknown fields',
    envelope: { ...signed({ sig, x: 1 }), attachments: [] },
    verdicts: ['verified'],
  },
  { n: 18, what: 'no key id', envelope: signed({ sig }), verdicts: ['verified'] },
  {
    n: 18,
    what: 'a key id of null',
    envelope: signed({ sig, keyid: null }),
    verdicts: ['verified'],
  },
  { n: 18, what: 'an empty key id', envelope: signed({ sig, keyid: '' }), verdicts: ['verified'] },
  {
    n: 19,
    what: 'the key id of another key',
    envelope: signed({ sig, keyid: 'second' }),
    verdicts: ['verified'],
    hint: 'keyid-names-another-key',
  },
  {
    n: 19,
    what: 'a key id of no key',
    envelope: signed({ sig, keyid: 'SHA256:none' }),
    verdicts: ['verified'],
    hint: 'keyid-mismatch',
  },
  {
    n: 20,
    what: 'a key id of 1 MB',
    envelope: signed({ sig, keyid: '\u202E\u0000'.repeat(500_000) }),
    verdicts: ['verified'],
    hint: 'keyid-mismatch',
  },
  {
    n: 22,
    what: 'the URL-safe alphabet',
    envelope: signed({ sig: toBase64Url(der) }, { payload: toBase64Url(bytes) }),
    verdicts: ['verified'],
  },
  {
    n: 24,
    what: 'no padding',
    envelope: signed({ sig: sig.replace(/=+$/, '') }, { payload: payload.replace(/=+$/, '') }),
    verdicts: ['verified'],
  },
  {
    n: 26,
    what: 'line ends inside',
    envelope: signed({ sig: `${sig.slice(0, 9)}\r\n ${sig.slice(9)}` }),
    verdicts: ['verified'],
  },
  { n: 29, what: 'an empty signature', envelope: signed({ sig: '' }), verdicts: ['unsigned'] },
  {
    n: 30,
    what: 'a signature that is not base64, beside a good one',
    envelope: signed({}, { signatures: [{ sig: 'invalid encoding' }, { sig }] }),
    verdicts: ['mismatch', 'verified'],
  },
  {
    n: 31,
    what: 'is base64-encoded twice',
    envelope: signed({ sig: toBase64(new TextEncoder().encode(sig)) }),
    verdicts: ['mismatch'],
    hint: 'doubled-base64',
  },
  {
    n: 32,
    what: 'hex',
    envelope: signed({ sig: textOfHex }),
    verdicts: ['mismatch'],
    hint: 'hex-signature',
  },
  {
    n: 33,
    what: 'the payload altered by a byte, with one key that can have signed it',
    envelope: altered,
    keys: [ec.key, ec384.key, ed.key, pss.key],
    verdicts: ['mismatch'],
    hint: 'key-not-named',
  },
  {
    n: 33,
    what: 'the payload altered by a byte, with two keys that can have signed it',
    envelope: altered,
    verdicts: ['unknown-key'],
  },
  {
    n: 33,
    what: 'altered, with the key named',
    envelope: signed({ sig, keyid: 'release' }, { payload: toBase64(bytes.slice(1)) }),
    verdicts: ['mismatch'],
  },
  {
    n: 34,
    what: 'the payload type altered',
    envelope: signed({ sig }, { payloadType: `${inTotoType}A` }),
    verdicts: ['mismatch'],
    hint: 'payload-type',
  },
  {
    n: 35,
    what: 'the payload alone signed',
    envelope: bytesSig(ecdsaDer(await ec.sign(bytes))),
    verdicts: ['mismatch'],
    hint: 'raw-payload',
  },
  {
    n: 36,
    what: 'the DSSEV1 mistake',
    envelope: bytesSig(ecdsaDer(await ec.sign(dssev1Pae(inTotoType, bytes)))),
    verdicts: ['mismatch'],
    hint: 'dssev1-pae',
  },
  { n: 37, what: 'padded integers', envelope: bytesSig(padded), verdicts: ['mismatch'] },
  {
    n: 37,
    what: 'a long form of a short length',
    envelope: bytesSig(longForm),
    verdicts: ['mismatch'],
  },
  { n: 37, what: 'an indefinite length', envelope: bytesSig(indefinite), verdicts: ['mismatch'] },
  { n: 37, what: 'a negative integer', envelope: bytesSig(negative), verdicts: ['mismatch'] },
  {
    n: 37,
    what: 'a byte after the end',
    envelope: bytesSig(Uint8Array.from([...der, 0])),
    verdicts: ['mismatch'],
  },
  { n: 38, what: 'r||s of 64 bytes', envelope: bytesSig(rs), verdicts: ['verified'] },
  { n: 38, what: 'r||s of 63 bytes', envelope: bytesSig(rs.subarray(1)), verdicts: ['mismatch'] },
  {
    n: 39,
    what: 'r = 0',
    envelope: bytesSig(Uint8Array.from([...zeros, ...large])),
    verdicts: ['mismatch'],
  },
  {
    n: 39,
    what: 's = 0',
    envelope: bytesSig(Uint8Array.from([...r, ...zeros])),
    verdicts: ['mismatch'],
    hint: 'key-not-named',
  },
  {
    n: 39,
    what: 'r = n',
    envelope: bytesSig(Uint8Array.from([...order, ...large])),
    verdicts: ['mismatch'],
  },
  {
    n: 40,
    what: 'Ed25519 of 63 bytes',
    envelope: bytesSig(edSig.subarray(0, 63)),
    verdicts: ['mismatch'],
  },
  { n: 40, what: 'Ed25519 with S past L', envelope: bytesSig(aboveL), verdicts: ['mismatch'] },
  {
    n: 41,
    what: 'PSS with a salt of 32',
    envelope: bytesSig(await pss.sign(message)),
    verdicts: ['verified'],
  },
  {
    n: 41,
    what: 'PSS with the longest salt',
    envelope: bytesSig(await pss.sign(message, { saltLength: 222 })),
    verdicts: ['verified'],
  },
  {
    n: 41,
    what: 'PSS with a salt of 17',
    envelope: bytesSig(await pss.sign(message, { saltLength: 17 })),
    verdicts: ['unsupported'],
  },
  {
    n: 42,
    what: 'P-384 with SHA-256',
    envelope: bytesSig(await ec384.sign(message)),
    verdicts: ['verified'],
    hint: 'weak-hash',
  },
  {
    n: 43,
    what: 'one good and one bad',
    envelope: signed(
      {},
      { signatures: [{ sig: second }, { sig: toBase64(der.slice().fill(7, 20, 30)) }] },
    ),
    verdicts: ['verified', 'mismatch'],
    hint: 'key-not-named',
  },
  {
    n: 46,
    what: 'a private key is no key',
    envelope: signed({ sig }),
    keys: readKeys('-----BEGIN PRIVATE KEY-----\nMC4=\n-----END PRIVATE KEY-----').keys,
    verdicts: ['unknown-key'],
  },
  {
    n: 47,
    what: 'a key with CRLF and text around it',
    envelope: signed({ sig }),
    keys: [keyOf(`See:\r\n${ec.pem.replaceAll('\n', '\r\n')}\r\nBye`, 'k')],
    verdicts: ['verified'],
  },
  {
    n: 48,
    what: 'a key on an unsupported curve',
    envelope: signed({ sig }),
    keys: [keyOf(secp256k1Pem, 'k1')],
    verdicts: ['unsupported'],
  },
  {
    n: 48,
    what: 'an unsupported key beside a good one',
    envelope: signed({ sig }),
    keys: [keyOf(secp256k1Pem, 'k1'), ec.key],
    verdicts: ['verified'],
  },
  {
    n: 49,
    what: 'a certificate beside the signature that did not make it',
    envelope: signed({ sig, cert: certificatePem }),
    keys: [],
    verdicts: ['mismatch'],
  },
  {
    n: 49,
    what: 'such a certificate, and a trusted key that did',
    envelope: signed({ sig, cert: certificatePem }),
    verdicts: ['verified'],
  },
  {
    n: 50,
    what: 'a bundle with an empty chain',
    envelope: bundle({ x509CertificateChain: { certificates: [] } }),
    keys: [],
    verdicts: ['unknown-key'],
  },
  {
    n: 50,
    what: 'a bundle with a certificate of another key',
    envelope: bundle({
      certificate: { rawBytes: certificatePem.split('\n').slice(1, -2).join('') },
    }),
    keys: [keyOf(ecPem, 'theirs')],
    verdicts: ['mismatch'],
  },
  {
    n: 53,
    what: 'a payload that is no JSON',
    envelope: await signedAs('hello world', 'text/plain'),
    verdicts: ['verified'],
  },
  {
    n: 54,
    what: 'a payload that is a list',
    envelope: await signedAs('[1]', inTotoType),
    verdicts: ['verified'],
  },
  {
    n: 52,
    what: 'a payload that is not UTF-8',
    envelope: await signedAs(Uint8Array.of(0x22, 0xff, 0x22), inTotoType),
    verdicts: ['verified'],
  },
]

function bundle(material: Record<string, unknown>) {
  return {
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: { ...material, tlogEntries: [] },
    dsseEnvelope: signed({ sig }),
  }
}

async function signedAs(content: string | Uint8Array, payloadType: string) {
  const body = typeof content === 'string' ? new TextEncoder().encode(content) : content
  const made = toBase64(ecdsaDer(await ec.sign(pae(payloadType, body))))
  return signed({ sig: made }, { payloadType, payload: toBase64(body) })
}

describe('the variants of an envelope that concern its signatures', () => {
  test.each(rows)('$n: $what', async ({ envelope, keys: own = keys, verdicts, hint }) => {
    const decoded = decode(JSON.stringify(envelope))
    if (!decoded.ok || !decoded.envelope) throw new Error(JSON.stringify(decoded))
    const judged = await verify(decoded.envelope, own)
    expect(judged.map(({ verdict }) => verdict)).toEqual(verdicts)
    const hints = judged.flatMap((verdict) => verdict.hints.map(({ code }) => code))
    expect(hints).toEqual(hint === undefined ? [] : [hint])
    for (const { reason } of judged) expect(reason).toMatch(/^[^\s].{10,400}\.$/s)
  })
})
