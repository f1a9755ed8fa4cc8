import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { runs } from '../property-runs.test-support.ts'
import {
  createJsonSplitter,
  type EndOfJson,
  type JsonElement,
  type NestedValues,
  readJsonValue,
} from './json-splitter.ts'

const nested: NestedValues = {
  lists: 'results',
  head: 'storeUri',
  values: 'evaluations',
  beside: (members, isEmpty) => [{ ...members, isEmpty }],
}

/** What is told of a document that comes in these pieces. */
function split(pieces: readonly string[]): {
  readonly elements: readonly JsonElement[]
  readonly texts: readonly string[]
  readonly was: EndOfJson
} {
  const splitter = createJsonSplitter(nested)
  const pushed = pieces.flatMap((piece) => splitter.push(piece))
  const { elements, was } = splitter.end()
  const all = [...pushed, ...elements]
  return { elements: all, texts: all.map(({ text }) => text), was }
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
      const { texts, was } = split(cut(text, at))
      expect(texts.map((element): unknown => JSON.parse(element))).toEqual(JSON.parse(text))
      expect(was).toEqual({ is: 'split', rest: values.length === 0 ? [[]] : [] })
    }),
    { numRuns: runs(500) },
  )
})

test.each([
  ['[', '{"a":[1]}', ',{"b":2}]'],
  ['{"results":[{"storeUri":"s","evaluations":[', '{"a":{}}', ',{}]}]}'],
])('what ends with its bracket is reported then, and not with what follows: %s', (...pieces) => {
  const splitter = createJsonSplitter(nested)
  const told = pieces.map((piece) => splitter.push(piece).map(({ text }) => text))
  expect(told.slice(0, 2)).toEqual([[], [pieces[1]]])
  expect(told[2]).toHaveLength(1)
  expect(splitter.end().was.is).toBe('split')
})

test('after an early element, only white space may stand before the comma', () => {
  expect(split(['[{}', ' \n', ',{}]']).was.is).toBe('split')
  for (const text of ['[{} {},1]', '[{}1]', '[{}"",{}]', '[[]{}]']) {
    expect(split([text]).was.is).toBe('broken')
  }
})

test('nested values in any pieces are those that JSON.parse gives, each with what is beside it', () => {
  const evaluation = fc.record({ policyUri: fc.string(), details: value })
  const list = objectOf(
    { evaluations: fc.array(evaluation, { maxLength: 4 }) },
    fc.constantFrom('storeUri', 'attestation', 'error'),
  )
  const odd = fc.oneof(value, objectOf({ evaluations: value }, fc.constant('storeUri')))
  const lists = fc.array(fc.oneof({ weight: 4, arbitrary: list }, odd), { maxLength: 4 })
  const answer = objectOf({ results: lists }, fc.constantFrom('request', 'status', ''))
  fc.assert(
    fc.property(answer, space, fc.boolean(), places, (one, indent, isEscaped, at) => {
      const written = JSON.stringify(one, null, indent)
      // Where integers become texts is told elsewhere.
      fc.pre(!/\d{15}/.test(written))
      const text = isEscaped ? written.replaceAll('"evaluations"', '"\\u0065valuations"') : written
      const { elements, was } = split(cut(` ${text}\n`, at))
      const told = elements.map((element) => element.within([JSON.parse(element.text)]))
      const whole = asWritten(written)
      expect(told).toEqual(oneByOne(whole.results).map((list) => ({ results: [list] })))
      const { results, ...beside } = whole
      const rest =
        results.length === 0 ? [whole] : [...besideOf(results), { ...beside, isEmpty: false }]
      expect(was).toEqual({ is: 'split', rest })
    }),
    { numRuns: runs(500) },
  )
})

test.each([
  ['an array', '[', ['"a":']],
  ['nested values', '{"results":[{', ['"results":', '"evaluations":[', '"storeUri":', '}]']],
])(
  'of %s, what JSON.parse refuses is never taken for whole, and what it takes always is',
  (_, start, more) => {
    const piece = fc.constantFrom(
      '[',
      ']',
      '{',
      '}',
      ',',
      '"',
      '\\',
      '1',
      'x',
      ' ',
      '\u00a0',
      ...more,
    )
    const text = fc.array(piece, { maxLength: 10 }).map((parts) => `${start}${parts.join('')}`)
    fc.assert(
      fc.property(text, places, (document, at) => {
        const { texts, was } = split(cut(document, at))
        const isWhole =
          was.is === 'other' ? isJson(was.text) : was.is === 'split' && texts.every(isJson)
        expect(isWhole).toBe(isJson(document) && !hasNameTwice(document))
      }),
      { numRuns: runs(5000) },
    )
  },
)

test('anything else is reported as a whole, at its end', () => {
  const results = fc.oneof(
    fc.constant(undefined),
    fc.string(),
    fc.dictionary(fc.string(), fc.nat()),
  )
  const other = fc.oneof(
    fc.jsonValue(),
    results.map((one) => ({ status: 500, results: one, successes: [1, 2] })),
  )
  fc.assert(
    fc.property(other, places, (one, at) => {
      const text = JSON.stringify(one)
      fc.pre(!/^(?:\[|\{.*"results":\[)/.test(text))
      expect(split(cut(text, at))).toEqual({ elements: [], texts: [], was: { is: 'other', text } })
    }),
  )
  expect(split(['{"results":1[1]}']).was).toEqual({ is: 'other', text: '{"results":1[1]}' })
  expect(split([' \n', '']).was).toEqual({ is: 'other', text: ' \n' })
})

test.each([
  ['[{"a":1},[2|,3],{"b"', ['{"a":1}', '[2,3]']],
  ['{"results":[{"storeUri":"s","evaluations":[1,|{"a":2},{"b"', ['1', '{"a":2}']],
  // What they belong to would have come later.
  ['{"results":[{"evaluations":[1,|2],"storeU', ['1', '2']],
  ['{"results":[{"storeUri":"s","eval', []],
  ['{"results":[{"storeUri":"s","evaluations":[1]}]} |{', ['1']],
  ['{"results":[{"storeUri":"s","evaluations":[1]}],"a":nothing}', ['1']],
  ['{"results":[{"storeUri":nothing,"evaluations":[1]}]}', ['1']],
  ['{"results":[{"storeUri":"s","storeUri":"t","evaluations":[1]}]}', ['1']],
  ['{"results":[{"storeUri":"s","evaluations":[1],"storeUri":"t"}]}', ['1']],
  ['{"results":[{"storeUri":"s","evaluations":[1],"evaluations":[2]}]}', ['1', '2']],
  ['{"results":[1],"results":[2]}', ['1', '2']],
  ['{"results":[1] 5}', ['1']],
])('%s is broken, and keeps what could be read', (document, kept) => {
  const { texts, was } = split(document.split('|'))
  expect(texts).toEqual(kept)
  expect(was).toEqual({ is: 'broken' })
})

test('brackets that open again and again cost no more than other characters', () => {
  // Each of them could begin what is looked into: read from its beginning each time it would be hours.
  for (const start of ['{', '{"results":[', '{"results":[{']) {
    expect(split([start, '[]'.repeat(500_000)]).was.is).not.toBe('split')
  }
})

test('a value is read as JSON.parse reads it, but for one in which a name comes twice', () => {
  fc.assert(
    fc.property(value, space, (one, indent) => {
      const text = JSON.stringify(one, null, indent)
      fc.pre(!/\d{16}/.test(text))
      expect(readJsonValue(text)).toEqual(JSON.parse(text))
      expect(readJsonValue(`[{"a":1,"b":${text},"a":1}]`)).toBeUndefined()
    }),
  )
  expect(readJsonValue('{"a":{"x":1},"b":{"x":1},"c:":":"}')).toEqual({
    ...{ a: { x: 1 }, b: { x: 1 } },
    'c:': ':',
  })
  expect(readJsonValue(String.raw`{"a":1,"\u0061":2}`)).toBeUndefined()
  expect(readJsonValue('{"__proto__":1,"__proto__":2}')).toBeUndefined()
  expect(readJsonValue('{"id":12345678901234567890}')).toEqual({ id: '12345678901234567890' })
  expect(readJsonValue('{"a":')).toBeUndefined()
  const deep = 100_000
  expect(readJsonValue(`${'[{"a":'.repeat(deep)}1${'}]'.repeat(deep)}`)).toBeDefined()
})

/** Objects with these members and others, in any order. */
function objectOf(
  members: Record<string, fc.Arbitrary<unknown>>,
  others: fc.Arbitrary<string>,
): fc.Arbitrary<Record<string, unknown>> {
  return fc
    .tuple(fc.record(members), fc.dictionary(others, value, { maxKeys: 3 }))
    .chain(([some, more]) => {
      const all = [...Object.entries(some), ...Object.entries(more)]
      return fc.shuffledSubarray(all, { minLength: all.length })
    })
    .map((entries) => Object.fromEntries(entries))
}

function asWritten(text: string): { readonly results: readonly unknown[] } {
  return z.looseObject({ results: z.array(z.unknown()) }).parse(JSON.parse(text))
}

/** What is in `results`, each list of several values as many lists of one with their head. */
function oneByOne(results: readonly unknown[]): readonly unknown[] {
  return results.flatMap((one) => {
    const list = List.safeParse(one).data
    if (list === undefined) return [one]
    const { storeUri, evaluations } = list
    return evaluations.map((evaluation) => ({
      ...('storeUri' in list ? { storeUri } : {}),
      evaluations: [evaluation],
    }))
  })
}

/** What is beside the values of the lists in `results`. */
function besideOf(results: readonly unknown[]): readonly unknown[] {
  return results.flatMap((one) => {
    const list = List.safeParse(one).data
    if (list === undefined) return []
    const { storeUri: _, evaluations, ...beside } = list
    return [{ ...beside, isEmpty: evaluations.length === 0 }]
  })
}

const List = z.looseObject({
  storeUri: z.optional(z.unknown()),
  evaluations: z.array(z.unknown()),
})

/** Whether an object of a JSON text without needless characters or spaces loses a member by reading. */
function hasNameTwice(document: string): boolean {
  const text = document.replaceAll(' ', '')
  return JSON.stringify(JSON.parse(text)).length < text.length
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
