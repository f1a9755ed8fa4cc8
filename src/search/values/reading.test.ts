import { describe, expect, test } from 'vitest'
import { readBoolean, readNumber, shown } from './reading.ts'

test('a text that is cut ends with a whole character', () => {
  expect(shown(`${'x'.repeat(58)}🚀🚀`)).toBe(`${'x'.repeat(58)}…`)
})

test.each([
  ['true', true],
  ['false', false],
  ['TRUE', true],
  ['False', false],
])('%s is a Boolean', (text, value) => {
  expect(readBoolean(text)).toEqual({ ok: true, value })
})

test.each([
  ['yes', ['true']],
  ['1', ['true']],
  ['Off', ['false']],
  ['0', ['false']],
  ['', ['true', 'false']],
  ['maybe', ['true', 'false']],
  ['true ', ['true', 'false']],
])('%j is no Boolean', (text, instead) => {
  expect(readBoolean(text)).toMatchObject({
    ok: false,
    problem: { code: 'value.boolean-invalid', instead },
  })
})

describe('a number', () => {
  test.each([
    ['0', 0],
    ['4', 4],
    ['-1', -1],
    ['2.5', 2.5],
    ['-0.25', -0.25],
    ['007', 7],
    ['9007199254740993', 9007199254740992],
    ['1'.padEnd(300, '0'), 1e299],
  ])('%s is read', (text, value) => {
    expect(readNumber(text)).toEqual({ ok: true, value })
  })

  test.each([
    ['', 'value.number-invalid', []],
    ['four', 'value.number-invalid', []],
    ['4 ', 'value.number-invalid', ['4']],
    ['+4', 'value.number-invalid', ['4']],
    ['.5', 'value.number-invalid', ['0.5']],
    ['5.', 'value.number-invalid', ['5']],
    ['1,000', 'value.number-invalid', ['1000']],
    ['1_000_000', 'value.number-invalid', ['1000000']],
    ['2,5', 'value.number-invalid', ['2.5']],
    ['1e3', 'value.number-invalid', ['1000']],
    ['1e300', 'value.number-invalid', []],
    ['0x10', 'value.number-invalid', []],
    ['Infinity', 'value.number-invalid', []],
    ['NaN', 'value.number-invalid', []],
    ['1..5', 'value.number-invalid', []],
    ['--5', 'value.number-invalid', []],
    ['9'.repeat(400), 'value.too-large', []],
  ])('%j is none', (text, code, instead) => {
    expect(readNumber(text)).toMatchObject({ ok: false, problem: { code, instead } })
    for (const other of instead) expect(readNumber(other).ok).toBe(true)
  })
})
