import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../property-runs.test-support.ts'
import { durationText, readDuration } from './duration.ts'

const [s, m, h, d] = [1000, 60_000, 3_600_000, 86_400_000]

describe('a duration', () => {
  test.each([
    ['5s', 5 * s],
    ['90s', 90 * s],
    ['5m', 5 * m],
    ['1h', h],
    ['1d', d],
    ['250ms', 250],
    ['0s', 0],
    ['007m', 7 * m],
    ['1h30m', h + 30 * m],
    ['1d2h3m4s5ms', d + 2 * h + 3 * m + 4 * s + 5],
    ['1.5h', 1.5 * h],
    ['1h1.5m', h + 90 * s],
    ['0.5ms', 0.5],
    ['1.1h', 3_960_000],
    ['400d', 400 * d],
    ['99999999999999d', 99_999_999_999_999 * d],
    ['PT5M', 5 * m],
    ['PT1H30M', h + 30 * m],
    ['P1D', d],
    ['P1DT2H', d + 2 * h],
    ['P2W', 14 * d],
    ['P1W1D', 8 * d],
    ['PT1.5S', 1.5 * s],
    ['PT1,5S', 1.5 * s],
    ['PT0.001S', 1],
    ['pt5m', 5 * m],
    ['P0D', 0],
  ])('%s is %d ms', (text, ms) => {
    expect(readDuration(text)).toEqual({ ok: true, value: ms })
  })

  test.each<
    readonly [text: string, code: string, wrong: string | undefined, instead: readonly string[]]
  >([
    ['', 'value.duration-invalid', undefined, []],
    ['abc', 'value.duration-invalid', undefined, []],
    ['5', 'value.unit-missing', undefined, ['5s', '5m', '5h']],
    ['1h30', 'value.unit-missing', undefined, []],
    ['5x', 'value.unit-unknown', 'x', []],
    ['5M', 'value.unit-unknown', 'M', ['5m', '150d']],
    ['2w', 'value.unit-unknown', 'w', ['14d']],
    ['5min', 'value.unit-unknown', 'min', ['5m']],
    ['1hour30minutes', 'value.unit-unknown', 'hour', ['1h30m']],
    ['1y', 'value.unit-unknown', 'y', ['365d']],
    ['2mo', 'value.unit-unknown', 'mo', ['60d']],
    ['P1Y', 'value.unit-unknown', 'Y', ['365d']],
    ['P1M', 'value.unit-unknown', 'M', ['30d']],
    ['P1Y2M', 'value.unit-unknown', 'Y', ['425d']],
    ['30m1h', 'value.duration-invalid', undefined, ['1h30m']],
    ['1h1h', 'value.duration-invalid', undefined, ['2h']],
    ['1.5h30m', 'value.duration-invalid', undefined, ['2h']],
    ['1,5h', 'value.duration-invalid', undefined, ['1h30m']],
    ['1h 30m', 'value.duration-invalid', undefined, ['1h30m']],
    ['-5m', 'value.duration-invalid', undefined, ['5m']],
    ['-PT5M', 'value.duration-invalid', undefined, ['5m']],
    ['+5m', 'value.duration-invalid', undefined, []],
    ['.5h', 'value.duration-invalid', undefined, []],
    ['5.h', 'value.duration-invalid', undefined, []],
    ['P', 'value.duration-invalid', undefined, []],
    ['PT', 'value.duration-invalid', undefined, []],
    ['P1DT', 'value.duration-invalid', undefined, []],
    ['P5H', 'value.duration-invalid', undefined, []],
    ['PT1M1H', 'value.duration-invalid', undefined, ['1h1m']],
    ['PT5', 'value.duration-invalid', undefined, []],
    ['1:30', 'value.duration-invalid', undefined, []],
    [`${'9'.repeat(400)}d`, 'value.too-large', undefined, []],
  ])('%j is none', (text, code, wrong, instead) => {
    const reading = readDuration(text)
    if (reading.ok) throw new Error('It was read.')
    const { problem } = reading
    expect([problem.code, problem.instead]).toEqual([code, instead])
    expect(problem.from === undefined ? undefined : text.slice(problem.from, problem.to)).toBe(
      wrong,
    )
    for (const text of instead) expect(readDuration(text).ok).toBe(true)
  })

  test('is printed as it is read', () => {
    expect(durationText(0)).toBe('0s')
    expect(durationText(d + h + 1)).toBe('1d1h1ms')
    fc.assert(
      fc.property(fc.maxSafeNat(), (ms) => {
        expect(readDuration(durationText(ms))).toEqual({ ok: true, value: ms })
      }),
    )
  })

  test('that cannot be read is a problem, never a throw, and what is proposed can be read', () => {
    const text = fc.string({ unit: fc.constantFrom(...Array.from('pPtTdhmsyw059.,:- ')) })
    fc.assert(
      fc.property(text, (text) => {
        const reading = readDuration(text)
        if (reading.ok) return
        for (const other of reading.problem.instead) expect(readDuration(other).ok).toBe(true)
      }),
      { numRuns: runs(2000) },
    )
  })
})
