import { byteLooks } from './byte-looks.ts'
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
  'This is a private key. It was not kept and is not shown. Nobody should be given it: who has it can sign in its owner’s name. To check signatures, the public key is enough.',
)

/** Enough to tell by; none of the patterns below can take longer than its length. */
const headLength = 4_000
const instead =
  'Paste the attestation itself: a DSSE envelope, a Sigstore bundle or JSON Lines of them.'

const looks: readonly { readonly like: RegExp; readonly says: string }[] = [
  {
    like: /^(?:tree|object) [0-9a-f]{40,64}\n/,
    says: `This is a commit or tag of Git, whose signature is of another kind. ${instead}`,
  },
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
    like: /-----BEGIN PGP SIGN/,
    says: `This is a PGP signature; attestations are not signed with PGP. ${instead}`,
  },
  {
    like: /-----BEGIN PGP PUBLIC KEY/,
    says: `This is a PGP key; attestations are not signed with PGP. ${instead}`,
  },
  {
    like: /-----BEGIN PGP/,
    says: `This is a PGP block; attestations are not signed with PGP. ${instead}`,
  },
  {
    like: /^-----BEGIN (?:PKCS7|CMS)-----/,
    says: `This is a CMS (PKCS#7) signature; attestations are signed otherwise. ${instead}`,
  },
  { like: /^-----BEGIN /, says: `This is a PEM block, but no attestation. ${instead}` },
  {
    // Files of known hosts and of allowed signers say first whose it is.
    like: /^[^\n]{0,200}?\b(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-\S{1,40}|sk-\S{1,60}) AAAA/,
    says: `This is an SSH public key. It can be added as a trusted key; it holds no attestation. ${instead}`,
  },
  {
    // Also with a payload that is elsewhere, and with disclosures (SD-JWT).
    like: /^eyJ[\w-]+\.[\w-]*(?:\.[\w-]*){0,4}(?:~[\w.-]*)*$/,
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
  {
    like: /^untrusted comment:[^\n]*public key/,
    says: `This is a public key of minisign or signify, whose signatures are no attestations. ${instead}`,
  },
  { like: /^untrusted comment:/, says: `This is a minisign or signify signature. ${instead}` },
  {
    like: /^(?:(?:sha(?:1|224|256|384|512)|md5)[:=-])?(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})(?:\s+\*?\S+)?(?:\n|$)/i,
    says: `This is a digest. It names an artifact and holds no attestation. ${instead}`,
  },
  {
    like: /^(?:(?:SHA|MD|BLAKE)\w{1,10} \([^\n]{1,400}\) = [0-9a-f]{32,128}|sha(?:256|384|512)-[\w+/]{43,86}={0,2})(?:\s|$)/i,
    says: `This is a digest. It names an artifact and holds no attestation. ${instead}`,
  },
  {
    like: /\n\n\u2014 \S+ [\w+/]+={0,2}(?:\n|$)/,
    says: `This is the signed state of a transparency log (a checkpoint), and no attestation. ${instead}`,
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
    like: /^SPDXVersion:/,
    says: 'This is an SPDX document without a statement around it: nobody vouches for it.',
  },
  {
    like: /^(?:#[^\n]*\n|\s)*package [\w.]+\s*(?:\n|$)/,
    says: `This is a policy (Rego), and no attestation. ${instead}`,
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
