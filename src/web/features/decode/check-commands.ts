import { derElement, derInteger, derTag } from '../../../attestation/decode/der.ts'
import type { Envelope } from '../../../attestation/decode/envelope.ts'
import type { CertificateIdentity } from '../../../attestation/keys/identity.ts'
import type { SignatureVerdict } from '../../../attestation/signatures/signature-verdict.ts'
import { isTrusted } from '../../../attestation/keys/trusted-key.ts'
import { hasUnseen } from '../../../attestation/decode/visible-text.ts'

/** How a person checks a signature without this page: a command and what it needs. */
export interface CheckCommand {
  readonly label: string
  readonly command: string
}

/** What `openssl` checks with: the signed message, the signature and the key as files. */
export function opensslCommand({ index, key, proof }: SignatureVerdict): CheckCommand | undefined {
  if (key === undefined || key.algorithm.type === 'unsupported') return undefined
  // openssl reads neither of these.
  if (proof?.form === 'SSHSIG' || proof?.isWrapped === true) return undefined
  const files = `-sigfile signature-${index + 1}.bin`
  const label = 'With OpenSSL, after downloading message, key and signature'
  if (key.algorithm.type === 'Ed25519') {
    const command = `openssl pkeyutl -verify -pubin -inkey key-${index + 1}.pem -rawin -in message.pae ${files}`
    return { label, command }
  }
  const scheme = proof?.scheme
  const hash = scheme !== undefined && 'hash' in scheme ? scheme.hash : 'SHA-256'
  const pss =
    scheme?.name === 'RSA-PSS'
      ? ` -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:${scheme.saltLength}`
      : ''
  const command = `openssl dgst -${hash.toLowerCase().replace('-', '')} -verify key-${index + 1}.pem${pss} -signature signature-${index + 1}.bin message.pae`
  return { label, command }
}

/**
 * What `cosign` checks with (its doc/cosign_verify-blob-attestation.md; whether a bundle is of the new
 * format is said either way, as its default has changed); `ARTIFACT` is the file that the attestation
 * is about. Undefined where there is no such command, or none that could be shown safely.
 */
export function cosignCommand(
  envelope: Envelope,
  predicateType: string | undefined,
  verdict: SignatureVerdict | undefined,
  identity: CertificateIdentity | undefined,
): CheckCommand | undefined {
  const type = quoted(predicateType ?? 'custom')
  const who =
    envelope.source === 'bundle' && identity !== undefined
      ? identityFlags(identity)
      : `--key ${verdict?.key && isTrusted(verdict.key) ? `key-${verdict.index + 1}.pem` : 'KEY.pem'}`
  if (type === undefined || who === undefined || envelope.source === 'pep740') return undefined
  const what =
    envelope.source === 'bundle'
      ? '--bundle attestation.json --new-bundle-format'
      : '--signature attestation.json --new-bundle-format=false'
  const log = envelope.logEntries.length === 0 ? ' --insecure-ignore-tlog' : ''
  const command = `cosign verify-blob-attestation ${what} ${who}${log} --type ${type} ARTIFACT`
  return { label: 'With cosign, after downloading the envelope', command }
}

function identityFlags({ names, oidcIssuer }: CertificateIdentity): string | undefined {
  const name = quoted(names[0]?.value ?? '')
  const issuer = quoted(oidcIssuer ?? '')
  if (name === undefined || issuer === undefined) return undefined
  return `--certificate-identity ${name} --certificate-oidc-issuer ${issuer}`
}

/** A text of a stranger for a shell, or undefined where it holds what no reader would see. */
function quoted(text: string): string | undefined {
  if (hasUnseen(text) || /[\r\n\t]/.test(text) || text.length > 2000) return undefined
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** The bytes of a signature as openssl reads them: r||s of ECDSA becomes the DER of both. */
export function opensslSignature(sig: Uint8Array, proof: SignatureVerdict['proof']): Uint8Array {
  if (proof?.form !== 'P1363' || proof.isWrapped) return sig
  const half = sig.length / 2
  const [r, s] = [derInteger(sig.subarray(0, half)), derInteger(sig.subarray(half))]
  return derElement(derTag.sequence, r, s)
}
