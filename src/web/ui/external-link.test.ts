import { expect, test } from 'vitest'
import { webAddress } from './external-link.tsx'

test.each(['https://ci.example/job/7', 'http://ci.example', 'HTTPS://ci.example/?a=b#c'])(
  '%s becomes a link',
  (text) => {
    expect(webAddress(text)?.host).toBe('ci.example')
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
  'https://github.com@evil.example/',
])('%s stays text', (text) => {
  expect(webAddress(text)).toBeUndefined()
})
