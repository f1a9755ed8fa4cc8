import { describe, expect, test } from 'vitest'
import { following, type Hold, type HoldAction, holdReducer } from './hold.ts'

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
