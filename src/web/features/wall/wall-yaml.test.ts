import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { SharedConfig } from '../../../protocol/proxy-config.ts'
import { Wall } from '../../../protocol/wall.ts'
import { wallYaml } from './wall-yaml.ts'

test('whatever stands in titles and queries, the file has it as it was', () => {
  const tile = fc.record({ title: fc.string(), query: fc.string(), pinned: fc.boolean() })
  fc.assert(
    fc.property(fc.array(tile, { maxLength: 5 }), fc.string(), (tiles, title) => {
      const wall = Wall.parse({ name: 'team', title, tiles, order: 'stable', group: 'tool' })
      const { walls } = SharedConfig.parse(parse(wallYaml(wall)))
      expect(walls).toEqual([wall])
    }),
  )
})
