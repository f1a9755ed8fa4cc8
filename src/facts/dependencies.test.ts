import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readEventData } from './event.ts'
import { compareDependencies, createDependencyReader } from './dependencies.ts'
import { realData } from '../real-data.test-support.ts'

const identity = (module: string, version: string) => ({ group: 'org.x', module, version })

test('what a component was selected for is a dependency, what gave way to it is none', () => {
  const reader = createDependencyReader()
  reader.take({
    identities: {
      '1': identity('guava', '20.0'),
      '2': identity('guava', '26.0'),
      '3': { projectPath: ':a' },
    },
    components: { '7': { identity: '2' }, '8': { identity: '3' }, '9': 'odd' },
  })
  reader.take({ identities: 'odd', components: {} })
  expect(reader.list()).toEqual([{ module: 'org.x:guava', version: '26.0' }])
})

test('dependencies and their differences are by name, in whatever order they were resolved', () => {
  const reader = createDependencyReader()
  const names = ['guava', 'asm', 'okio']
  reader.take({
    identities: Object.fromEntries(names.map((name) => [name, identity(name, '1')])),
    components: Object.fromEntries(names.map((name) => [name, { identity: name }])),
  })
  const modules = ['org.x:asm', 'org.x:guava', 'org.x:okio']
  expect(reader.list().map(({ module }) => module)).toEqual(modules)
  const found = compareDependencies([...reader.list()].reverse(), [])
  expect(found.map(({ module }) => module)).toEqual(modules)
})

test('only modules of other versions differ', () => {
  const at = (module: string, version: string) => ({ module, version })
  expect(
    compareDependencies(
      [at('a', '1'), at('b', '1'), at('c', '1')],
      [at('b', '2'), at('b', '1'), at('c', '1'), at('d', '3')],
    ),
  ).toEqual([
    { module: 'a', left: '1', right: null },
    { module: 'b', left: '1', right: '1, 2' },
    { module: 'd', left: null, right: '3' },
  ])
})

const recording = realData('recordings/gradle-dependencies.jsonl')

test.skipIf(!existsSync(recording))('a recording has them with every digit of their ids', () => {
  const line = readFileSync(recording, 'utf8')
    .split('\n')
    .find((one) => one.includes('ConfigurationResolutionData'))
  const reader = createDependencyReader()
  reader.take(readEventData(line ?? ''))
  const found = reader.list()
  expect(found).toContainEqual({ module: 'com.google.guava:guava', version: '26.0-android' })
  expect(found).not.toContainEqual({ module: 'com.google.guava:guava', version: '20.0' })
  expect(found.length).toBeGreaterThan(30)
})
