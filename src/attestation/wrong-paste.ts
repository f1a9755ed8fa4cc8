import { mistake, type Finding } from './finding.ts'

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
  const known = magic.find(({ begins }) => begins.every((byte, at) => bytes[at] === byte))
  return known && mistake('wrong-paste', `This is ${known.says}, and no attestation.`)
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
  return /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY|PuTTY-User-Key-File-\d|AGE-SECRET-KEY-1/.test(text)
}

export const privateKey: Finding = mistake(
  'private-key',
  'This is a private key. It was not kept and is not shown. Nobody should be given it: who has it can sign in its owner’s name. To check signatures, the public key is enough.',
)

/** Enough to tell by; none of the patterns below can take longer than its length. */
const headLength = 4_000
const instead =
  'Paste the attestation itself: a DSSE envelope, a Sigstore bundle or JSON Lines of them.'

const looks: readonly { readonly like: RegExp; readonly says: string }[] = [
  {
    like: /-----BEGIN (?:TRUSTED )?CERTIFICATE-----/,
    says: `This is a certificate (PEM). It can be added as a trusted key; it holds no attestation. ${instead}`,
  },
  {
    like: /-----BEGIN (?:RSA |EC )?PUBLIC KEY-----/,
    says: `This is a public key (PEM). It can be added as a trusted key; it holds no attestation. ${instead}`,
  },
  {
    like: /-----BEGIN CERTIFICATE REQUEST-----/,
    says: `This is a certificate request. ${instead}`,
  },
  {
    like: /-----BEGIN SSH SIGNATURE-----/,
    says: `This is an SSH signature without what it signs. ${instead}`,
  },
  {
    like: /-----BEGIN PGP/,
    says: `This is a PGP block; attestations are not signed with PGP. ${instead}`,
  },
  { like: /^-----BEGIN /, says: `This is a PEM block, but no attestation. ${instead}` },
  {
    like: /^(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-\S{1,40}|sk-\S{1,60}) AAAA/,
    says: `This is an SSH public key. It can be added as a trusted key; it holds no attestation. ${instead}`,
  },
  {
    like: /^eyJ[\w-]+\.[\w-]+(?:\.[\w-]*){0,4}$/,
    says: `This is a JWT, a token for signing in, and may be a secret. It was not kept. ${instead}`,
  },
  {
    like: /^pkg:/i,
    says: `This is a package URL. It names a package and holds no attestation. ${instead}`,
  },
  {
    like: /^(?:https?|ftp|file|oci|docker|git\+https?|ssh):\/\/\S+$/i,
    says: `This is an address. Nothing is fetched from here: open it and paste what it answers. ${instead}`,
  },
  { like: /^HTTP\/[\d.]+ \d{3}/, says: `This is a whole HTTP answer. Paste its body only.` },
  {
    like: /^<(?:!doctype html|html|head|body|div|p|table)\b/i,
    says: `This is HTML, a web page rather than its data. ${instead}`,
  },
  {
    like: /^<(?:\?xml|[a-z][\w:.-]*[\s/>])/i,
    says: `This is XML. Attestations are JSON. ${instead}`,
  },
  { like: /^untrusted comment:/, says: `This is a minisign or signify signature. ${instead}` },
  {
    like: /^(?:(?:sha(?:1|224|256|384|512)|md5)[:=-])?(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})(?:\s+\*?\S+)?$/i,
    says: `This is a digest. It names an artifact and holds no attestation. ${instead}`,
  },
  {
    like: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
    says: `This is a UUID, not an attestation. ${instead}`,
  },
  { like: /^[\w.:/-]+@sha256:[0-9a-f]{64}$/, says: `This is the address of an image. ${instead}` },
  {
    like: /^\$?\s*(?:cosign|curl|gh|wget|slsa-verifier|openssl|npm|docker) \S/,
    says: `This is a command. Run it and paste what it prints. ${instead}`,
  },
  {
    like: /^(?:---\s*\n|%YAML|(?:[\w.-]+:(?: [^\n]*)?(?:\n|$)){2}|- [\w.-]+:(?: |\n))/,
    says: `This is YAML. Attestations are JSON. ${instead}`,
  },
  {
    like: /^\{\s*'/,
    says: `This looks like what Python prints for a dictionary; print it with json.dumps instead.`,
  },
]

const magic: readonly { readonly begins: readonly number[]; readonly says: string }[] = [
  { begins: [0x30, 0x82], says: 'a certificate or key in DER' },
  { begins: [0x30, 0x81], says: 'a key in DER' },
  { begins: [0x30, 0x59], says: 'a public key in DER' },
  { begins: [0x30, 0x2a, 0x30, 0x05], says: 'a public key in DER' },
  { begins: [0x30, 0x45], says: 'a bare signature in DER' },
  { begins: [0x30, 0x44], says: 'a bare signature in DER' },
  { begins: [0x30, 0x46], says: 'a bare signature in DER' },
  { begins: [0x1f, 0x8b], says: 'gzip: unpack it first' },
  { begins: [0x28, 0xb5, 0x2f, 0xfd], says: 'zstd: unpack it first' },
  { begins: [0x50, 0x4b, 0x03, 0x04], says: 'a ZIP or JAR file: unpack it first' },
  { begins: [0x89, 0x50, 0x4e, 0x47], says: 'a PNG image' },
  { begins: [0xff, 0xd8, 0xff], says: 'a JPEG image' },
  { begins: [0x25, 0x50, 0x44, 0x46], says: 'a PDF document' },
  { begins: [0x7f, 0x45, 0x4c, 0x46], says: 'a Linux program' },
  { begins: [0xca, 0xfe, 0xba, 0xbe], says: 'a Java class' },
  { begins: [0x53, 0x51, 0x4c, 0x69], says: 'an SQLite database' },
]
