import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { bytesOfHex, hexOf, joinBytes } from '../../../attestation/decode/bytes.ts'
import { derElement, derTag } from '../../../attestation/decode/der.ts'
import { inTotoType, paeOf } from '../../../attestation/signing.test-support.ts'
import type { SigstoreTrust } from '../../../protocol/proxy-config.ts'

/** A Sigstore of the test's own: a root, an authority, a certificate log, a log and a clock. */
export interface TestSigstore {
  readonly trustedRoot: SigstoreTrust['trustedRoot']
  /** A bundle of version 0.3 with everything that a real one has, after the changes. */
  readonly bundle: (statement: string, options?: BundleOptions) => TestBundle
}

export interface BundleOptions {
  readonly identity?: string
  readonly issuer?: string
  /** Lifetime of the certificate and the time of the log, epoch seconds. */
  readonly notBefore?: number
  readonly logged?: number
  readonly purpose?: string
  /** Without the promise of the certificate log. */
  readonly withoutSct?: boolean
  /** Rekor 2: no time and no promise in the entry. */
  readonly isTimeless?: boolean
  readonly stampedAt?: number
  /** How the entry is written; `dsse 0.0.1` unless given. Version 0.0.2 of the first two is Rekor 2. */
  readonly kind?: EntryKind
  /** The entry names the certificate of the authority in place of the leaf. */
  readonly isOfOther?: boolean
}

export type EntryKind =
  | 'dsse 0.0.1'
  | 'dsse 0.0.2'
  | 'hashedrekord 0.0.1'
  | 'hashedrekord 0.0.2'
  | 'intoto 0.0.2'

/** The parts that tests change; all base64 as in the file. */
export interface TestBundle {
  mediaType: string
  verificationMaterial: {
    certificate: { rawBytes: string }
    tlogEntries: TestEntry[]
    timestampVerificationData?: { rfc3161Timestamps: { signedTimestamp: string }[] }
  }
  dsseEnvelope: {
    payload: string
    payloadType: string
    signatures: { sig: string; keyid?: string }[]
  }
}

interface TestEntry {
  logIndex: string
  logId: { keyId: string }
  kindVersion: { kind: string; version: string }
  integratedTime?: string
  inclusionPromise?: { signedEntryTimestamp: string }
  inclusionProof?: {
    logIndex: string
    rootHash: string
    treeSize: string
    hashes: string[]
    checkpoint?: { envelope: string }
  }
  canonicalizedBody: string
}

const start = Date.UTC(2026, 0, 1) / 1000
export const testIdentity =
  'https://github.com/acme/shop/.github/workflows/release.yml@refs/tags/v1'
export const testIssuer = 'https://token.actions.githubusercontent.com'

/** Generates all keys and certificates anew. */
export function createTestSigstore(): TestSigstore {
  const [root, authority, ctLog, rekor, clock] = [key(), key(), key(), key(), key()]
  const rootCertificate = certificate({ subject: 'root', issuer: 'root', of: root, by: root })
  const authorityCertificate = certificate({
    subject: 'authority',
    issuer: 'root',
    of: authority,
    by: root,
  })
  const clockCertificate = certificate({ subject: 'clock', issuer: 'root', of: clock, by: root })
  const validFor = { start: time(start - 1000).toISOString() }
  const chain = (...all: Uint8Array[]) => ({
    certificates: all.map((one) => ({ rawBytes: base64(one) })),
  })
  const log = (pair: Pair) => ({
    baseUrl: 'https://log.example',
    hashAlgorithm: 'SHA2_256',
    publicKey: { rawBytes: base64(pair.spki), keyDetails: 'PKIX_ECDSA_P256_SHA_256', validFor },
    logId: { keyId: base64(sha256(pair.spki)) },
  })
  return {
    trustedRoot: {
      mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
      tlogs: [log(rekor)],
      ctlogs: [log(ctLog)],
      certificateAuthorities: [
        {
          uri: 'https://ca.example',
          certChain: chain(authorityCertificate, rootCertificate),
          validFor,
        },
      ],
      timestampAuthorities: [
        {
          uri: 'https://tsa.example',
          certChain: chain(clockCertificate, rootCertificate),
          validFor,
        },
      ],
    },
    bundle: (statement, options = {}) => {
      const { notBefore = start, logged = notBefore + 5, isTimeless = false } = options
      const { identity = testIdentity, issuer = testIssuer, purpose = codeSigning } = options
      const leaf = key()
      const certify = (sct?: Uint8Array) =>
        certificate({
          subject: undefined,
          issuer: 'authority',
          of: leaf,
          by: authority,
          leaf: { notBefore, identity, issuer, purpose, sct },
        })
      const precertificate = tbsOf(certify())
      const stamped = sct(ctLog, authority, precertificate, notBefore + 1)
      const own = options.withoutSct === true ? certify() : certify(stamped)
      const sig = sign('sha256', paeOf(statement), leaf.privateKey)
      const entry = logEntry(rekor, {
        statement,
        sig,
        certificate: options.isOfOther === true ? authorityCertificate : own,
        logged,
        isTimeless,
        kind: options.kind ?? 'dsse 0.0.1',
      })
      const timestamps =
        options.stampedAt === undefined
          ? {}
          : {
              timestampVerificationData: {
                rfc3161Timestamps: [
                  { signedTimestamp: base64(timestamp(clock, sig, options.stampedAt)) },
                ],
              },
            }
      return {
        mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
        verificationMaterial: {
          certificate: { rawBytes: base64(own) },
          tlogEntries: [entry],
          ...timestamps,
        },
        dsseEnvelope: {
          payload: base64(utf8(statement)),
          payloadType: inTotoType,
          signatures: [{ sig: base64(sig) }],
        },
      }
    },
  }
}

interface Pair {
  readonly privateKey: KeyObject
  readonly spki: Uint8Array
}

function key(): Pair {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { privateKey, spki: publicKey.export({ type: 'spki', format: 'der' }) }
}

const codeSigning = '1.3.6.1.5.5.7.3.3'
const seq = (...parts: Uint8Array[]) => derElement(derTag.sequence, ...parts)
const octets = (...parts: Uint8Array[]) => derElement(0x04, ...parts)
const bits = (bytes: Uint8Array) => derElement(derTag.bitString, Uint8Array.of(0), bytes)
const integer = (value: number) => derElement(derTag.integer, Uint8Array.of(value))
const isTrue = derElement(0x01, Uint8Array.of(0xff))
const utf8 = (text: string) => new TextEncoder().encode(text)
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
const sha256 = (...parts: Uint8Array[]) =>
  new Uint8Array(
    createHash('sha256')
      .update(joinBytes(...parts))
      .digest(),
  )
const time = (seconds: number) => new Date(seconds * 1000)

function oid(dotted: string): Uint8Array {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const bytes = [first * 40 + second]
  for (const part of rest) {
    const digits = [part % 128]
    for (let more = Math.floor(part / 128); more > 0; more = Math.floor(more / 128)) {
      digits.unshift(128 + (more % 128))
    }
    bytes.push(...digits)
  }
  return derElement(derTag.oid, Uint8Array.from(bytes))
}

function generalizedTime(seconds: number): Uint8Array {
  const digits = time(seconds)
    .toISOString()
    .replaceAll(/[-:T]|\.000/g, '')
  return derElement(0x18, utf8(digits))
}

const named = (name: string | undefined) =>
  name === undefined
    ? seq()
    : seq(derElement(0x31, seq(oid('2.5.4.3'), derElement(0x0c, utf8(name)))))
const extension = (id: string, value: Uint8Array, isCritical = false) =>
  seq(oid(id), ...(isCritical ? [isTrue] : []), octets(value))
const ecdsaSha256 = seq(oid('1.2.840.10045.4.3.2'))

interface CertificateOf {
  readonly subject: string | undefined
  readonly issuer: string
  readonly of: Pair
  readonly by: Pair
  readonly leaf?: {
    readonly notBefore: number
    readonly identity: string
    readonly issuer: string
    readonly purpose: string
    readonly sct: Uint8Array | undefined
  }
}

/** An X.509 certificate (RFC 5280, 4.1): of an authority, or as Fulcio makes it for ten minutes. */
function certificate({ subject, issuer, of, by, leaf }: CertificateOf): Uint8Array {
  const notBefore = leaf?.notBefore ?? start - 1000
  const keyIds = [
    extension('2.5.29.14', octets(sha256(of.spki).subarray(0, 20))),
    extension('2.5.29.35', seq(derElement(0x80, sha256(by.spki).subarray(0, 20)))),
  ]
  const extensions =
    leaf === undefined
      ? [extension('2.5.29.19', seq(isTrue), true), ...keyIds]
      : [
          extension('2.5.29.15', derElement(derTag.bitString, Uint8Array.of(7, 0x80)), true),
          extension('2.5.29.37', seq(oid(leaf.purpose))),
          ...keyIds,
          extension('2.5.29.17', seq(derElement(0x86, utf8(leaf.identity))), true),
          extension('1.3.6.1.4.1.57264.1.8', derElement(0x0c, utf8(leaf.issuer))),
          ...(leaf.sct === undefined
            ? []
            : [extension('1.3.6.1.4.1.11129.2.4.2', octets(leaf.sct))]),
        ]
  const body = seq(
    derElement(0xa0, integer(2)),
    integer(1 + ((of.spki.at(-1) ?? 0) % 100)),
    ecdsaSha256,
    named(issuer),
    seq(
      generalizedTime(notBefore),
      generalizedTime(leaf === undefined ? start + 1e8 : notBefore + 600),
    ),
    named(subject),
    of.spki,
    derElement(0xa3, seq(...extensions)),
  )
  return seq(body, ecdsaSha256, bits(sign('sha256', body, by.privateKey)))
}

/** The part of a certificate that is signed: its first element. */
function tbsOf(bytes: Uint8Array): Uint8Array {
  const lengthBytes = (bytes[1] ?? 0) < 0x80 ? 0 : (bytes[1] ?? 0) & 0x7f
  const body = bytes.subarray(2 + lengthBytes)
  const more = (body[1] ?? 0) < 0x80 ? 0 : (body[1] ?? 0) & 0x7f
  let length = more === 0 ? (body[1] ?? 0) : 0
  for (let at = 0; at < more; at++) length = length * 256 + (body[2 + at] ?? 0)
  return body.subarray(0, 2 + more + length)
}

function number(value: number, bytes: number): Uint8Array {
  return bytesOfHex(value.toString(16).padStart(2 * bytes, '0')) ?? new Uint8Array()
}

/** A list with one signed certificate timestamp (RFC 6962, 3.2 and 3.3). */
function sct(log: Pair, issuer: Pair, tbs: Uint8Array, at: number): Uint8Array {
  const timestamp = number(at * 1000, 8)
  const precertificate = joinBytes(sha256(issuer.spki), number(tbs.length, 3), tbs)
  const signed = joinBytes(
    Uint8Array.of(0, 0),
    timestamp,
    Uint8Array.of(0, 1),
    precertificate,
    Uint8Array.of(0, 0),
  )
  const signature = sign('sha256', signed, log.privateKey)
  const one = joinBytes(
    Uint8Array.of(0),
    sha256(log.spki),
    timestamp,
    Uint8Array.of(0, 0, 4, 3),
    number(signature.length, 2),
    signature,
  )
  const entry = joinBytes(number(one.length, 2), one)
  return joinBytes(number(entry.length, 2), entry)
}

interface Logged {
  readonly statement: string
  readonly sig: Uint8Array
  readonly certificate: Uint8Array
  readonly logged: number
  readonly isTimeless: boolean
  readonly kind: EntryKind
}

/** What an entry says of itself, as Rekor 1 and 2 write the kinds in which envelopes are logged. */
function specOf({ statement, sig, certificate: own, kind }: Logged): unknown {
  const lines = base64(own).match(/.{1,64}/g) ?? []
  const pem = ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
  const verifier = base64(utf8(pem))
  const payload = sha256(utf8(statement))
  const message = sha256(paeOf(statement))
  const hash = (value: Uint8Array) => ({ algorithm: 'sha256', value: hexOf(value) })
  const digest = (value: Uint8Array) => ({ algorithm: 'SHA2_256', digest: base64(value) })
  const signature = {
    content: base64(sig),
    verifier: { x509Certificate: { rawBytes: base64(own) }, keyDetails: 'PKIX_ECDSA_P256_SHA_256' },
  }
  switch (kind) {
    case 'dsse 0.0.1':
      return { payloadHash: hash(payload), signatures: [{ signature: base64(sig), verifier }] }
    case 'dsse 0.0.2':
      return { dsseV002: { payloadHash: digest(payload), signatures: [signature] } }
    case 'hashedrekord 0.0.1':
      return {
        data: { hash: hash(message) },
        signature: { content: base64(sig), publicKey: { content: verifier } },
      }
    case 'hashedrekord 0.0.2':
      return { hashedRekordV002: { data: digest(message), signature } }
    case 'intoto 0.0.2': {
      // The log put the base64 of the envelope into base64 once more.
      const signatures = [{ publicKey: verifier, sig: base64(utf8(base64(sig))) }]
      return {
        content: { envelope: { payloadType: inTotoType, signatures }, payloadHash: hash(payload) },
      }
    }
  }
}

/** An entry of a log with two leaves, of which it is the second. */
function logEntry(log: Pair, entry: Logged): TestEntry {
  const { logged, isTimeless } = entry
  const [kind = '', version = ''] = entry.kind.split(' ')
  const body = utf8(JSON.stringify({ apiVersion: version, kind, spec: specOf(entry) }))
  const logId = sha256(log.spki)
  const other = sha256(utf8('the first leaf'))
  const rootHash = sha256(Uint8Array.of(1), other, sha256(Uint8Array.of(0), body))
  const note = `log.example - 1\n2\n${base64(rootHash)}\n`
  const noted = sign('sha256', utf8(note), log.privateKey)
  const promised = JSON.stringify({
    body: base64(body),
    integratedTime: logged,
    logID: Buffer.from(logId).toString('hex'),
    logIndex: 1,
  })
  const promise = sign('sha256', utf8(promised), log.privateKey)
  const mark = base64(joinBytes(logId.subarray(0, 4), noted))
  return {
    logIndex: '1',
    logId: { keyId: base64(logId) },
    kindVersion: { kind, version },
    ...(isTimeless
      ? {}
      : {
          integratedTime: String(logged),
          inclusionPromise: { signedEntryTimestamp: base64(promise) },
        }),
    inclusionProof: {
      logIndex: '1',
      treeSize: '2',
      rootHash: base64(rootHash),
      hashes: [base64(other)],
      checkpoint: { envelope: `${note}\n— log.example ${mark}\n` },
    },
    canonicalizedBody: base64(body),
  }
}

const sha256Id = seq(oid('2.16.840.1.101.3.4.2.1'))

/** The answer of a timestamp authority (RFC 3161, 2.4.2) over a signature. */
function timestamp(clock: Pair, sig: Uint8Array, at: number): Uint8Array {
  const info = seq(
    integer(1),
    oid('1.3.6.1.4.1.57264.2'),
    seq(sha256Id, octets(sha256(sig))),
    integer(7),
    generalizedTime(at),
  )
  const attributes = [
    seq(oid('1.2.840.113549.1.9.3'), derElement(0x31, oid('1.2.840.113549.1.9.16.1.4'))),
    seq(oid('1.2.840.113549.1.9.4'), derElement(0x31, octets(sha256(info)))),
  ]
  const signature = sign('sha256', derElement(0x31, ...attributes), clock.privateKey)
  const serial = integer(1 + ((clock.spki.at(-1) ?? 0) % 100))
  const signer = seq(
    integer(1),
    seq(named('root'), serial),
    sha256Id,
    derElement(0xa0, ...attributes),
    ecdsaSha256,
    octets(signature),
  )
  const signed = seq(
    integer(3),
    derElement(0x31, sha256Id),
    seq(oid('1.2.840.113549.1.9.16.1.4'), derElement(0xa0, octets(info))),
    derElement(0x31, signer),
  )
  const token = seq(oid('1.2.840.113549.1.7.2'), derElement(0xa0, signed))
  return seq(seq(integer(0)), token)
}
