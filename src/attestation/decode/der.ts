import { joinBytes, withoutLeadingZeros } from './bytes.ts'

/** One element of DER-encoded data: its tag and where its content lies in the bytes. */
export interface DerElement {
  readonly tag: number
  /** Where the element itself begins. */
  readonly from: number
  readonly contentFrom: number
  /** The place after its last byte. */
  readonly to: number
}

export const derTag = {
  integer: 0x02,
  bitString: 0x03,
  oid: 0x06,
  sequence: 0x30,
} as const

/**
 * The element that begins at `from` and ends at or before `to`, or undefined where the bytes are not
 * DER: lengths that are indefinite, longer than needed or past the end are refused (X.690, 10.1).
 */
export function readDer(
  bytes: Uint8Array,
  from = 0,
  to: number = bytes.length,
): DerElement | undefined {
  const tag = bytes[from]
  const first = bytes[from + 1]
  const hasLongTag = tag !== undefined && (tag & 0x1f) === 0x1f
  if (tag === undefined || first === undefined || hasLongTag) return undefined
  if (first < 0x80) return within({ tag, from, contentFrom: from + 2, to: from + 2 + first }, to)
  const count = first & 0x7f
  // Four bytes of length are 4 GB; no leading zero, and no long form where the short one does.
  if (count === 0 || count > 4 || from + 2 + count > to || bytes[from + 2] === 0) return undefined
  let length = 0
  for (let at = from + 2; at < from + 2 + count; at++) length = length * 256 + (bytes[at] ?? 0)
  if (length < 0x80) return undefined
  const contentFrom = from + 2 + count
  return within({ tag, from, contentFrom, to: contentFrom + length }, to)
}

/** The elements that fill `parent` exactly, or undefined where they do not. */
export function derChildren(bytes: Uint8Array, parent: DerElement): DerElement[] | undefined {
  const children: DerElement[] = []
  for (let at = parent.contentFrom; at < parent.to;) {
    const child = readDer(bytes, at, parent.to)
    if (child === undefined) return undefined
    children.push(child)
    at = child.to
  }
  return children
}

/** The elements of a sequence that is all of the bytes, or undefined where it is none. */
export function derSequence(bytes: Uint8Array): DerElement[] | undefined {
  const outer = readDer(bytes)
  if (outer?.tag !== derTag.sequence || outer.to !== bytes.length) return undefined
  return derChildren(bytes, outer)
}

/** The magnitude of an INTEGER without its leading zero; undefined where it is negative, empty, padded or none. */
export function derUnsigned(bytes: Uint8Array, element: DerElement): Uint8Array | undefined {
  const first = bytes[element.contentFrom]
  if (element.tag !== derTag.integer || element.to <= element.contentFrom) return undefined
  if (first === undefined || first >= 0x80) return undefined
  if (first !== 0 || element.to === element.contentFrom + 1) {
    return bytes.subarray(element.contentFrom, element.to)
  }
  const second = bytes[element.contentFrom + 1] ?? 0
  return second >= 0x80 ? bytes.subarray(element.contentFrom + 1, element.to) : undefined
}

function within(element: DerElement, to: number): DerElement | undefined {
  return element.to <= to ? element : undefined
}

/** The text of a DER string of any kind that certificates use, or undefined where it is no string. */
export function derText(bytes: Uint8Array, element: DerElement): string | undefined {
  const content = bytes.subarray(element.contentFrom, element.to)
  const encoding = encodings.get(element.tag)
  return encoding === undefined ? undefined : new TextDecoder(encoding).decode(content)
}

/** The time of a UTCTime or GeneralizedTime (RFC 5280, 4.1.2.5) in epoch ms, or undefined. */
export function derTime(bytes: Uint8Array, element: DerElement): number | undefined {
  const text = new TextDecoder().decode(bytes.subarray(element.contentFrom, element.to))
  const found = /^(\d{2}|\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/.exec(text)
  const [year = '', month, day, hours, minutes, seconds] = found?.slice(1) ?? []
  const digits = element.tag === utcTime ? 2 : element.tag === generalizedTime ? 4 : 0
  if (year.length !== digits || digits === 0) return undefined
  const century = digits === 4 ? 0 : Number(year) >= 50 ? 1900 : 2000
  const at = new Date(0)
  // Date.UTC would take the years 0 to 99 for those of the last century.
  at.setUTCFullYear(century + Number(year), Number(month) - 1, Number(day))
  return at.setUTCHours(Number(hours), Number(minutes), Number(seconds))
}

const utcTime = 0x17
const generalizedTime = 0x18
const encodings: ReadonlyMap<number, string> = new Map([
  [0x0c, 'utf-8'],
  [0x12, 'latin1'],
  [0x13, 'latin1'],
  [0x14, 'latin1'],
  [0x16, 'latin1'],
  [0x1a, 'latin1'],
  [0x1e, 'utf-16be'],
])

/** A DER element with the given tag around the parts, one after another. */
export function derElement(tag: number, ...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const content = joinBytes(...parts)
  return joinBytes(Uint8Array.of(tag, ...lengthBytes(content.length)), content)
}

/** A non-negative DER INTEGER of a magnitude, whatever zeros it begins with. */
export function derInteger(magnitude: Uint8Array): Uint8Array<ArrayBuffer> {
  const digits = withoutLeadingZeros(magnitude)
  const needsZero = (digits[0] ?? 0x80) >= 0x80
  return needsZero
    ? derElement(derTag.integer, Uint8Array.of(0), digits)
    : derElement(derTag.integer, digits)
}

function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length]
  const digits: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) digits.unshift(rest % 256)
  return [0x80 | digits.length, ...digits]
}

/** An object identifier in dots, from its DER content (X.690, 8.19). Long ones are cut. */
export function dottedOid(content: Uint8Array): string {
  const [first = 0, ...rest] = subidentifiers(content.subarray(0, 64))
  const root = Math.min(2, Math.floor(first / 40))
  return [root, first - 40 * root, ...rest].join('.')
}

function subidentifiers(content: Uint8Array): number[] {
  const found: number[] = []
  let value = 0
  for (const byte of content) {
    value = value * 128 + (byte & 0x7f)
    if (byte >= 0x80) continue
    found.push(value)
    value = 0
  }
  return found
}
