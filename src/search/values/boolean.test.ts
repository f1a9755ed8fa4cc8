import { expect, test } from 'vitest'
import { readBoolean } from './boolean.ts'

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
    mistake: { code: 'value.boolean-invalid', instead },
  })
})
