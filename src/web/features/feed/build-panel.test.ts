import { expect, test } from 'vitest'
import { isWebAddress } from './build-panel.tsx'

test.each(['https://ci.example/job/7', 'http://ci.example', 'HTTPS://ci.example/?a=b#c'])(
  '%s becomes a link',
  (text) => {
    expect(isWebAddress(text)).toBe(true)
  },
)

test.each([
  'javascript:alert(1)',
  'data:text/html,x',
  ' https://ci.example',
  'https://ci.example/a b',
  'https://',
  'see https://ci.example',
  '//ci.example',
])('%s stays text', (text) => {
  expect(isWebAddress(text)).toBe(false)
})
