import { decodeBase64 } from './base64.ts'
import { type DerElement, derChildren, derSequence, derTag, readDer } from './der.ts'
import { derTime } from './der-text.ts'
import { distinguishedName } from './distinguished-name.ts'
import { type FulcioExtension, fulcioExtension } from './fulcio-extensions.ts'
import { hexOf } from './hex.ts'
import { dottedOid } from './oid.ts'
import { pemBlocks } from './pem.ts'
import { subjectNames, type SubjectName } from './subject-names.ts'

/** Whom a certificate names, as it says itself. Nothing of it is checked against anybody else. */
export interface CertificateIdentity {
  /** Distinguished names; the subject of a Sigstore certificate is empty. */
  readonly subject: string
  readonly issuer: string
  /** In lower-case hex. */
  readonly serialNumber: string
  /** Epoch ms; undefined where the certificate writes no valid time. */
  readonly notBefore: number | undefined
  readonly notAfter: number | undefined
  readonly names: readonly SubjectName[]
  readonly fulcio: readonly FulcioExtension[]
  /** Who vouched for the identity, such as "https://token.actions.githubusercontent.com". */
  readonly oidcIssuer: string | undefined
  readonly isAuthority: boolean
}

/**
 * Reads a certificate given as PEM, as base64 DER, or as the base64 of PEM, with the DER reader of
 * this folder. Undefined where it is none. Never throws.
 */
export function identityOf(certificate: string): CertificateIdentity | undefined {
  const bytes = certificateBytes(certificate)
  const [body] = (bytes && derSequence(bytes)) ?? []
  if (!bytes || body?.tag !== derTag.sequence) return undefined
  const all = derChildren(bytes, body) ?? []
  const fields = all[0]?.tag === explicitVersion ? all.slice(1) : all
  const [serial, , issuer, validity, subject, key, ...optional] = fields
  if (serial?.tag !== derTag.integer || !issuer || !validity || !subject || !key) return undefined
  const [from, to] = derChildren(bytes, validity) ?? []
  const extensions = readExtensions(bytes, optional)
  const fulcio = [...extensions].flatMap(([oid, value]) => fulcioExtension(oid, value) ?? [])
  const valueOf = (number: number) =>
    fulcio.find(({ oid }) => oid.endsWith(`.57264.1.${number}`))?.value
  const alternative = extensions.get(subjectAltName)
  return {
    subject: distinguishedName(bytes, subject),
    issuer: distinguishedName(bytes, issuer),
    serialNumber: hexOf(bytes.subarray(serial.contentFrom, serial.to)),
    notBefore: from && derTime(bytes, from),
    notAfter: to && derTime(bytes, to),
    names: alternative ? subjectNames(alternative) : [],
    fulcio,
    oidcIssuer: valueOf(8) ?? valueOf(1),
    isAuthority: isAuthority(extensions.get(basicConstraints)),
  }
}

/**
 * Whether a certificate was valid at a time (epoch ms). A fact about the certificate: a signature
 * stays verified when its certificate has expired, as Sigstore's do after ten minutes.
 */
export function validityAt(
  { notBefore, notAfter }: CertificateIdentity,
  at: number,
): 'valid' | 'not-yet-valid' | 'expired' | 'unknown' {
  if (notBefore === undefined || notAfter === undefined) return 'unknown'
  if (at < notBefore) return 'not-yet-valid'
  return at > notAfter ? 'expired' : 'valid'
}

/** Whether a key id is the identity of a certificate with its issuer, as gittuf writes them. */
export function isIdentityKeyId(keyid: string, certificate: string): boolean {
  if (!keyid.includes('::')) return false
  const { names, oidcIssuer } = identityOf(certificate) ?? { names: [], oidcIssuer: undefined }
  return names.some(({ value }) => keyid === `${value}::${oidcIssuer ?? ''}`)
}

const explicitVersion = 0xa0
const explicitExtensions = 0xa3
const subjectAltName = '2.5.29.17'
const basicConstraints = '2.5.29.19'

function certificateBytes(text: string): Uint8Array | undefined {
  const block = pemBlocks(text).find(({ label }) => label.includes('CERTIFICATE'))
  const decoded = decodeBase64(block?.base64 ?? text)
  if (!decoded.ok) return undefined
  const isPem = block === undefined && decoded.bytes[0] === 0x2d
  return isPem ? certificateBytesOfPem(decoded.bytes) : decoded.bytes
}

function certificateBytesOfPem(bytes: Uint8Array): Uint8Array | undefined {
  const [block] = pemBlocks(new TextDecoder().decode(bytes))
  const decoded = decodeBase64(block?.base64 ?? '')
  return decoded.ok ? decoded.bytes : undefined
}

/** The values of the extensions by their identifiers; the first of each counts. */
function readExtensions(bytes: Uint8Array, optional: DerElement[]): Map<string, Uint8Array> {
  const found = new Map<string, Uint8Array>()
  const wrapper = optional.find(({ tag }) => tag === explicitExtensions)
  const list = wrapper && readDer(bytes, wrapper.contentFrom, wrapper.to)
  for (const extension of (list && derChildren(bytes, list)) ?? []) {
    const parts = derChildren(bytes, extension) ?? []
    const [oid, value] = [parts[0], parts.at(-1)]
    if (oid?.tag !== derTag.oid || !value) continue
    const name = dottedOid(bytes.subarray(oid.contentFrom, oid.to))
    if (!found.has(name)) found.set(name, bytes.subarray(value.contentFrom, value.to))
  }
  return found
}

function isAuthority(constraints: Uint8Array | undefined): boolean {
  const [first] = (constraints && derSequence(constraints)) ?? []
  return first?.tag === 0x01 && constraints?.[first.contentFrom] === 0xff
}
