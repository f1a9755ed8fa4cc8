import Ajv2020 from 'ajv/dist/2020.js'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { z } from 'zod'
import { scripts, version } from '../../package.json'
import { commands, helpText, options } from '../cli/options.ts'
import { check } from '../search/check.ts'
import { fields } from '../search/fields/fields.ts'
import { parse } from '../search/parse.ts'
import { leavesOf } from '../search/tree.ts'
import { isSettingName, settingNames, Settings } from '../server/config-settings.ts'
import { configKeys } from './config-keys.ts'
import { configFileKeys, settingExamples } from './configuration.ts'
import { exampleOf, queryExamples } from './query-language.ts'
import { commandsOf, referenceFiles } from './reference.ts'

const root = join(import.meta.dirname, '../..')
const config = pathToFileURL(join(root, '.dependency-cruiser.mjs')).href
const { default: importTable } = z.object({ default: z.unknown() }).parse(await import(config))

test('what stands in docs/reference is what the source gives: run npm run docs', async () => {
  for (const [path, text] of await referenceFiles(root, importTable)) {
    expect.soft(readFileSync(join(root, path), 'utf8') === text, path).toBe(true)
  }
})

test.each(Object.values(queryExamples).flat())('nothing is wrong with the example %s', (query) => {
  expect(check(parse(query)).filter(({ severity }) => severity !== 'info')).toEqual([])
})

test('every field has an example of its own, with which nothing is wrong', () => {
  for (const field of fields) {
    const query = parse(exampleOf(field))
    const [term, ...more] = leavesOf(query.root)
    expect([more, term !== undefined && 'field' in term && term.field.name]).toEqual([
      [],
      field.name,
    ])
    expect([exampleOf(field), check(query).filter(({ severity }) => severity === 'error')]).toEqual(
      [exampleOf(field), []],
    )
  }
})

test('every setting takes its example', () => {
  expect(Object.keys(settingExamples)).toEqual(settingNames)
  for (const [name, example] of Object.entries(settingExamples)) {
    // A key for signing is too long to be an example.
    if (example === '' || !isSettingName(name)) continue
    expect.soft([name, Settings.shape[name].safeParse(example).error]).toEqual([name, undefined])
  }
})

test('every key of the configuration file is described, with an example that fits', () => {
  const keys = configFileKeys()
  expect(Object.keys(configKeys)).toEqual(keys.map(({ path }) => path))
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  for (const { path, schema } of keys) {
    const example = configKeys[path]?.example
    if (example === undefined) continue
    // What any JSON is has a name of its own in the whole schema.
    const validate = ajv.compile({ ...schema, $defs: { __schema0: {} } })
    expect.soft([path, validate(parseYaml(example)), validate.errors]).toEqual([path, true, null])
  }
})

test('every command of the command line says what it does', () => {
  const ofOptions = new Set(Object.values(options).flatMap(commandsOf))
  expect(Object.keys(commands).sort()).toEqual([...ofOptions].sort())
})

test('the explanations of all options begin in one column, however long an option is', () => {
  for (const { help } of Object.values(options)) expect.soft(helpText()).toContain(`  ${help}\n`)
  const begins = helpText().matchAll(/^( {2}--\S+(?: <\w+>)? +)\S/gm)
  expect(new Set([...begins].map(([, left]) => left?.length)).size).toBe(1)
})

test('every test that docs/security.md names is there', () => {
  const page = readFileSync(join(root, 'docs/security.md'), 'utf8')
  const named = [...page.matchAll(/\]\(\.\.\/([^)]+\.(?:test|spec)\.ts)\) “([^”]+)”/g)]
  expect(named.length).toBe(
    page.split('\n').filter((line) => /\.(?:test|spec)\.ts\)/.test(line)).length,
  )
  for (const [, path = '', title = ''] of named) {
    expect.soft(readFileSync(join(root, path), 'utf8'), path).toContain(title)
  }
})

describe('every page', () => {
  const pages = [
    'README.md',
    'CONTRIBUTING.md',
    'src/README.md',
    ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ]
  const textOf = (page: string): string => readFileSync(join(root, page), 'utf8')
  const proseOf = (page: string): string => textOf(page).replace(/```.*?```/gs, '')
  /** As GitHub makes them of headings. */
  const anchorsOf = (page: string): Set<string | undefined> =>
    new Set(
      [...proseOf(page).matchAll(/^#+ (.*)$|<a id="([^"]+)"/gm)].map(([, heading, id]) =>
        heading === undefined
          ? id
          : heading
              .toLowerCase()
              .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
              .replace(/[^\p{L}\p{N} _-]/gu, '')
              .replaceAll(' ', '-'),
      ),
    )

  test('links to files and headings that are there', () => {
    for (const page of [...pages, 'CHANGELOG.md']) {
      for (const [, link, source] of proseOf(page).matchAll(
        /\]\(([^)\s]+)\)|src(?:set)?="([^"]+)"/g,
      )) {
        const [file = '', anchor] = (link ?? source ?? '').split('#')
        if (/^(?:https?|mailto):/.test(file)) continue
        const path = file === '' ? page : join(dirname(page), file)
        expect.soft([page, path, existsSync(join(root, path))]).toEqual([page, path, true])
        if (anchor === undefined || !path.endsWith('.md')) continue
        expect
          .soft([page, path, anchor, anchorsOf(path).has(anchor)])
          .toEqual([page, path, anchor, true])
      }
    }
  })

  test('names settings, scripts and files that are there', () => {
    const others = ['src/cli/connection.ts', 'scripts/release.mjs'].map(textOf).join('\n')
    const isRead = (name: string): boolean =>
      isSettingName(name.replace('SIGHTLINE_', '')) || others.includes(name)
    for (const page of pages) {
      const text = textOf(page)
      const missing = [
        ...[...text.matchAll(/\bSIGHTLINE_[A-Z_]*[A-Z]/g)]
          .map(([name]) => name)
          .filter((name) => !isRead(name.replace(/_FILE$/, ''))),
        ...[...text.matchAll(/\bnpm run ([\w:-]+)/g)]
          .map(([, name = '']) => name)
          .filter((name) => !Object.hasOwn(scripts, name)),
        ...[
          ...text.matchAll(/`((?:src|docs|deploy|e2e|bench|scripts|packages|public)\/[\w./-]+)`/g),
        ]
          .map(([, path = '']) => path)
          .filter((path) => !existsSync(join(root, path))),
      ]
      expect.soft(missing, page).toEqual([])
    }
  })
})

test('the changelog has the version of the package, which a release takes its notes from', () => {
  expect(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')).toContain(`\n## ${version} - `)
})
