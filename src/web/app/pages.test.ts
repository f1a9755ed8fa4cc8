import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { detailPages, pages } from './pages.ts'

const root = join(import.meta.dirname, '../../..')

test('no two pages share an address, a name or a key', () => {
  for (const part of ['path', 'label', 'key'] as const) {
    expect(new Set(pages.map((page) => page[part])).size).toBe(pages.length)
  }
})

test('what is shown before the application has the navigation of the application', () => {
  const html = readFileSync(join(root, 'index.html'), 'utf8')
  const links = html.matchAll(/<a href="([^"]+)"( data-first)?>([^<]+)<\/a>/g)
  const shown = pages.filter(({ group }) => group !== 'you')
  expect([...links].map(([, path, first, label]) => [path, label, first !== undefined])).toEqual(
    shown.map(({ path, label, group }, index) => [
      path,
      label,
      index > 0 && group !== shown[index - 1]?.group,
    ]),
  )
})

/** The rows of the table in frame.js: pattern, name, what the page says first. */
const rows = [
  ...readFileSync(join(root, 'public/frame.js'), 'utf8').matchAll(
    /\[\s*\/(\S+)\/,\s*'(.+?)',\s*'(.+?)'(?:,\s*'(.+?)',?)?,?\s*\]/g,
  ),
].map(([, pattern = '', name, ...sentences]) => ({
  pattern: new RegExp(pattern),
  name,
  sentences: sentences.filter(Boolean),
}))

test('and knows the name of each page by its address', () => {
  expect(rows.length).toBeGreaterThan(15)
  for (const { path, label, isBare } of [...pages, ...detailPages]) {
    if (isBare === true) continue
    const address = path.replaceAll(/:\w+/g, 'x')
    expect([path, rows.find(({ pattern }) => pattern.test(address))?.name]).toEqual([path, label])
  }
})

test('and says what the page itself says first, or that it is loading', () => {
  const sources = ['src/web/features', 'src/facts'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /(?<!\.test)\.tsx?$/.test(file))
      // Text of a page goes on in the next line.
      .map((file) => readFileSync(join(root, folder, file), 'utf8').replaceAll(/\s+/g, ' ')),
  )
  const sentences = rows.flatMap((row) => row.sentences)
  expect(sentences).toContain('Decode and check an attestation')
  const unsaid = sentences.filter(
    (sentence) =>
      !sentence.startsWith('Loading ') && !sources.some((source) => source.includes(sentence)),
  )
  expect(unsaid).toEqual([])
})
