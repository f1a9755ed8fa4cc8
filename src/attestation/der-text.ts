import type { DerElement } from './der.ts'

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
