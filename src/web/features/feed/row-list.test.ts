import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { allRows, type RowList, someRows } from './row-list.ts'

function shown(list: RowList): (number | undefined)[] {
  return Array.from({ length: list.count }, (_, index) => list.arrivalAt(index))
}

describe('all rows', () => {
  test('stand newest first', () => {
    expect(shown(allRows(4, 7))).toEqual([7, 6, 5, 4])
    expect(allRows(4, 7).arrivalAt(4)).toBeUndefined()
  })

  test('are none while the feed is empty', () => {
    expect(allRows(1, 0).count).toBe(0)
  })

  test('that arrived after one are counted', () => {
    expect(allRows(4, 7).countAfter(5)).toBe(2)
    expect(allRows(4, 7).countAfter(7)).toBe(0)
    expect(allRows(4, 7).countAfter(1)).toBe(4)
  })
})

describe('some rows', () => {
  test('stand newest first, without those that are no longer kept', () => {
    expect(shown(someRows([1, 3, 4, 8], 2))).toEqual([8, 4, 3])
  })

  test('that arrived after one are counted', () => {
    expect(someRows([1, 3, 4, 8], 0).countAfter(3)).toBe(2)
    expect(someRows([1, 3, 4, 8], 4).countAfter(0)).toBe(2)
    expect(someRows([1, 3, 4, 8], 0).countAfter(9)).toBe(0)
  })
})

test('both kinds agree where all rows are some rows, and a place finds its arrival again', () => {
  fc.assert(
    fc.property(fc.nat(50), fc.nat(50), fc.nat(120), (oldest, length, probe) => {
      const arrivals = Array.from({ length }, (_, index) => oldest + index)
      const all = allRows(oldest, oldest + length - 1)
      const some = someRows(arrivals, oldest)
      expect(shown(some)).toEqual(shown(all))
      expect(some.indexOf(probe)).toBe(all.indexOf(probe))
      expect(some.countAfter(probe)).toBe(all.countAfter(probe))
      for (let index = 0; index < length; index++) {
        expect(some.indexOf(some.arrivalAt(index) ?? -1)).toBe(index)
      }
    }),
  )
})
