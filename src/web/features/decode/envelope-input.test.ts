import { expect, test } from 'vitest'
import { decode } from '../../../attestation/decode.ts'
import { envelopeFragment, itemText, readEnvelopeFragment } from './envelope-input.tsx'

const envelope = (payload: string): string =>
  JSON.stringify({
    payloadType: 'a/b',
    payload: Buffer.from(payload).toString('base64'),
    signatures: [],
  })

test('one of several lines is its own line, and a member of an array is written anew', () => {
  const lines = [envelope('{"a":1}'), envelope('{"b":2}')]
  const ofLines = decode(lines.join('\n'))
  expect(
    ofLines.ok && ofLines.items.map((item) => itemText(lines.join('\n'), item, false)),
  ).toEqual(lines)
  const array = `[${lines.join(', ')}]`
  const ofArray = decode(array)
  expect(ofArray.ok && ofArray.items.map((item) => itemText(array, item, false))).toEqual(
    lines.map((line) => {
      const parsed: unknown = JSON.parse(line)
      return JSON.stringify(parsed, ['payload', 'payloadType', 'signatures'])
    }),
  )
})

test('the only one is the whole input, blanks and all', () => {
  const text = `\n ${envelope('{}')}\n`
  const decoded = decode(text)
  expect(decoded.ok && itemText(text, decoded, true)).toBe(text)
})

test('a fragment carries any text there and back', () => {
  const text = '{"payload":"e30","note":"grüße 🚀"}'
  const content = readEnvelopeFragment(envelopeFragment(text) ?? '')
  expect(content.kind === 'bytes' && new TextDecoder().decode(content.bytes)).toBe(text)
})

test('nothing is offered that a chat would cut', () => {
  expect(envelopeFragment('x'.repeat(23_000))).toBeDefined()
  expect(envelopeFragment('x'.repeat(24_500))).toBeUndefined()
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
