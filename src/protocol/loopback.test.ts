import { expect, test } from 'vitest'
import { isLoopback } from './loopback.ts'

test.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['127.255.255.255', true],
  ['::1', true],
  ['[::1]', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['127.evil.example', false],
  ['127.0.0.1.evil.example', false],
  ['127.0.0.256', false],
  ['127.1', false],
  ['localhost.evil.example', false],
  ['[::2]', false],
  ['192.168.1.1', false],
  ['', false],
])('%s is a loopback address: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected)
})
