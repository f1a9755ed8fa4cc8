import { expect, test } from 'vitest'
import { withoutCredentials } from './credential-shapes.ts'

test.each([
  ['Could not GET https://ci:hunter2@repo.example/x', 'Could not GET https://repo.example/x'],
  ['-Dnpm.password=hunter2 --token t0ken-9f', '-Dnpm.password=[secret] --token [secret]'],
  ['{"apiKey": "k3y-9f1c"}', '{"apiKey": "[secret]"}'],
  ['pushed with ghp_0123456789abcdefABCD', 'pushed with [token]'],
  ['AKIAIOSFODNN7EXAMPLE refused', '[token] refused'],
  ['Authorization: Bearer 0123456789abcdef0', 'Authorization: Bearer [secret]'],
  ['sent X-Api-Key: 8f2a9c77aa01bb22, refused', 'sent X-Api-Key: [secret], refused'],
  ['PRIVATE-TOKEN: 9koXpg98eAheJpvBs5tK', 'PRIVATE-TOKEN: [secret]'],
])('%s is shown without its credential', (text, shown) => {
  expect(withoutCredentials(text)).toBe(shown)
})

test.each([
  "Shop.java:17: error: unexpected token: '}'",
  'expected: <17> but was: <18>',
  'Bad API-Key: malformed. Private-Token: required-here',
  'Could not call https://[secret]@store.example',
  'Execution failed for task ":app:tokenize" (see https://ci.example/a@b)',
])('%s has none, and stays as it is', (text) => {
  expect(withoutCredentials(text)).toBe(text)
})
