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

/**
 * The magnitude of a non-negative INTEGER without its leading zero, or undefined where it is
 * negative, empty, padded or no INTEGER.
 */
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
