import { joinBytes, withoutLeadingZeros } from './bytes.ts'
import { derTag } from './der.ts'

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
