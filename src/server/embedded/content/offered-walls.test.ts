import { expect, test } from 'vitest'
import { check } from '../../../search/check.ts'
import { compile } from '../../../search/match.ts'
import { parse } from '../../../search/parse.ts'
import { generateHistory } from './history.ts'
import { factsOfBuild } from '../search-preparation.ts'
import { offeredWalls } from './company.ts'

const now = Date.UTC(2026, 10, 19, 16)

test('each tile has a query without a remark, and builds of the history that it shows', () => {
  const facts = [...generateHistory({ seed: 1, count: 2000, until: now })].map((build) =>
    factsOfBuild(build.message, build.attributes, build.events),
  )
  const tiles = offeredWalls().flatMap((wall) => wall.tiles)
  expect(tiles.length).toBeGreaterThan(15)
  for (const { title, query } of tiles) {
    expect(check(parse(query)), query).toEqual([])
    const matches = compile(parse(query), { now, timeZone: 'UTC' })
    expect(facts.filter((one) => matches(one) === 'yes').length, title).toBeGreaterThan(0)
  }
})
