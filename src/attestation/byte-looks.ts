import { derSequence, derTag } from './der.ts'

/** A kind of bytes that are no text. */
interface ByteLook {
  readonly like: (bytes: Uint8Array) => boolean
  /** The rest of the sentence that begins with "This is". */
  readonly says: string
}

const cose = 'a COSE signature, in CBOR; attestations are DSSE envelopes, in JSON.'

/** The object identifier of CMS's signed data, 1.2.840.113549.1.7.2, as DER has it. */
const signedData = [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02]
const bundleType = [...new TextEncoder().encode('dev.sigstore.bundle')]

/** What people drop in place of an attestation; the first that fits is told. */
export const byteLooks: readonly ByteLook[] = [
  { like: isDerSignature, says: 'a bare signature in DER, and no attestation.' },
  {
    like: (bytes) => bytes[0] === derTag.sequence && holds(bytes, signedData),
    says: 'a CMS (PKCS#7) signature or a timestamp in DER, and no attestation.',
  },
  { like: begins(0x30, 0x82), says: 'a certificate or key in DER, and no attestation.' },
  { like: begins(0x30, 0x81), says: 'a key in DER, and no attestation.' },
  { like: begins(0x30, 0x59), says: 'a public key in DER, and no attestation.' },
  { like: begins(0x30, 0x2a, 0x30, 0x05), says: 'a public key in DER, and no attestation.' },
  { like: isPgp(2), says: 'a PGP signature; attestations are not signed with PGP.' },
  { like: isPgp(6), says: 'a PGP key; attestations are not signed with PGP.' },
  // The tags of COSE_Sign1 and COSE_Sign in CBOR, and the former without its tag (RFC 9052).
  { like: begins(0xd2, 0x84), says: cose },
  { like: begins(0xd8, 0x62, 0x84), says: cose },
  { like: begins(0x84, 0x43, 0xa1, 0x01), says: cose },
  {
    like: (bytes) => bytes[0] === 0x0a && holds(bytes, bundleType),
    says: 'a Sigstore bundle as Protobuf writes it in binary: only its JSON is read.',
  },
  { like: begins(0x1f, 0x8b), says: 'gzip: unpack it first.' },
  { like: begins(0x28, 0xb5, 0x2f, 0xfd), says: 'zstd: unpack it first.' },
  { like: begins(0xfd, 0x37, 0x7a, 0x58, 0x5a), says: 'xz: unpack it first.' },
  { like: begins(0x42, 0x5a, 0x68), says: 'bzip2: unpack it first.' },
  { like: begins(0x50, 0x4b, 0x03, 0x04), says: 'a ZIP or JAR file: unpack it first.' },
  { like: begins(0x89, 0x50, 0x4e, 0x47), says: 'a PNG image, and no attestation.' },
  { like: begins(0xff, 0xd8, 0xff), says: 'a JPEG image, and no attestation.' },
  { like: begins(0x25, 0x50, 0x44, 0x46), says: 'a PDF document, and no attestation.' },
  { like: begins(0x7f, 0x45, 0x4c, 0x46), says: 'a Linux program, and no attestation.' },
  { like: begins(0xca, 0xfe, 0xba, 0xbe), says: 'a Java class, and no attestation.' },
  { like: begins(0x53, 0x51, 0x4c, 0x69), says: 'an SQLite database, and no attestation.' },
]

function begins(...head: readonly number[]): ByteLook['like'] {
  return (bytes) => head.every((byte, at) => bytes[at] === byte)
}

/** Two numbers: r and s of ECDSA. */
function isDerSignature(bytes: Uint8Array): boolean {
  const parts = derSequence(bytes)
  return parts?.length === 2 && parts.every(({ tag }) => tag === derTag.integer)
}

/** A packet of OpenPGP with this number, whose content begins with a version (RFC 9580, 4.2). */
function isPgp(packet: number): ByteLook['like'] {
  return (bytes) => {
    const [tag = 0, length = 0] = bytes
    const isNew = tag >= 0xc0
    if (tag < 0x80 || (isNew ? tag & 0x3f : (tag >> 2) & 0x0f) !== packet) return false
    const oldLength = [1, 2, 4][tag & 3] ?? 0
    const newLength = length < 192 ? 1 : length < 224 ? 2 : 5
    const version = bytes[1 + (isNew ? newLength : oldLength)] ?? 0
    return version >= 3 && version <= 6
  }
}

/** Whether some bytes stand near the beginning. */
function holds(bytes: Uint8Array, part: readonly number[]): boolean {
  for (let from = 0; from < mostLooked; from++) {
    if (part.every((byte, at) => bytes[from + at] === byte)) return true
  }
  return false
}

const mostLooked = 64
