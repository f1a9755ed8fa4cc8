import { type DerElement, derChildren, derTag, readDer } from './der.ts'
import { derText } from './der-text.ts'
import { distinguishedName } from './distinguished-name.ts'
import { dottedOid } from './oid.ts'

/** One subject alternative name: whom a certificate is for. */
export interface SubjectName {
  readonly type: 'email' | 'uri' | 'dns' | 'ip' | 'directory' | 'username' | 'other'
  readonly value: string
}

/** The names of a SubjectAltName extension (RFC 5280, 4.2.1.6), in the order written. */
export function subjectNames(extension: Uint8Array): SubjectName[] {
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
