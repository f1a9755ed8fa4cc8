import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMessageGuard } from './build-reader.ts'

/** What passes a guard of 20 bytes, with `|` where what was begun is to be forgotten. */
function pass(pieces: readonly string[]): string {
  const guard = createMessageGuard(20)
  let passed = ''
  for (const piece of pieces) {
    for (const part of guard.pass(Buffer.from(piece))) {
      passed += part.kind === 'cut' ? '|' : Buffer.from(part.bytes).toString()
    }
  }
  return passed
}

describe('the guard against long messages', () => {
  test('passes what is short enough', () => {
    expect(pass(['data: 1\n\ndata: 2\n\n'])).toBe('data: 1\n\ndata: 2\n\n')
  })

  test('leaves out a long message between two short ones', () => {
    const long = `data: ${'x'.repeat(50)}\n\n`
    expect(pass([`data: 1\n\n${long}data: 2\n\n`])).toBe(
      `data: 1\n\ndata: ${'x'.repeat(14)}|data: 2\n\n`,
    )
  })

  test('adds up the lines of one message', () => {
    expect(pass(['data: 123\ndata: 123\ndata: 123\n\ndata: 2\n\n'])).toMatch(/\|data: 2\n\n$/)
  })

  test('does not add up heartbeats that no blank line ends', () => {
    const heartbeats = ': hb\n'.repeat(20)
    expect(pass([heartbeats, 'data: 1\n\n'])).toBe(`${heartbeats}data: 1\n\n`)
  })

  test('stops a comment without end', () => {
    expect(pass([`: ${'x'.repeat(100)}`, 'x'.repeat(100), '\n\ndata: 1\n\n'])).toBe(
      `: ${'x'.repeat(18)}|data: 1\n\n`,
    )
  })

  test('passes the same wherever the bytes are cut and however lines end', () => {
    const message = fc.constantFrom('data: 1', 'data: 2\nid: 2', `data: ${'x'.repeat(40)}`, ': hb')
    const lineEnd = fc.constantFrom('\n', '\r\n')
    fc.assert(
      fc.property(fc.array(message), lineEnd, fc.array(fc.nat(400)), (messages, end, cuts) => {
        const text = messages.map((one) => `${one}\n\n`.replaceAll('\n', end)).join('')
        const at = [
          0,
          ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b),
          text.length,
        ]
        const pieces = at.slice(1).map((to, index) => text.slice(at[index], to))
        // A CRLF may be cut in two: its LF then passes or not, and means nothing either way.
        const meaning = (passed: string): string =>
          passed.replaceAll('\r\n', '\n').replace(/\|\n+/g, '|')
        expect(meaning(pass(pieces))).toBe(meaning(pass([text])))
      }),
    )
  })
})
