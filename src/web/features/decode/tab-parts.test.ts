import { expect, test } from 'vitest'
import { markedRuns } from './tab-parts.tsx'

test('hidden characters side by side are one mark, and a long run is shown with its number', () => {
  expect(markedRuns(`a\u200b\u202eb${'\u200b'.repeat(500)}`)).toEqual([
    { text: 'a', hidden: undefined },
    {
      text: '‹U+200B›‹U+202E›',
      hidden: 'zero-width space (U+200B), right-to-left override (U+202E)',
    },
    { text: 'b', hidden: undefined },
    { text: '‹U+200B›×500', hidden: 'zero-width space (U+200B)' },
  ])
})
