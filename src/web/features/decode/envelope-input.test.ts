import { expect, test } from 'vitest'
import { envelopeFragment, readEnvelopeFragment } from './envelope-input.tsx'

test('a fragment carries several attestations, each its own line', () => {
  const content = readEnvelopeFragment(envelopeFragment(['{"a":\r\n 1}', '{}']) ?? '')
  expect(content.kind === 'bytes' && new TextDecoder().decode(content.bytes)).toBe('{"a":  1}\n{}')
})

test('a fragment carries any text there and back', () => {
  const text = '{"payload":"e30","note":"grüße 🚀"}'
  const content = readEnvelopeFragment(envelopeFragment([text]) ?? '')
  expect(content.kind === 'bytes' && new TextDecoder().decode(content.bytes)).toBe(text)
})

test('nothing is offered that a chat would cut', () => {
  expect(envelopeFragment(['x'.repeat(23_000)])).toBeDefined()
  expect(envelopeFragment(['x'.repeat(24_500)])).toBeUndefined()
})

test.each([
  ['', 'none'],
  ['#top', 'none'],
  ['#envelope=', 'none'],
  ['#envelope=e30!', 'broken'],
  ['#envelope=%00', 'broken'],
])('the fragment %s is %s', (hash, kind) => {
  expect(readEnvelopeFragment(hash).kind).toBe(kind)
})
