import { expect, test } from 'vitest'
import { compile } from '../../../search/match.ts'
import { parse } from '../../../search/parse.ts'
import { type ExampleBuild, exampleRow } from './example-view.ts'
import { matchOf } from './row-match.ts'

function match(query: string, build: ExampleBuild): string {
  return matchOf(exampleRow(1, build), compile(parse(query), { now: 0, timeZone: 'UTC' }))
}

test('a row matches or not where its facts tell', () => {
  expect(match('project:shop', { facts: { project: 'shop' } })).toBe('yes')
  expect(match('project:shop', { facts: { project: null } })).toBe('no')
})

test('what a build announced of itself needs no facts', () => {
  expect(match('buildTool:maven', { tool: 'maven' })).toBe('yes')
  expect(match('buildTool:maven project:shop', { tool: 'gradle' })).toBe('no')
})

test('a row waits for its facts, and is not told by facts that do not say', () => {
  expect(match('project:shop', {})).toBe('waiting')
  expect(match('project:shop', { facts: { user: 'ann' } })).toBe('untold')
})
