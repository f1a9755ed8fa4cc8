import { type DerElement, derChildren, derTag } from './der.ts'
import { derText } from './der-text.ts'
import { hexOf } from './hex.ts'
import { dottedOid } from './oid.ts'

/**
 * A distinguished name as text in the order of the certificate: "O=sigstore.dev, CN=sigstore".
 * Characters that separate parts are escaped (RFC 4514, 2.4); "" for an empty name.
 */
export function distinguishedName(bytes: Uint8Array, name: DerElement): string {
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
