import { expect, test } from 'vitest'
import { createEcho } from './code-editor.tsx'

test('what was reported comes back as an echo, though later or with some of it left out', () => {
  const echo = createEcho()
  for (const text of ['a', 'ab', 'abc']) echo.report(text)
  expect(echo.isEcho('ab')).toBe(true)
  expect(echo.isEcho('abc')).toBe(true)
})

test('the same text given once more is a change of its holder', () => {
  const echo = createEcho()
  echo.report('a')
  echo.report('ab')
  expect(echo.isEcho('ab')).toBe(true)
  expect(echo.isEcho('a')).toBe(false)
})

test('what was never reported is a change', () => {
  expect(createEcho().isEcho('')).toBe(false)
})
