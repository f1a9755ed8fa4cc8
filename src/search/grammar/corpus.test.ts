import { readdirSync, readFileSync } from 'node:fs'
import { testTree } from '@lezer/generator/test'
import { describe, expect, test } from 'vitest'
import { queryFromTree } from '../parse.ts'
import { outline } from './outline.test-support.ts'
import { parser } from './parser.ts'

interface Case {
  readonly title: string
  readonly text: string
  readonly syntax: string
  readonly meaning: string
}

const folder = new URL('corpus/', import.meta.url)

/** Each case is a title, a text, `==>`, the syntax tree, and what is read from it. */
function casesIn(file: string): Case[] {
  return readFileSync(new URL(file, folder), 'utf8')
    .split(/^# /m)
    .slice(1)
    .map((written) => {
      const [, title = '', text = '', syntax = '', meaning = ''] =
        /^(.*)\n\n([^]*?)\n\n==>\n\n(.*)\n\n([^]*?)\n*$/.exec(written) ?? []
      return { title, text, syntax, meaning }
    })
}

const files = readdirSync(folder)

test('available boards: more than 120 cases, each with a title of its own', () => {
  const titles = files.flatMap(casesIn).map(({ title }) => title)
  expect(titles.length).toBeGreaterThan(120)
  expect(new Set(titles).size).toBe(titles.length)
})

describe.each(files)('%s', (file) => {
  test.each(casesIn(file))('$title', ({ text, syntax, meaning }) => {
    const tree = parser.parse(text)
    testTree(tree, syntax)
    expect(outline(queryFromTree(tree, text))).toBe(meaning)
  })
})
