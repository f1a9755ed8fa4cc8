import { expect, test } from 'vitest'
import { createSilenceLimit } from './stream-attempt.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The limit after what came every so many seconds. */
function limitAfter(everySeconds: number, pieces: readonly string[]): number {
  const silence = createSilenceLimit(35_000)
  silence.opened(0)
  pieces.forEach((piece, index) => {
    silence.heard(bytes(piece), (index + 1) * everySeconds * 1000)
  })
  return silence.limitMs()
}

test('a server that sends heartbeats every few seconds is found frozen within 10 s', () => {
  for (const seconds of [0.5, 1, 2, 4]) {
    expect(limitAfter(seconds, [':\n\n', ':\n\n', ':\n\n'])).toBeLessThanOrEqual(10_000)
  }
})

test('one whose heartbeats are rare, or that sends none, is given 35 s', () => {
  expect(limitAfter(15, [':\n\n', ':\n\n', ':\n\n'])).toBe(32_000)
  expect(limitAfter(60, [':\n\n', ':\n\n', ':\n\n'])).toBe(35_000)
  expect(limitAfter(1, ['event: Build\n', 'data: {}\n\n', ':\n\n', ':\n\n'])).toBe(35_000)
})
