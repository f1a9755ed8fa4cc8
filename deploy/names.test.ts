import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scripts, version } from '../package.json'
import { isSettingName } from '../src/server/config-settings.ts'
import { textOf } from './settings.test-support.ts'

const folder = join(import.meta.dirname)
const files = [
  'Dockerfile',
  'compose.yaml',
  'README.md',
  ...readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:conf|service|yaml)$/.test(name))
    .map((name) => `deploy/${name}`),
  ...readdirSync(join(folder, '../docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

/** The gate reads them, and a release is made with them: they are no settings of the server. */
const others = new Set([
  'SIGHTLINE_URL',
  'SIGHTLINE_TOKEN',
  'SIGHTLINE_RELEASE_KEY_FILE',
  'SIGHTLINE_RELEASE_BUILDER',
])

test.each(files)('%s names only settings that exist', (path) => {
  const names = new Set(textOf(path).match(/SIGHTLINE_[A-Z][A-Z_]*[A-Z]/g) ?? [])
  const unknown = [...names].filter((name) => {
    const setting = name.replace('SIGHTLINE_', '')
    return (
      !others.has(name) && !isSettingName(setting) && !isSettingName(setting.replace(/_FILE$/, ''))
    )
  })
  expect(unknown).toEqual([])
})

test('npm run lint -- <files> looks at those files alone', () => {
  expect(scripts.lint.split(' ').slice(1)).toEqual([])
})

test('docs/running.md names only metrics that the dashboard for Grafana shows', () => {
  const known = textOf('docs/grafana-dashboard.json')
  const named = [...textOf('docs/running.md').matchAll(/`(sightline_[a-z_]+)/g)]
  expect(named.length).toBeGreaterThan(3)
  for (const [, metric = ''] of named) expect(known).toContain(metric)
})

test.each(files)('%s names no version but that of the package', (path) => {
  const named = textOf(path).match(/(?<=sightline[-:/])\d+\.\d+\.\d+/g) ?? []
  expect(named.filter((one) => one !== version)).toEqual([])
})
