import { assert, property, array, constantFrom, jsonValue } from 'fast-check'
import { expect, test } from 'vitest'
import { elementTexts } from './raw-json.ts'

test('64-bit integers, spaces and escapes stay as they stand', () => {
  const text =
    '{ "a" : ["]"], "events" : [ {"id": -7978837427190732235, "s":"\\"}],["} ,\t[1.50 ] , "x,y"] }'
  expect(elementTexts(text, 'events')).toEqual([
    '{"id": -7978837427190732235, "s":"\\"}],["}',
    '[1.50 ]',
    '"x,y"',
  ])
})

test('each element is on one line', () => {
  expect(elementTexts('{"events":[{\r\n  "a": 1\n}\n,\n2]}', 'events')).toEqual([
    '{   "a": 1 }',
    '2',
  ])
})

test.each([
  '{}',
  '{"events":[]}',
  '{"events":null}',
  '{"events":"[1]"}',
  '{"x":{"events":[1]}}',
  '[]',
])('%s has none', (text) => {
  expect(elementTexts(text, 'events')).toEqual([])
})

test('of members with one name the last counts, as with JSON.parse', () => {
  expect(elementTexts('{"events":[1],"events":[2,3]}', 'events')).toEqual(['2', '3'])
})

test('a member name may be written with escapes', () => {
  expect(elementTexts('{"ev\\u0065nts":[1]}', 'events')).toEqual(['1'])
})

test('the elements are those of JSON.parse, for any JSON and any layout', () => {
  // As JSON has them: it knows no -0.
  const value = jsonValue().map((json) => JSON.parse(JSON.stringify(json)) as unknown)
  assert(
    property(
      array(value),
      value,
      constantFrom(undefined, 1, '\t', '\r\n'),
      (events, other, space) => {
        const text = JSON.stringify({ other, events, more: other }, null, space)
        const texts = elementTexts(text, 'events')
        expect(texts.map((one) => JSON.parse(one) as unknown)).toEqual(events)
        expect(texts.join('')).not.toMatch(/[\r\n]/)
      },
    ),
  )
})
