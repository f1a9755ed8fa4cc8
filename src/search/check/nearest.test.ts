import { describe, expect, test } from 'vitest'
import { fields } from '../fields/fields.ts'
import { nearest } from './nearest.ts'

const names = fields.map(({ name }) => name)

describe('nearest', () => {
  test.each([
    ['projct', ['project']],
    ['Project', ['project']],
    ['BUILDTOOL', ['buildTool']],
    ['porject', ['project']],
    ['tags', ['tag']],
    ['hostnme', ['hostname']],
    ['duration', ['buildDuration']],
    ['outcome', ['buildOutcome', 'gradle.configurationCache.outcome']],
    ['pluginVersion', ['gradle.pluginVersion', 'sbt.pluginVersion']],
    ['gradle.buildOptions.daemon', ['gradle.buildOptions.daemonEnabled']],
    ['gradle.pluginVersio', ['gradle.pluginVersion']],
    ['daemonEnable', ['gradle.buildOptions.daemonEnabled']],
    ['http', []],
    ['x', []],
    ['', []],
    ['hello', []],
  ])('finds what %j may stand for', (typed, expected) => {
    expect(nearest(typed, names)).toEqual(expected)
  })

  test('finds no more than requested', () => {
    expect(nearest('requestedTask', names, 1)).toHaveLength(1)
  })

  test('recognizes a letter left out, added, changed and swapped', () => {
    for (const typed of ['abcdf', 'abccdef', 'abxdef', 'abdcef']) {
      expect(nearest(typed, ['abcdef'])).toEqual(['abcdef'])
    }
    expect(nearest('axxdef', ['abcdef'])).toEqual(['abcdef'])
    expect(nearest('axxxef', ['abcdef'])).toEqual([])
  })
})
