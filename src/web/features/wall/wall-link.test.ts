import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { SharedConfig } from '../../../protocol/proxy-config.ts'
import { Wall } from '../../../protocol/wall.ts'
import { readSettings, WallSettings, wallYaml, writeSettings } from './wall-link.ts'

test('only what differs from the defaults is written, and it is read again', () => {
  const settings = WallSettings.parse({
    healthy: 'fold',
    margin: 3.5,
    drift: false,
    rotate: ['core', 'web'],
    dimFrom: 22,
    dimTo: 6,
  })
  const link = writeSettings(settings)
  expect(link).toBe('healthy:fold,margin:3.5,drift:false,dimFrom:22,dimTo:6,rotate:core+web')
  expect(WallSettings.parse(readSettings(link).settings)).toEqual(settings)
  expect(writeSettings(WallSettings.parse({}))).toBe('')
})

test.each(['size:9', 'healthy:perhaps', 'margin:90', 'margin:', 'drift:maybe', 'nothing'])(
  '%s is left out, named, and leaves the rest alone',
  (part) => {
    const { settings, ignored } = readSettings(`${part},page:30`)
    expect(settings).toEqual({ page: 30 })
    expect(ignored).toEqual([`Unknown setting “${part}” in the link.`])
  },
)

test('whatever stands in titles and queries, the file has it as it was', () => {
  const tile = fc.record({
    title: fc.string(),
    query: fc.string(),
    pinned: fc.boolean(),
    branch: fc.option(fc.string(), { nil: undefined }),
  })
  fc.assert(
    fc.property(fc.array(tile, { maxLength: 5 }), fc.string(), (tiles, title) => {
      const wall = Wall.parse({ name: 'team', title, tiles, order: 'stable', group: 'tool' })
      const { walls } = SharedConfig.parse(parse(wallYaml(wall)))
      expect(walls).toEqual([wall])
    }),
  )
})
