import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foldCase } from '../../../protocol/parsed-text.ts'
import { type AlertRoute, isQuiet, type QuietHours, takes } from './alert-route.ts'

const any: AlertRoute = { name: 'any', shape: 'slack', email: [] }
const tile = { walls: ['shop'], projects: ['Payments-API'] }

test.each<[string, Partial<AlertRoute>, boolean]>([
  ['everything', {}, true],
  ['its wall', { walls: ['other', 'shop'] }, true],
  ['another wall', { walls: ['other'] }, false],
  ['its project, however it is written', { projects: ['payments-api'] }, true],
  ['a pattern', { projects: ['payments*'] }, true],
  ['a pattern in the middle', { projects: ['*ments-*'] }, true],
  ['another pattern', { projects: ['payments'] }, false],
  ['no regular expression', { projects: ['payments.api'] }, false],
  ['its wall but another project', { walls: ['shop'], projects: ['checkout'] }, false],
])('a route for %s', (_, route, isTaken) => {
  expect(takes({ ...any, ...route }, tile)).toBe(isTaken)
})

test('a route for a project takes it in any case, a final sigma included', () => {
  const project = foldCase('ΟΔΟΣ')
  expect(takes({ ...any, projects: ['ΟΔΟΣ'] }, { walls: [], projects: [project] })).toBe(true)
})

describe('quiet hours', () => {
  const night: QuietHours = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' }
  test.each<[string, QuietHours, string, boolean]>([
    ['begin on the minute', night, '2026-01-05T21:00:00Z', true],
    ['not a minute before', night, '2026-01-05T20:59:59Z', false],
    ['go on past midnight', night, '2026-01-06T02:00:00Z', true],
    ['end on the minute', night, '2026-01-06T06:00:00Z', false],
    ['follow the clocks in summer', night, '2026-07-05T20:00:00Z', true],
    ['and in winter', night, '2026-01-05T20:00:00Z', false],
    ['of one day', { from: '12:00', to: '13:00', timeZone: 'UTC' }, '2026-01-05T12:30:00Z', true],
    ['are whole days', { days: ['sat', 'sun'], timeZone: 'UTC' }, '2026-01-10T12:00:00Z', true],
    ['of that zone', { days: ['sat'], timeZone: 'Asia/Tokyo' }, '2026-01-09T15:00:00Z', true],
    ['and not the others', { days: ['sat'], timeZone: 'UTC' }, '2026-01-09T23:59:00Z', false],
  ])('%s', (_, hours, time, quiet) => {
    expect(isQuiet(hours, Date.parse(time))).toBe(quiet)
  })

  test('from one time to the other, and back, are the whole day', () => {
    const time = fc
      .tuple(fc.nat(23), fc.nat(59))
      .map((parts) => parts.map((part) => String(part).padStart(2, '0')).join(':'))
    fc.assert(
      fc.property(time, time, fc.nat(4_000_000_000_000), (from, to, at) => {
        fc.pre(from !== to)
        const one = isQuiet({ from, to, timeZone: 'Europe/Berlin' }, at)
        expect(isQuiet({ from: to, to: from, timeZone: 'Europe/Berlin' }, at)).toBe(!one)
      }),
    )
  })
})
