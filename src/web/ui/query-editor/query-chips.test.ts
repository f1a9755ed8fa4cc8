import { expect, test } from 'vitest'
import { termsOf } from '../../../search/edit.ts'
import { parse } from '../../../search/parse.ts'
import { chipText } from './query-chips.tsx'

test.each([
  ['project:checkout -tag:CI', ['project: checkout', 'not tag: CI']],
  [
    'buildStartTime:>-7d and not (gradle.buildCache.hasError)',
    ['buildStartTime > -7d', 'not gradle.buildCache.hasError'],
  ],
  ['(tag:a or\n  tag:b) value:"CI run=8"', ['(tag:a or tag:b)', 'value: "CI run=8"']],
  ['', []],
])('%j becomes the chips %j', (text, chips) => {
  const query = parse(text)
  expect(termsOf(query).map((term) => chipText(query, term))).toEqual(chips)
})
