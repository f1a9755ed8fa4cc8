import { curves } from './key-algorithm.ts'
import { decodeBase64, toBase64, toBase64Url, withoutPadding } from '../decode/base64.ts'
import { hexOf, type Subtle } from '../decode/bytes.ts'
import { keyBitsOf, type KeyNumbers, numbersOf } from './public-key.ts'
import { sshWireOf } from './ssh-key.ts'
import { pemOf, type TrustedKey } from './trusted-key.ts'

/** The ways in which signers name a key by its hash (docs/attestations.md#key-ids). */
export type FingerprintForm =
  | 'sha256-pem'
  | 'sha256-pem-trimmed'
  | 'sha256-spki'
  | 'sha256-spki-base64'
  | 'ssh'
  | 'securesystemslib'
  | 'jwk-thumbprint'
  | 'sha1-key'
  | 'sha256-certificate'

export interface Fingerprint {
  readonly form: FingerprintForm
  readonly label: string
  readonly value: string
}

const fingerprintLabels: Readonly<Record<FingerprintForm, string>> = {
  'sha256-pem': 'SHA-256 of the PEM text with the final line break, in hex',
  'sha256-pem-trimmed': 'SHA-256 of the PEM text without the final line break, in hex',
  'sha256-spki': 'SHA-256 of the public key (DER), in hex',
  'sha256-spki-base64': 'SHA-256 of the public key (DER), in base64',
  ssh: 'SSH fingerprint',
  securesystemslib: 'SHA-256 of the canonical JSON of the key (in-toto, securesystemslib)',
  'jwk-thumbprint': 'JWK thumbprint (RFC 7638)',
  'sha1-key': 'SHA-1 of the key bits (subject key identifier), in hex',
  'sha256-certificate': 'SHA-256 of the certificate (DER), in hex',
}

/** Every fingerprint of a key in every form in use: programs name types and schemes differently. */
export async function fingerprints(key: TrustedKey, subtle: Subtle): Promise<Fingerprint[]> {
  const sha256 = async (data: Uint8Array | string): Promise<Uint8Array> => {
    const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : new Uint8Array(data)
    return new Uint8Array(await subtle.digest('SHA-256', bytes))
  }
  const pem = pemOf(key)
  const ofSpki = await sha256(key.spki)
  const made: [FingerprintForm, string][] = [
    ['sha256-pem', hexOf(await sha256(pem))],
    ['sha256-pem-trimmed', hexOf(await sha256(pem.trimEnd()))],
    ['sha256-spki', hexOf(ofSpki)],
    ['sha256-spki-base64', toBase64(ofSpki)],
  ]
  const wire = sshWireOf(key)
  if (wire) made.push(['ssh', `SHA256:${withoutPadding(toBase64(await sha256(wire)))}`])
  const numbers = numbersOf(key)
  if (numbers) {
    const texts = canonicalJsons(numbers, pem.trimEnd())
    for (const text of texts) made.push(['securesystemslib', hexOf(await sha256(text))])
    made.push(['jwk-thumbprint', toBase64Url(await sha256(thumbprintJson(numbers)))])
  }
  const sha1 = await subtle.digest('SHA-1', new Uint8Array(keyBitsOf(key)))
  made.push(['sha1-key', hexOf(new Uint8Array(sha1))])
  const certificate = decodeBase64(key.certificate ?? '')
  if (certificate.ok && certificate.bytes.length > 0) {
    made.push(['sha256-certificate', hexOf(await sha256(certificate.bytes))])
  }
  return made.map(([form, value]) => ({ form, label: fingerprintLabels[form], value }))
}

/**
 * The fingerprint that a key id is, if it is one of them: hex in either case and with colons, base64
 * of either alphabet and with or without padding, "SHA256:" or "sha256:" before it or not.
 */
export function matchingFingerprint(
  keyid: string,
  prints: readonly Fingerprint[],
): Fingerprint | undefined {
  // No form is longer than a few dozen characters; a key id may be a megabyte.
  if (keyid.length > 200) return undefined
  const plain = keyid.trim().replace(/^sha(?:1|256):/i, '')
  const hex = plain.replaceAll(':', '').toLowerCase()
  const base64 = withoutPadding(plain).replaceAll('-', '+').replaceAll('_', '/')
  return prints.find(({ value }) => {
    const wanted = value.replace(/^SHA256:/, '')
    return (
      wanted === hex || withoutPadding(wanted).replaceAll('-', '+').replaceAll('_', '/') === base64
    )
  })
}

/** Canonical JSON as of securesystemslib: sorted, no blanks, only quotes and backslashes escaped. */
function canonicalJsons(numbers: KeyNumbers, pem: string): string[] {
  const write = (type: string, publicText: string, scheme: string): string[] => {
    const rest = `"keytype":"${type}","keyval":{"public":"${publicText}"},"scheme":"${scheme}"}`
    return [`{"keyid_hash_algorithms":["sha256","sha512"],${rest}`, `{${rest}`]
  }
  switch (numbers.type) {
    case 'Ed25519':
      return write('ed25519', hexOf(numbers.point), 'ed25519')
    case 'EC': {
      const name = `ecdsa-sha2-${curves[numbers.curve].sshName}`
      return [...write('ecdsa', pem, name), ...write(name, pem, name)]
    }
    case 'RSA':
      return ['rsassa-pss-sha256', 'rsa-pkcs1v15-sha256'].flatMap((name) => write('rsa', pem, name))
  }
}

/** RFC 7638, 3.2: the required members in the order of their names. */
function thumbprintJson(numbers: KeyNumbers): string {
  switch (numbers.type) {
    case 'Ed25519':
      return `{"crv":"Ed25519","kty":"OKP","x":"${toBase64Url(numbers.point)}"}`
    case 'EC': {
      const { size } = curves[numbers.curve]
      const x = toBase64Url(numbers.point.subarray(1, 1 + size))
      const y = toBase64Url(numbers.point.subarray(1 + size))
      return `{"crv":"${numbers.curve}","kty":"EC","x":"${x}","y":"${y}"}`
    }
    case 'RSA': {
      const { modulus, exponent } = numbers
      return `{"e":"${toBase64Url(exponent)}","kty":"RSA","n":"${toBase64Url(modulus)}"}`
    }
  }
}
