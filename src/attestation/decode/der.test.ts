import { describe, expect, test } from 'vitest'
import { derElement, derInteger, derText, derTime, derUnsigned, readDer } from './der.ts'

const elementOf = (tag: number, text: string) => derElement(tag, new TextEncoder().encode(text))
const timeOf = (tag: number, text: string) => {
  const bytes = elementOf(tag, text)
  const element = readDer(bytes)
  return element && derTime(bytes, element)
}
const [utcTime, generalizedTime] = [0x17, 0x18]

describe('a time', () => {
  test.each([
    [utcTime, '261120124213Z', Date.UTC(2026, 10, 20, 12, 42, 13)],
    // RFC 5280, 4.1.2.5.1: from 1950 to 2049.
    [utcTime, '491231235959Z', Date.UTC(2049, 11, 31, 23, 59, 59)],
    [utcTime, '500101000000Z', Date.UTC(1950, 0, 1)],
    [generalizedTime, '20500101000000Z', Date.UTC(2050, 0, 1)],
    [generalizedTime, '00500101000000Z', Date.UTC(2050, 0, 1) - 2000 * 365.2425 * 86_400_000],
    [generalizedTime, '261120124213Z', undefined],
    [utcTime, '20261120124213Z', undefined],
    [utcTime, '2611201242Z', undefined],
    [utcTime, '261120124213+0100', undefined],
    [0x0c, '261120124213Z', undefined],
  ])('of the tag %i written %s is %s', (tag, text, at) => {
    expect(timeOf(tag, text)).toBe(at)
  })
})

test('a text is read by its tag, and what is no text is none', () => {
  const textOf = (tag: number, bytes: number[]) => {
    const der = derElement(tag, Uint8Array.from(bytes))
    const element = readDer(der)
    return element && derText(der, element)
  }
  expect(textOf(0x0c, [0xc3, 0xa9])).toBe('é')
  expect(textOf(0x16, [0xe9])).toBe('é')
  expect(textOf(0x1e, [0x00, 0xe9])).toBe('é')
  expect(textOf(0x02, [0x61])).toBeUndefined()
})

test.each([
  ['indefinite', [0x30, 0x80, 0, 0]],
  ['longer than needed', [0x30, 0x81, 0x01, 0]],
  ['with a zero before it', [0x30, 0x82, 0x00, 0x80, ...new Array<number>(128).fill(0)]],
  ['past the end', [0x30, 0x02, 0]],
  ['of five bytes', [0x30, 0x85, 1, 0, 0, 0, 0]],
  ['cut', [0x30, 0x82, 0x01]],
  ['missing', [0x30]],
  ['behind a long tag', [0x1f, 0x01, 0]],
])('a length that is %s is refused', (_, bytes) => {
  expect(readDer(Uint8Array.from(bytes))).toBeUndefined()
})

test('lengths of every size are written and read again', () => {
  for (const length of [0, 1, 127, 128, 255, 256, 65_535, 65_536]) {
    const bytes = derElement(0x04, new Uint8Array(length))
    const element = readDer(bytes)
    expect(element && element.to - element.contentFrom).toBe(length)
    expect(element?.to).toBe(bytes.length)
  }
})

test('an integer is read as it was written, and refused padded, negative or empty', () => {
  const read = (bytes: Uint8Array) => {
    const element = readDer(bytes)
    return element && derUnsigned(bytes, element)
  }
  for (const digits of [[1], [0x7f], [0x80], [0xff, 0], [1, 0, 0]]) {
    expect([...(read(derInteger(Uint8Array.from([0, 0, ...digits]))) ?? [])]).toEqual(digits)
  }
  expect([...(read(derInteger(new Uint8Array(2))) ?? [])]).toEqual([0])
  for (const wrong of [[], [0x80], [0, 0x7f], [0, 0]]) {
    expect(read(derElement(0x02, Uint8Array.from(wrong)))).toBeUndefined()
  }
  expect(read(derElement(0x04, Uint8Array.of(1)))).toBeUndefined()
})
