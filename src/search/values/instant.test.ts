import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../property-runs.test-support.ts'
import type { Moment } from './condition.ts'
import { readInstant, wallTime } from './instant.ts'

/** A moment as one text: with its zone as UTC, without as the clock shows it. */
function isoText(moment: Moment): string {
  switch (moment.type) {
    case 'absolute':
      return new Date(moment.time).toISOString()
    case 'local':
      return new Date(wallTime(moment.clock)).toISOString().replace('Z', '')
    case 'relative':
      return String(moment.distance)
  }
}

describe('a timestamp', () => {
  test.each([
    ['2024-01-31', '2024-01-31T00:00:00.000', '2024-02-01T00:00:00.000'],
    ['2024-02-28', '2024-02-28T00:00:00.000', '2024-02-29T00:00:00.000'],
    ['2024-02-29', '2024-02-29T00:00:00.000', '2024-03-01T00:00:00.000'],
    ['2000-02-29', '2000-02-29T00:00:00.000', '2000-03-01T00:00:00.000'],
    ['2024-12-31', '2024-12-31T00:00:00.000', '2025-01-01T00:00:00.000'],
    ['0001-01-01', '0001-01-01T00:00:00.000', '0001-01-02T00:00:00.000'],
    ['0099-12-31', '0099-12-31T00:00:00.000', '0100-01-01T00:00:00.000'],
    ['2024-01-31T10:30', '2024-01-31T10:30:00.000', '2024-01-31T10:31:00.000'],
    ['2024-01-31t10:30', '2024-01-31T10:30:00.000', '2024-01-31T10:31:00.000'],
    ['2024-01-31T23:59', '2024-01-31T23:59:00.000', '2024-02-01T00:00:00.000'],
    ['2024-01-31T10:30:15', '2024-01-31T10:30:15.000', '2024-01-31T10:30:16.000'],
    ['2024-01-31T10:30:15.5', '2024-01-31T10:30:15.500', '2024-01-31T10:30:15.600'],
    ['2024-01-31T10:30:15.25', '2024-01-31T10:30:15.250', '2024-01-31T10:30:15.260'],
    ['2024-01-31T10:30:15.999', '2024-01-31T10:30:15.999', '2024-01-31T10:30:16.000'],
    ['2024-01-31T10:30:15.123456', '2024-01-31T10:30:15.123', '2024-01-31T10:30:15.124'],
    ['2024-01-31Z', '2024-01-31T00:00:00.000Z', '2024-02-01T00:00:00.000Z'],
    ['2024-01-31+02:00', '2024-01-30T22:00:00.000Z', '2024-01-31T22:00:00.000Z'],
    ['2024-01-31T10:30Z', '2024-01-31T10:30:00.000Z', '2024-01-31T10:31:00.000Z'],
    ['2024-01-31T10:30z', '2024-01-31T10:30:00.000Z', '2024-01-31T10:31:00.000Z'],
    ['2024-01-31T10:30+02:00', '2024-01-31T08:30:00.000Z', '2024-01-31T08:31:00.000Z'],
    ['2024-01-31T10:30+0200', '2024-01-31T08:30:00.000Z', '2024-01-31T08:31:00.000Z'],
    ['2024-01-31T10:30:00-05:30', '2024-01-31T16:00:00.000Z', '2024-01-31T16:00:01.000Z'],
    ['2024-01-31T10:30:00.000001+00:00', '2024-01-31T10:30:00.000Z', '2024-01-31T10:30:00.001Z'],
    ['-5d', '-432000000', undefined],
    ['-1h30m', '-5400000', undefined],
    ['-1.5h', '-5400000', undefined],
    ['-PT5M', '-300000', undefined],
    ['-P1DT1H', '-90000000', undefined],
    ['-P1W', '-604800000', undefined],
    ['5d', '432000000', undefined],
    ['+5d', '432000000', undefined],
    ['-0s', '0', undefined],
  ])('%s goes from %s to %s', (text, from, to) => {
    const reading = readInstant(text)
    if (!reading.ok) throw new Error(reading.problem.message)
    expect(isoText(reading.value.moment)).toBe(from)
    expect(reading.value.next && isoText(reading.value.next)).toBe(to)
  })

  test('is a date alone or has a time', () => {
    const isDate = (text: string) => {
      const reading = readInstant(text)
      return reading.ok && reading.value.dateOnly
    }
    expect(['2024-01-31', '2024-01-31Z', '2024-01-31T00:00', '-5d'].map(isDate)).toEqual([
      ...[true, true],
      ...[false, false],
    ])
  })

  test.each<readonly [text: string, code: string, instead: readonly string[]]>([
    ['', 'value.instant-invalid', []],
    ['abc', 'value.instant-invalid', []],
    ['yesterday', 'value.instant-invalid', []],
    ['now', 'value.instant-invalid', ['-0s']],
    ['2024', 'value.instant-invalid', []],
    ['2024-01', 'value.instant-invalid', []],
    ['2023-02-29', 'value.instant-invalid', ['2023-02-28']],
    ['1900-02-29', 'value.instant-invalid', ['1900-02-28']],
    ['2024-04-31', 'value.instant-invalid', ['2024-04-30']],
    ['2024-13-01', 'value.instant-invalid', []],
    ['2024-00-01', 'value.instant-invalid', []],
    ['2024-01-00', 'value.instant-invalid', []],
    ['0000-01-01', 'value.instant-invalid', []],
    ['2024-1-5', 'value.instant-invalid', ['2024-01-05']],
    ['2024/01/05', 'value.instant-invalid', ['2024-01-05']],
    ['20240105', 'value.instant-invalid', ['2024-01-05']],
    ['2024-01-05 9:30', 'value.instant-invalid', ['2024-01-05T09:30']],
    ['2024-01-05T09', 'value.instant-invalid', ['2024-01-05T09:00']],
    ['2024-01-05T09:30 UTC', 'value.instant-invalid', ['2024-01-05T09:30Z']],
    ['2024-01-05T09:30+02', 'value.instant-invalid', ['2024-01-05T09:30+02:00']],
    ['2024-01-05T24:00', 'value.instant-invalid', []],
    ['2024-01-05T09:60', 'value.instant-invalid', []],
    ['2024-01-05T09:30:60', 'value.instant-invalid', []],
    ['2024-01-05T09:30+19:00', 'value.instant-invalid', []],
    ['2024-01-05T09:30+02:75', 'value.instant-invalid', []],
    ['1704067200', 'value.instant-invalid', ['2024-01-01T00:00:00.000Z']],
    ['1704067200123', 'value.instant-invalid', ['2024-01-01T00:00:00.123Z']],
    ['-5', 'value.unit-missing', ['-5s', '-5m', '-5h']],
    ['-5x', 'value.unit-unknown', []],
    ['-2w', 'value.unit-unknown', ['-14d']],
    ['2w', 'value.unit-unknown', ['-14d']],
    ['-P1M', 'value.unit-unknown', ['-30d']],
    ['--5d', 'value.instant-invalid', ['-5d']],
  ])('%j is none', (text, code, instead) => {
    expect(readInstant(text)).toMatchObject({ ok: false, problem: { code, instead } })
    for (const other of instead) expect(readInstant(other).ok).toBe(true)
  })

  test('names where a wrong unit stands behind a sign', () => {
    expect(readInstant('-2w')).toMatchObject({ problem: { from: 2, to: 3 } })
  })

  test('that cannot be read is a problem, never a throw, and what is proposed can be read', () => {
    const text = fc.string({
      unit: fc.constantFrom(...Array.from('0123459-:TtZz+./ dhmPw')),
      maxLength: 30,
    })
    fc.assert(
      fc.property(text, (text) => {
        const reading = readInstant(text)
        if (reading.ok) return
        for (const other of reading.problem.instead) expect(readInstant(other).ok).toBe(true)
      }),
      { numRuns: runs(5000) },
    )
  })

  test('is the one that Date reads, with any zone', () => {
    const zone = fc.constantFrom('Z', '+02:00', '-11:30', '+14:00')
    const date = fc.date({
      min: new Date('0100-01-02'),
      max: new Date('9999-12-30'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(date, zone, (date, zone) => {
        const text = date.toISOString().replace('Z', zone)
        const reading = readInstant(text)
        expect(reading.ok && reading.value.moment).toEqual({
          type: 'absolute',
          time: Date.parse(text),
        })
      }),
    )
  })
})
