import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createArraySplitter, type EndOfArray } from './json-parts-array.ts'

/** What is told of a document that comes in these pieces. */
function split(pieces: readonly string[]): { elements: readonly string[]; end: EndOfArray } {
  const splitter = createArraySplitter()
  const elements = pieces.flatMap((piece) => splitter.push(piece))
  return { elements, end: splitter.end() }
}

/** A text with the places where it is cut. */
function cut(text: string, places: readonly number[]): readonly string[] {
  const sorted = [0, ...places.map((place) => place % (text.length + 1)), text.length].sort(
    (a, b) => a - b,
  )
  return sorted.slice(1).map((end, index) => text.slice(sorted[index], end))
}

const places = fc.array(fc.nat(), { maxLength: 12 })
const space = fc.constantFrom(undefined, 1, '\t')
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }),
  // Texts that look like what stands around them.
  fc.array(fc.constantFrom('"', '\\', '[', ']', '{', '}', ',', ' '), { maxLength: 8 }).map(String),
)

test('an array in any pieces has the elements that JSON.parse gives', () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 8 }), space, places, (values, indent, at) => {
      const text = `\n${JSON.stringify(values, null, indent)} `
      const { elements, end } = split(cut(text, at))
      expect(elements.map((element): unknown => JSON.parse(element))).toEqual(JSON.parse(text))
      expect(end).toEqual({ is: 'array', elements: values.length })
    }),
    { numRuns: 500 },
  )
})

test('what JSON.parse refuses is never taken for whole, and what it takes always is', () => {
  const piece = fc.constantFrom('[', ']', '{', '}', ',', '"', '\\', '1', 'x', ' ', '\u00a0', '"a":')
  const text = fc.array(piece, { maxLength: 10 }).map((parts) => `[${parts.join('')}`)
  fc.assert(
    fc.property(text, places, (document, at) => {
      const { elements, end } = split(cut(document, at))
      expect(end.is === 'array' && elements.every(isJson)).toBe(isJson(document))
    }),
    { numRuns: 5000 },
  )
})

test('anything but an array is told as a whole, at its end', () => {
  fc.assert(
    fc.property(fc.jsonValue(), places, (one, at) => {
      const text = JSON.stringify(one)
      fc.pre(!text.startsWith('['))
      expect(split(cut(text, at))).toEqual({ elements: [], end: { is: 'other', text } })
    }),
  )
  expect(split([' \n', '']).end).toEqual({ is: 'other', text: '' })
})

test('an array that ends too soon keeps the elements before', () => {
  expect(split(['[{"a":1},[2', ',3],{"b"'])).toEqual({
    elements: ['{"a":1}', '[2,3]'],
    end: { is: 'broken' },
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
