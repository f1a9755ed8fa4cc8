import { expect, test } from 'vitest'
import { plainSentence } from './plain-sentence.ts'

test.each([
  ['Publish an SBOM. Then evaluate again.', 'Publish an SBOM.'],
  ['Use **Gradle 9.2** or later. See below.', 'Use Gradle 9.2 or later.'],
  ['## Fix\n\n1. Run `./gradlew sbom`.\n2. Publish.', 'Run ./gradlew sbom.'],
  ['```\nrm -rf /\n```\nAsk [the owners](https://a.example).', 'Ask the owners.'],
  ['', ''],
  ['---\n\n', ''],
  ['a\u202Eb\u0000c', 'a b c'],
  ['no full stop', 'no full stop'],
])('%j is told as %j', (markdown, sentence) => {
  expect(plainSentence(markdown)).toBe(sentence)
})

test('what is long is cut, and takes no longer for being hostile', () => {
  expect(plainSentence('x'.repeat(1_000_000))).toHaveLength(200)
  expect(plainSentence('['.repeat(100_000))).toHaveLength(200)
  expect(plainSentence('**'.repeat(100_000)).length).toBeLessThanOrEqual(200)
})
