import fc from 'fast-check'
import { expect, test } from 'vitest'
import { documentPieces } from './exports.ts'

test('a document is written as JSON.stringify writes the object it stands for', () => {
  const head = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3, noNullPrototype: true })
  const inner = fc.record({ head, values: fc.array(fc.jsonValue(), { maxLength: 3 }) })
  fc.assert(
    fc.property(head, fc.array(inner, { maxLength: 3 }), (outer, parts) => {
      // A name that no head has: of two members of one name JSON.parse keeps the last.
      const list = 'the list, by a "name"'
      const written = documentPieces({
        head: outer,
        list,
        items: parts.map(({ head: own, values }) => ({
          head: own,
          list,
          items: values.map((value) => JSON.stringify(value, null, 2)),
        })),
      })
      const meant = {
        ...outer,
        [list]: parts.map((part) => ({ ...part.head, [list]: part.values })),
      }
      expect([...written].join('')).toBe(JSON.stringify(meant, null, 2))
    }),
  )
})

test('elements are requested one after the other, when the text has come so far', () => {
  let requested = 0
  function* items(): Generator<string> {
    for (;;) yield String(requested++)
  }
  const pieces = documentPieces({ head: {}, list: 'all', items: items() })
  expect(requested).toBe(0)
  for (let taken = 0; taken < 7; taken++) pieces.next()
  expect(requested).toBeLessThanOrEqual(4)
})
