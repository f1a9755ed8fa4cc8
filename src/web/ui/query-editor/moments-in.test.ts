import { expect, test } from 'vitest'
import { parse } from '../../../search/parse.ts'
import { momentsIn } from './moments-in.ts'

test.each([
  ['project:checkout', []],
  ['buildStartTime>-7d', ['relative']],
  ['-(tag:a or not buildStartTime:[2024-01-01 to 2024-02-01T00:00:00Z])', ['local', 'absolute']],
  ['buildStartTime:tomorrow nothing:2024-01-01', []],
])('%s names the moments %j', (text, types) => {
  expect(momentsIn(parse(text)).map(({ type }) => type)).toEqual(types)
})
