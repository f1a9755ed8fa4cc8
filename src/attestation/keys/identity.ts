import { decodeBase64 } from '../decode/base64.ts'
import { hexOf } from '../decode/bytes.ts'
import {
  derChildren,
  type DerElement,
  derSequence,
  derTag,
  derText,
  derTime,
  dottedOid,
  readDer,
} from '../decode/der.ts'
import { pemBlocks } from '../decode/pem.ts'

/** Whom a certificate names, as it says itself. Nothing of it is checked against an authority. */
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
  /** What its key is for: object identifiers of the extended key usage (RFC 5280, 4.2.1.12). */
  readonly purposes: readonly string[]
}

/** Reads a certificate given as PEM, base64 DER, or the base64 of PEM; undefined for anything else. Never throws. */
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
    purposes: purposesOf(extensions.get(extendedKeyUsage)),
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

/** From when to when a certificate is valid, in UTC: "valid Mar 3, 2026 to Mar 3, 2027". */
export function validityText({ notBefore, notAfter }: CertificateIdentity): string {
  if (notBefore === undefined || notAfter === undefined) return 'with an unreadable period'
  return `valid ${dayInUtc.format(notBefore)} to ${dayInUtc.format(notAfter)}`
}

const dayInUtc = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })

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
const extendedKeyUsage = '2.5.29.37'

/** The DER of a certificate given as PEM, as base64 DER, or as the base64 of PEM; undefined where it is none of them. */
export function certificateBytes(text: string): Uint8Array | undefined {
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

function purposesOf(usage: Uint8Array | undefined): string[] {
  const all = (usage && derSequence(usage)) ?? []
  return all.map(({ contentFrom, to }) =>
    dottedOid(usage?.subarray(contentFrom, to) ?? new Uint8Array()),
  )
}

function isAuthority(constraints: Uint8Array | undefined): boolean {
  const [first] = (constraints && derSequence(constraints)) ?? []
  return first?.tag === 0x01 && constraints?.[first.contentFrom] === 0xff
}

/** What Sigstore's certificate authority writes of the one who requested the certificate. */
interface FulcioExtension {
  /** Such as "1.3.6.1.4.1.57264.1.12". */
  readonly oid: string
  readonly name: string
  readonly value: string
}

/**
 * The Fulcio extension of an identifier, or undefined where it is none of Fulcio's. The first six
 * hold bare text, the later ones a DER string (sigstore/fulcio docs/oid-info.md); an extension of
 * that family that is not known yet is shown by its number.
 */
function fulcioExtension(oid: string, value: Uint8Array): FulcioExtension | undefined {
  if (!oid.startsWith(family)) return undefined
  const number = Number(oid.slice(family.length))
  const element = readDer(value)
  const isWhole = element?.to === value.length
  const inside = number > 6 && element && isWhole ? derText(value, element) : undefined
  return {
    oid,
    name: names[number] ?? `Extension ${oid.slice(family.length)}`,
    value: inside ?? new TextDecoder().decode(value),
  }
}

const family = '1.3.6.1.4.1.57264.1.'

/** By the last number of the identifier. */
const names: Readonly<Record<number, string>> = {
  1: 'Identity issuer (old form)',
  2: 'GitHub workflow trigger (old form)',
  3: 'GitHub workflow commit (old form)',
  4: 'GitHub workflow name (old form)',
  5: 'GitHub workflow repository (old form)',
  6: 'GitHub workflow ref (old form)',
  8: 'Identity issuer',
  9: 'Build signer',
  10: 'Build signer digest',
  11: 'Runner environment',
  12: 'Source repository',
  13: 'Source repository digest',
  14: 'Source repository ref',
  15: 'Source repository ID',
  16: 'Source repository owner',
  17: 'Source repository owner ID',
  18: 'Build configuration',
  19: 'Build configuration digest',
  20: 'Build trigger',
  21: 'Run invocation',
  22: 'Source repository visibility at signing',
  23: 'Deployment environment',
}

/** One subject alternative name: whom a certificate is for. */
interface SubjectName {
  readonly type: 'email' | 'uri' | 'dns' | 'ip' | 'directory' | 'username' | 'other'
  readonly value: string
}

/** The names of a SubjectAltName extension (RFC 5280, 4.2.1.6), in the order written. */
function subjectNames(extension: Uint8Array): SubjectName[] {
  const outer = readDer(extension)
  const names = (outer && derChildren(extension, outer)) ?? []
  return names.map((name) => subjectName(extension, name))
}

function subjectName(bytes: Uint8Array, name: DerElement): SubjectName {
  const content = bytes.subarray(name.contentFrom, name.to)
  const text = new TextDecoder('latin1').decode(content)
  switch (name.tag) {
    case 0x81:
      // RFC 9598 puts other than ASCII elsewhere, but Fulcio writes UTF-8.
      return { type: 'email', value: new TextDecoder().decode(content) }
    case 0x82:
      return { type: 'dns', value: text }
    case 0x86:
      return { type: 'uri', value: new TextDecoder().decode(content) }
    case 0x87:
      return { type: 'ip', value: ipAddress(content) }
    case 0xa4: {
      const directory = readDer(content)
      return { type: 'directory', value: directory ? distinguishedName(content, directory) : '' }
    }
    case 0xa0:
      return otherName(bytes, name)
    default:
      return { type: 'other', value: text }
  }
}

/** Fulcio writes user names as an OtherName of its own type (Fulcio oid-info, 57264.1.7). */
function otherName(bytes: Uint8Array, name: DerElement): SubjectName {
  const [type, explicit] = derChildren(bytes, name) ?? []
  const value = explicit && readDer(bytes, explicit.contentFrom, explicit.to)
  const text = (value && derText(bytes, value)) ?? ''
  if (type?.tag !== derTag.oid) return { type: 'other', value: text }
  const oid = dottedOid(bytes.subarray(type.contentFrom, type.to))
  return oid === fulcioUsername
    ? { type: 'username', value: text }
    : { type: 'other', value: `${oid}: ${text}` }
}

const fulcioUsername = '1.3.6.1.4.1.57264.1.7'

function ipAddress(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  const groups: string[] = []
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    groups.push((((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(16))
  }
  return groups.join(':')
}

/**
 * A distinguished name as text in the order of the certificate: "O=sigstore.dev, CN=sigstore".
 * Characters that separate parts are escaped (RFC 4514, 2.4); "" for an empty name.
 */
function distinguishedName(bytes: Uint8Array, name: DerElement): string {
  const sets = derChildren(bytes, name) ?? []
  const parts = sets.map((set) => (derChildren(bytes, set) ?? []).map((pair) => part(bytes, pair)))
  return parts.map((pairs) => pairs.join('+')).join(', ')
}

function part(bytes: Uint8Array, pair: DerElement): string {
  const [type, value] = derChildren(bytes, pair) ?? []
  if (type?.tag !== derTag.oid || !value) return '?'
  const oid = bytes.subarray(type.contentFrom, type.to)
  const text = derText(bytes, value) ?? `#${hexOf(bytes.subarray(value.from, value.to))}`
  return `${attributes[hexOf(oid)] ?? dottedOid(oid)}=${text.replaceAll(/[,+"\\<>;=]/g, '\\$&')}`
}

const attributes: Readonly<Record<string, string>> = {
  '550403': 'CN',
  '550405': 'serialNumber',
  '550406': 'C',
  '550407': 'L',
  '550408': 'ST',
  '550409': 'street',
  '55040a': 'O',
  '55040b': 'OU',
  '550461': 'organizationIdentifier',
  '0992268993f22c640101': 'UID',
  '0992268993f22c640119': 'DC',
  '2a864886f70d010901': 'emailAddress',
}
