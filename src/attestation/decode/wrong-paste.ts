import { derSequence, derTag } from './der.ts'
import { type Finding, mistake } from './finding.ts'

/**
 * What a text that is no attestation looks like, as a sentence that says what to do instead; undefined
 * where it looks like nothing known. Never echoes the text: it may be a secret.
 */
export function describeText(text: string): Finding | undefined {
  if (hasPrivateKey(text)) return privateKey
  const head = text.slice(0, headLength).trim()
  const known = looks.find(({ like }) => like.test(head))
  return known && mistake('wrong-paste', known.says)
}

/** The same for bytes that are no text, by how they begin. */
export function describeBytes(bytes: Uint8Array): Finding | undefined {
  if (isPrivateDer(bytes)) return privateKey
  const known = byteLooks.find(({ like }) => like(bytes))
  return known && mistake('wrong-paste', `This is ${known.says}`)
}

/** PKCS#8, PKCS#1 and SEC1 all begin with a version number, 0 or 1, within their sequence. */
function isPrivateDer(bytes: Uint8Array): boolean {
  if (bytes[0] !== 0x30) return false
  const length = bytes[1] ?? 0
  const at = 2 + (length > 0x80 ? length - 0x80 : 0)
  return bytes[at] === 2 && bytes[at + 1] === 1 && (bytes[at + 2] ?? 2) <= 1
}

/** Whether a private key stands anywhere in a text. */
export function hasPrivateKey(text: string): boolean {
  return privateMarks.test(text)
}

/** Signatures of minisign say that they were made with a secret key, and are none. */
const privateMarks =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY|PuTTY-User-Key-File-\d|AGE-SECRET-KEY-1|untrusted comment: (?!signature)[^\n]{0,200}secret key/

export const privateKey: Finding = mistake(
  'private-key',
  "This is a private key, so it wasn't stored and isn't shown. Don't share it: anyone who has it can sign in its owner's name. Use the public key to check signatures.",
)

/** Enough to recognize a text; none of the patterns below can take longer than its length. */
const headLength = 4_000
const instead =
  'Paste the attestation itself: a DSSE envelope, a Sigstore bundle, or JSON Lines of them.'

const isYaml = 'This is YAML. Attestations are JSON.'

/** Whether a text was refused for being YAML, which another reader may make JSON of. */
export function isYamlRefused({ message }: Finding): boolean {
  return message.startsWith(isYaml)
}

const looks: readonly { readonly like: RegExp; readonly says: string }[] = [
  {
    like: /^(?:tree|object) [0-9a-f]{40,64}\n/,
    says: `This is a Git commit or tag, which has another kind of signature. ${instead}`,
  },
  {
    like: /-----BEGIN (?:TRUSTED )?CERTIFICATE-----/,
    says: `This is a certificate (PEM), not an attestation. You can add it as a trusted key. ${instead}`,
  },
  {
    like: /-----BEGIN (?:RSA |EC )?PUBLIC KEY-----/,
    says: `This is a public key (PEM), not an attestation. You can add it as a trusted key. ${instead}`,
  },
  {
    like: /-----BEGIN CERTIFICATE REQUEST-----/,
    says: `This is a certificate request. ${instead}`,
  },
  {
    like: /-----BEGIN SSH SIGNATURE-----/,
    says: `This is an SSH signature without the content it signs. ${instead}`,
  },
  {
    like: /-----BEGIN PGP SIGN/,
    says: `This is a PGP signature. Attestations aren't signed with PGP. ${instead}`,
  },
  {
    like: /-----BEGIN PGP PUBLIC KEY/,
    says: `This is a PGP key. Attestations aren't signed with PGP. ${instead}`,
  },
  {
    like: /-----BEGIN PGP/,
    says: `This is a PGP block. Attestations aren't signed with PGP. ${instead}`,
  },
  {
    like: /^-----BEGIN (?:PKCS7|CMS)-----/,
    says: `This is a CMS (PKCS#7) signature, which attestations don't use. ${instead}`,
  },
  { like: /^-----BEGIN /, says: `This is a PEM block, not an attestation. ${instead}` },
  {
    // Files of known hosts and of allowed signers say first whose it is.
    like: /^[^\n]{0,200}?\b(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-\S{1,40}|sk-\S{1,60}) AAAA/,
    says: `This is an SSH public key, not an attestation. You can add it as a trusted key. ${instead}`,
  },
  {
    // The base64 of {"_type":"https://in-toto.io/Statement/
    like: /^eyJ[\w-]+\.eyJfdHlwZSI6Imh0dHBzOi8vaW4tdG90by5pby9TdGF0ZW1lbnQv[\w-]*\.[\w-]*$/,
    says: `This is a JWS around a statement. Attestations are DSSE envelopes. ${instead}`,
  },
  {
    // Also with a payload that is elsewhere, and with disclosures (SD-JWT).
    like: /^eyJ[\w-]+\.[\w-]*(?:\.[\w-]*){0,4}(?:~[\w.-]*)*$/,
    says: `This is a JWT, a sign-in token that may be a secret, so it wasn't stored. ${instead}`,
  },
  {
    like: /^(?:0x)?(?:d28443a1|d8628443a1|8443a101)[0-9a-f]{60,}$/i,
    says: `This is a COSE signature in hexadecimal; attestations are DSSE envelopes, in JSON. ${instead}`,
  },
  {
    like: /^pkg:/i,
    says: `This is a package URL, which names a package. ${instead}`,
  },
  {
    like: /^(?:https?|ftp|file|oci|docker|git\+https?|ssh):\/\/\S+$/i,
    says: `This is a URL, which Sightline doesn't fetch. Open it and paste the content. ${instead}`,
  },
  { like: /^HTTP\/[\d.]+ \d{3}/, says: `This is a complete HTTP response. Paste its body only.` },
  {
    like: /^<(?:!doctype html|html|head|body|div|p|table)\b/i,
    says: `This is HTML, a web page rather than its data. ${instead}`,
  },
  {
    like: /^<(?:\?xml|[a-z][\w:.-]*[\s/>])/i,
    says: `This is XML. Attestations are JSON. ${instead}`,
  },
  {
    like: /^untrusted comment:[^\n]*public key/,
    says: `This is a minisign or signify public key, whose signatures aren't attestations. ${instead}`,
  },
  { like: /^untrusted comment:/, says: `This is a minisign or signify signature. ${instead}` },
  {
    like: /^(?:(?:sha(?:1|224|256|384|512)|md5)[:=-])?(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})(?:\s+\*?\S+)?(?:\n|$)/i,
    says: `This is a digest, which identifies an artifact. ${instead}`,
  },
  {
    like: /^(?:(?:SHA|MD|BLAKE)\w{1,10} \([^\n]{1,400}\) = [0-9a-f]{32,128}|sha(?:256|384|512)-[\w+/]{43,86}={0,2})(?:\s|$)/i,
    says: `This is a digest, which identifies an artifact. ${instead}`,
  },
  {
    like: /\n\n\u2014 \S+ [\w+/]+={0,2}(?:\n|$)/,
    says: `This is a transparency log checkpoint, not an attestation. ${instead}`,
  },
  {
    like: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
    says: `This is a UUID, not an attestation. ${instead}`,
  },
  { like: /^[\w.:/-]+@sha256:[0-9a-f]{64}$/, says: `This is an image reference. ${instead}` },
  {
    like: /^\$?\s*(?:cosign|curl|gh|wget|slsa-verifier|openssl|npm|docker) \S/,
    says: `This is a command. Run it and paste its output. ${instead}`,
  },
  {
    like: /^SPDXVersion:/,
    says: "This is an SPDX document without a statement around it, so it isn't signed.",
  },
  {
    like: /^(?:#[^\n]*\n|\s)*package [\w.]+\s*(?:\n|$)/,
    says: `This is a Rego policy, not an attestation. ${instead}`,
  },
  {
    like: /^(?:---\s*\n|%YAML|(?:[\w.-]+:(?: [^\n]*)?(?:\n|$)){2}|- [\w.-]+:(?: |\n))/,
    says: `${isYaml} ${instead}`,
  },
  // POSIX: the mark stands at byte 257 of its first header.
  { like: /^.{257}ustar/s, says: 'This is a tar archive. Unpack it first.' },
  {
    like: /^\{\s*'/,
    says: `This looks like a printed Python dictionary. Print it with json.dumps instead.`,
  },
]

/** A kind of bytes that are no text. */
interface ByteLook {
  readonly like: (bytes: Uint8Array) => boolean
  /** The rest of the sentence that begins with "This is". */
  readonly says: string
}

const cose = 'a COSE signature, in CBOR; attestations are DSSE envelopes, in JSON.'

/** The object identifier of CMS's signed data, 1.2.840.113549.1.7.2, as DER has it. */
const signedData = [0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02]
const ustar = [...new TextEncoder().encode('ustar')]
const bundleType = [...new TextEncoder().encode('dev.sigstore.bundle')]

/** What people drop in place of an attestation; the first that fits counts. */
const byteLooks: readonly ByteLook[] = [
  { like: isDerSignature, says: 'a bare signature in DER, not an attestation.' },
  {
    like: (bytes) => bytes[0] === derTag.sequence && holds(bytes, signedData),
    says: 'a CMS (PKCS#7) signature or a timestamp in DER, not an attestation.',
  },
  { like: begins(0x30, 0x82), says: 'a certificate or key in DER, not an attestation.' },
  { like: begins(0x30, 0x81), says: 'a key in DER, not an attestation.' },
  { like: begins(0x30, 0x59), says: 'a public key in DER, not an attestation.' },
  { like: begins(0x30, 0x2a, 0x30, 0x05), says: 'a public key in DER, not an attestation.' },
  { like: isPgp(2), says: "a PGP signature. Attestations aren't signed with PGP." },
  { like: isPgp(6), says: "a PGP key. Attestations aren't signed with PGP." },
  // The tags of COSE_Sign1 and COSE_Sign in CBOR, and the former without its tag (RFC 9052).
  { like: begins(0xd2, 0x84), says: cose },
  { like: begins(0xd8, 0x62, 0x84), says: cose },
  { like: begins(0x84, 0x43, 0xa1, 0x01), says: cose },
  {
    like: (bytes) => bytes[0] === 0x0a && holds(bytes, bundleType),
    says: 'a Sigstore bundle in binary Protobuf. Use its JSON form.',
  },
  { like: begins(0x1f, 0x8b), says: 'gzip data. Unpack it first.' },
  { like: begins(0x28, 0xb5, 0x2f, 0xfd), says: 'zstd data. Unpack it first.' },
  { like: begins(0xfd, 0x37, 0x7a, 0x58, 0x5a), says: 'xz data. Unpack it first.' },
  { like: begins(0x42, 0x5a, 0x68), says: 'bzip2 data. Unpack it first.' },
  { like: begins(0x50, 0x4b, 0x03, 0x04), says: 'a ZIP or JAR file. Unpack it first.' },
  {
    like: (bytes) => begins(...ustar)(bytes.subarray(257)),
    says: 'a tar archive. Unpack it first.',
  },
  { like: begins(0x89, 0x50, 0x4e, 0x47), says: 'a PNG image, not an attestation.' },
  { like: begins(0xff, 0xd8, 0xff), says: 'a JPEG image, not an attestation.' },
  { like: begins(0x25, 0x50, 0x44, 0x46), says: 'a PDF document, not an attestation.' },
  { like: begins(0x7f, 0x45, 0x4c, 0x46), says: 'a Linux program, not an attestation.' },
  { like: begins(0xca, 0xfe, 0xba, 0xbe), says: 'a Java class, not an attestation.' },
  { like: begins(0x53, 0x51, 0x4c, 0x69), says: 'an SQLite database, not an attestation.' },
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
