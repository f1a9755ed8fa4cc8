import { decodeBase64 } from '../decode/base64.ts'
import { joinBytes } from '../decode/bytes.ts'
import { curves } from '../keys/key-algorithm.ts'
import type { Hash } from '../keys/key-algorithm.ts'
import { hashOfCurve, isEd25519Signature, joinRS, type Scheme } from './schemes.ts'
import { pemBlocks } from '../decode/pem.ts'
import type { PublicKey } from '../keys/public-key.ts'
import { ofMpint, readSshKey, sshReader, sshStrings } from '../keys/ssh-key.ts'

/** An SSH signature, which brings its public key and says what it is for. */
export interface SshSignature {
  readonly key: PublicKey
  /** What it was made for, such as "git". */
  readonly namespace: string
  /** The hash of the message that is signed in its place. */
  readonly messageHash: Hash
  /** The scheme and the signature as WebCrypto takes them. */
  readonly scheme: Scheme
  readonly signature: Uint8Array<ArrayBuffer>
}

export type SshSigResult =
  | { readonly ok: true; readonly sshSig: SshSignature }
  | { readonly ok: false; readonly kind: 'malformed' | 'unsupported'; readonly problem: string }

/** Reads an SSHSIG (OpenSSH PROTOCOL.sshsig), armored or not. SHA-1 and security keys are unsupported. */
export function readSshSig(bytes: Uint8Array): SshSigResult | undefined {
  const binary = unarmored(bytes)
  if (!binary || !startsWithMagic(binary)) return undefined
  const reader = sshReader(binary, magic.length)
  const version = reader.uint32()
  const keyBlob = reader.string()
  const namespace = reader.text()
  const reserved = reader.string()
  const hashName = reader.text()
  const signatureBlob = reader.string()
  if (version !== 1 || !keyBlob || !reserved || !signatureBlob || !reader.isAtEnd()) {
    return { ok: false, kind: 'malformed', problem: 'The SSH signature is incomplete or damaged.' }
  }
  const messageHash = messageHashes.get(hashName ?? '')
  if (!namespace || !messageHash) {
    const problem = 'The SSH signature has no namespace, or an unknown hash.'
    return { ok: false, kind: 'malformed', problem }
  }
  const key = readSshKey(keyBlob)
  if (!key) {
    const type =
      sshReader(keyBlob)
        .text()
        ?.replaceAll(/[^ -~]/g, '?')
        .slice(0, 60) ?? ''
    const problem = `Browsers can't verify with SSH keys of type "${type}".`
    return { ok: false, kind: 'unsupported', problem }
  }
  const inner = readSignature(signatureBlob, key)
  return inner.ok ? { ok: true, sshSig: { key, namespace, messageHash, ...inner.value } } : inner
}

/** What is signed in place of a message that has the given `messageHash`. */
export function sshSignedData(
  { namespace, messageHash }: SshSignature,
  hash: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const hashName = messageHash.replace('-', '').toLowerCase()
  return joinBytes(magic, sshStrings(namespace, '', hashName, hash))
}

const magic = new TextEncoder().encode('SSHSIG')
const messageHashes: ReadonlyMap<string, Hash> = new Map([
  ['sha256', 'SHA-256'],
  ['sha512', 'SHA-512'],
])
const rsaHashes: ReadonlyMap<string, Hash> = new Map([
  ['rsa-sha2-256', 'SHA-256'],
  ['rsa-sha2-512', 'SHA-512'],
])

type Inner =
  | { readonly ok: true; readonly value: Pick<SshSignature, 'scheme' | 'signature'> }
  | (SshSigResult & { readonly ok: false })

function readSignature(blob: Uint8Array, { algorithm }: PublicKey): Inner {
  const reader = sshReader(blob)
  const type = reader.text() ?? ''
  const bytes = reader.string()
  const malformed: Inner = {
    ok: false,
    kind: 'malformed',
    problem: "The signature inside the SSH signature doesn't match its key, or is damaged.",
  }
  if (!bytes || !reader.isAtEnd()) return malformed
  if (algorithm.type === 'RSA') {
    const hash = rsaHashes.get(type)
    if (!hash) {
      const problem = 'The SSH signature uses SHA-1 or an unknown hash.'
      return { ok: false, kind: 'unsupported', problem }
    }
    if (bytes.length !== Math.ceil(algorithm.bits / 8)) return malformed
    return {
      ok: true,
      value: { scheme: { name: 'RSASSA-PKCS1-v1_5', hash }, signature: bytes.slice() },
    }
  }
  if (algorithm.type === 'Ed25519' && type === 'ssh-ed25519' && isEd25519Signature(bytes)) {
    return { ok: true, value: { scheme: { name: 'Ed25519' }, signature: bytes.slice() } }
  }
  if (algorithm.type === 'EC' && type === `ecdsa-sha2-${curves[algorithm.curve].sshName}`) {
    const { curve } = algorithm
    const numbers = sshReader(bytes)
    const rs = joinRS(ofMpint(numbers.string()), ofMpint(numbers.string()), curve)
    if (!rs || !numbers.isAtEnd()) return malformed
    return {
      ok: true,
      value: { scheme: { name: 'ECDSA', curve, hash: hashOfCurve[curve] }, signature: rs },
    }
  }
  return malformed
}

function startsWithMagic(bytes: Uint8Array): boolean {
  return magic.every((byte, at) => bytes[at] === byte)
}

function unarmored(bytes: Uint8Array): Uint8Array | undefined {
  // "S" or "-": most signatures are neither, and need not be decoded as a text.
  if (bytes[0] === magic[0]) return bytes
  if (bytes[0] !== 0x2d) return undefined
  const block = pemBlocks(new TextDecoder().decode(bytes)).find(
    ({ label, isClosed }) => label === 'SSH SIGNATURE' && isClosed,
  )
  const decoded = block && decodeBase64(block.base64)
  return decoded?.ok ? decoded.bytes : undefined
}
