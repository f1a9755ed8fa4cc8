import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createEventLog, prettyJson } from './event-log.ts'

describe('an event log', () => {
  test('gives every text back as it came, by type and by place', () => {
    const entry = fc.tuple(
      fc.constantFrom('A', 'B', 'C'),
      fc.string({ unit: 'grapheme', maxLength: 50 }),
    )
    fc.assert(
      fc.property(
        fc.array(entry, { maxLength: 40 }),
        fc.nat(45),
        fc.nat(10),
        (entries, from, count) => {
          const log = createEventLog(1024 * 1024)
          entries.forEach(([type, text], index) => {
            log.append(type, text, String(index + 10))
          })
          const texts = (wanted?: readonly string[]) =>
            log.slice(wanted, from, count).map(({ type, text }) => [type, text])
          expect(texts()).toEqual(entries.slice(from, from + count))
          const some = entries.filter(([type]) => type !== 'B')
          expect(texts(['A', 'C'])).toEqual(some.slice(from, from + count))
          expect(log.slice(undefined, 0, 1)[0]?.sequence ?? 10).toBe(10)
          for (const [index, [type, text]] of entries.entries()) {
            const place = log.find([type], index + 10)
            expect(log.slice([type], place, 1)[0]).toMatchObject({ index, text })
            expect(log.find(undefined, index + 10)).toBe(index)
          }
          expect(log.find(undefined, 9)).toBe(-1)
        },
      ),
    )
  })

  test('keeps the first events up to its bound and counts all', () => {
    const log = createEventLog(2 * 1024 * 1024)
    const text = 'x'.repeat(1000)
    for (let index = 0; index < 5000; index++)
      log.append(index % 2 === 0 ? 'A' : 'B', text, String(index))
    expect(log.total()).toBe(5000)
    expect(log.bytes()).toBeLessThanOrEqual(2 * 1024 * 1024)
    expect(log.kept()).toBeGreaterThan(2000)
    expect(log.counts().map(({ type, count }) => [type, count])).toEqual([
      ['A', 2500],
      ['B', 2500],
    ])
    expect(log.counts().reduce((sum, { kept }) => sum + kept, 0)).toBe(log.kept())
    expect(log.slice(['B'], 0, 5000).map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: Math.floor(log.kept() / 2) }, (_, index) => 2 * index + 1),
    )
  })

  test('gives the same by type again after more has come, and what has no id no place in the order', () => {
    const log = createEventLog(1024 * 1024)
    log.append('B', 'one', '1')
    log.append('A', 'two', '')
    const texts = () => log.slice(['A'], 0, 9).map(({ text, sequence }) => [text, sequence])
    expect(texts()).toEqual([['two', null]])
    expect(texts()).toEqual([['two', null]])
    log.append('A', 'three', '3')
    expect(texts()).toEqual([
      ['two', null],
      ['three', 3],
    ])
    expect(log.find(undefined, 2)).toBe(1)
    log.append('B', 'four', '4')
    expect(log.counts().map(({ type }) => type)).toEqual(['A', 'B'])
    expect(log.slice(['C'], 0, 9)).toEqual([])
  })

  test('takes an event longer than a block', () => {
    const log = createEventLog(16 * 1024 * 1024)
    const long = 'é'.repeat(1024 * 1024)
    log.append('A', 'short', '1')
    log.append('A', long, '2')
    log.append('A', 'after', 'not a number')
    expect(log.slice(undefined, 0, 3).map(({ text, sequence }) => [text.length, sequence])).toEqual(
      [
        [5, 1],
        [1024 * 1024, 2],
        [5, null],
      ],
    )
  })

  test('of no bytes keeps nothing', () => {
    const log = createEventLog(0)
    log.append('A', 'text', '1')
    expect(log.kept()).toBe(0)
    expect(log.counts()).toEqual([{ type: 'A', count: 1, kept: 0 }])
  })
})

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

  test('of lists in lists without end does not grow with the square of their depth', () => {
    const pretty = prettyJson('['.repeat(50_000))
    expect(pretty.length).toBeLessThan(50_000 * 250)
    expect(pretty.replace(/\s/g, '')).toBe('['.repeat(50_000))
  })

  test('of anything ends', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        prettyJson(text)
      }),
    )
  })
})

/** All texts of a value: an empty list within one is not distinguished from an empty list. */
function stringsOf(value: unknown): string {
  return (
    JSON.stringify(value)
      .match(/"(?:[^"\\]|\\.)*"/g)
      ?.join('') ?? ''
  )
}
