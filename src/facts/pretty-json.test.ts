import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { prettyJson } from './pretty-json.ts'

describe('pretty JSON', () => {
  test('keeps every digit', () => {
    expect(prettyJson('{"id":-7978837427190732235,"to":[1.50,9007199254740993]}')).toBe(
      '{\n  "id": -7978837427190732235,\n  "to": [\n    1.50,\n    9007199254740993\n  ]\n}',
    )
  })

  test('is laid out as JSON.stringify does', () => {
    const value = fc.jsonValue().filter((json) => !/[{[]\s*[}\]]/.test(stringsOf(json)))
    fc.assert(
      fc.property(value, (json) => {
        expect(prettyJson(JSON.stringify(json))).toBe(JSON.stringify(json, null, 2))
      }),
    )
  })

  test('of anything ends', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        prettyJson(text)
      }),
    )
  })
})

/** All texts of a value: an empty list within one is not told from an empty list. */
function stringsOf(value: unknown): string {
  return (
    JSON.stringify(value)
      .match(/"(?:[^"\\]|\\.)*"/g)
      ?.join('') ?? ''
  )
}
