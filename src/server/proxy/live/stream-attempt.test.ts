import { expect, test } from 'vitest'
import { createSilenceLimit } from './stream-attempt.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The limit after what came every so many seconds. */
function limitAfter(everySeconds: number, pieces: readonly string[]): number {
  const silence = createSilenceLimit(35_000)
  silence.opened(0)
  pieces.forEach((piece, index) => {
    silence.heard(bytes(piece), (index + 1) * everySeconds * 1000, true)
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

test('neither a comment before a build nor a colon inside of one is a heartbeat', () => {
  const build = ': from the server\nevent: Build\ndata: {}\n\n'
  expect(limitAfter(1, [build, build, build])).toBe(35_000)
  const silence = createSilenceLimit(35_000)
  silence.opened(0)
  for (const now of [1000, 2000, 3000]) silence.heard(bytes(':\n\n'), now, false)
  expect(silence.isPromised()).toBe(false)
})

test('a server that goes on at once after it was given up is given longer', () => {
  const silence = createSilenceLimit(35_000)
  silence.opened(0)
  for (const now of [1000, 2000, 3000]) silence.heard(bytes(': beat\r\n\r\n'), now, true)
  expect(silence.limitMs()).toBe(8000)
  silence.missed(11_000)
  silence.opened(12_000)
  expect(silence.limitMs()).toBe(18_000)
  silence.missed(30_000)
  // It was away, and is no slower than before.
  silence.opened(60_000)
  expect(silence.limitMs()).toBe(18_000)
})
