import { describe, expect, test } from 'vitest'
import { parse } from '../../../search/parse.ts'
import { necessaryText } from './necessary-text.ts'

function needed(query: string): string | undefined {
  const found = necessaryText(parse(query))
  return found && `${found.field.name} ${found.texts.join(' | ')}`
}

describe('a query cannot be true of a build without', () => {
  test.each([
    ['project:Shop', 'project shop'],
    ['-tag:local (project:"My shop" buildOutcome:failed)', 'project my shop'],
    ['project:a or project:b or (project:A tag:ci)', 'project a | b'],
    ['(tag:a or tag:b) buildTool:gradle', 'tag a | b'],
    ['buildTool:gradle tag:ci gradle.rootProjectName:shop', 'gradle.rootProjectName shop'],
    ['project:a nosuch:x', 'project a'],
  ])('what %s names: %s', (query, text) => {
    expect(needed(query)).toBe(text)
  })
})

test.each([
  '',
  'project:shop*',
  'project:*',
  '-project:shop',
  'not (project:shop)',
  'project:a or tag:a',
  'project:a or buildDuration>1s',
  'buildDuration>1s buildStartTime>-1h',
  // Tasks are also read joined by spaces.
  'requested:test',
  'gradle.requestedTasks:test',
  'shop',
])('%s lets no build be left out for one text', (query) => {
  expect(needed(query)).toBeUndefined()
})
