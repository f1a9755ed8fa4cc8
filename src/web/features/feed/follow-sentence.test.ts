import { expect, test } from 'vitest'
import { followSentence } from './follow-sentence.ts'

test.each([
  [{ matching: 12, waiting: 0, untold: 0 }, '12 builds match.'],
  [{ matching: 1, waiting: 1, untold: 0 }, '1 build matches, 1 is not known yet.'],
  [
    { matching: 0, waiting: 2, untold: 1400 },
    'No build matches, 2 are not known yet, 1,400 cannot be told here.',
  ],
])('%j is said in one sentence', (counts, sentence) => {
  expect(followSentence(counts)).toBe(sentence)
})
