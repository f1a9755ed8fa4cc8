import { expect, test } from 'vitest'
import { instantOf, markedRuns } from './tab-parts.tsx'

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

test('a long text is cut between characters', () => {
  expect(markedRuns('ab🚀', 3)).toEqual([{ text: 'ab', hidden: undefined }])
})

test('a time is shown in the zone of the reader, and as it is written where no clock has it', () => {
  expect(instantOf('2026-01-31T12:00:00.546716349+01:00', 'utc')).toBe('Jan 31, 2026, 11:00:00 UTC')
  for (const text of ['2016-12-31T23:59:60Z', '2026-01-31T12:00:00+24:00', 'yesterday']) {
    expect(instantOf(text, 'utc')).toBeUndefined()
  }
})
