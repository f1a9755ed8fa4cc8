import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  allRows,
  following,
  type Hold,
  type HoldAction,
  holdReducer,
  type RowList,
  someRows,
} from './row-list.ts'

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

const now = { newest: 9, arrivals: undefined, dropped: 0 }
const later = { newest: 20, arrivals: undefined, dropped: 0 }

function after(...actions: readonly HoldAction[]): Hold {
  return actions.reduce(holdReducer, following)
}

test('a list follows until something holds it', () => {
  expect(following.rows).toBeUndefined()
  expect(after({ type: 'pause', now, at: 5 })).toMatchObject({ rows: now, since: 5 })
  expect(after({ type: 'scroll', away: true, now, at: 5 }).rows).toEqual(now)
  expect(after({ type: 'select', arrival: 7, now, at: 5 }).rows).toEqual(now)
})

test('a second reason to hold does not move what the first one held', () => {
  const hold = after(
    { type: 'scroll', away: true, now, at: 5 },
    { type: 'pause', now: later, at: 8 },
    { type: 'select', arrival: 3, now: later, at: 9 },
  )
  expect(hold).toMatchObject({ rows: now, since: 5, paused: true, scrolled: true, selected: 3 })
})

test('a list follows again when the last reason is gone', () => {
  const both = after(
    { type: 'scroll', away: true, now, at: 5 },
    { type: 'select', arrival: 7, now, at: 6 },
  )
  const top = holdReducer(both, { type: 'scroll', away: false, now: later, at: 7 })
  expect(top.rows).toEqual(now)
  expect(holdReducer(top, { type: 'deselect' })).toBe(following)
})

test('resuming lets go of everything at once', () => {
  expect(
    after(
      { type: 'pause', now, at: 5 },
      { type: 'select', arrival: 7, now, at: 6 },
      { type: 'resume' },
    ),
  ).toBe(following)
})

test('a scroll that changes nothing is no change', () => {
  const hold = after({ type: 'scroll', away: true, now, at: 5 })
  expect(holdReducer(hold, { type: 'scroll', away: true, now: later, at: 6 })).toBe(hold)
  expect(holdReducer(following, { type: 'scroll', away: false, now, at: 6 })).toBe(following)
})

describe('a filter', () => {
  test('lets go of a place in the list', () => {
    expect(
      after(
        { type: 'scroll', away: true, now, at: 5 },
        { type: 'narrow', now: { newest: 20, arrivals: [3, 12], dropped: 0 } },
      ),
    ).toBe(following)
  })

  test('does not end a pause: what came since then stays out', () => {
    const hold = after(
      { type: 'pause', now, at: 5 },
      { type: 'narrow', now: { newest: 20, arrivals: [3, 7, 12], dropped: 4 } },
    )
    expect(hold).toMatchObject({
      paused: true,
      rows: { newest: 9, arrivals: [3, 7], dropped: 0 },
      since: 5,
    })
  })
})
