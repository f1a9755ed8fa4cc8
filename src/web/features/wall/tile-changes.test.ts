import { expect, test } from 'vitest'
import { noSpell, type TileStatus } from '../../../facts/tile-state.ts'
import { knownAfter, type KnownSpells, turnsSince, turnsText } from './tile-changes.ts'

function looks(...all: readonly Readonly<Record<string, TileStatus>>[]) {
  let known: KnownSpells = new Map()
  return all.map((look) => {
    const tiles = Object.entries(look).map(([key, status]) => ({
      key,
      title: key,
      status,
      spell: { ...noSpell, isFailing: status === 'failing' },
    }))
    const turns = turnsSince(known, tiles)
    known = knownAfter(known, tiles)
    return turnsText(turns)
  })
}

test('what is red when the wall is opened has not turned red', () => {
  expect(looks({ core: 'failing', web: 'healthy' })).toEqual([''])
})

test('a tile that turns red is announced once, and again when it recovers', () => {
  expect(
    looks({ core: 'healthy' }, { core: 'failing' }, { core: 'failing' }, { core: 'healthy' }),
  ).toEqual(['', 'core is failing.', '', 'core has recovered.'])
})

test('a time in which nothing is known hides no turn', () => {
  expect(looks({ core: 'healthy' }, { core: 'unknown' }, { core: 'failing' })).toEqual([
    '',
    '',
    'core is failing.',
  ])
})

test('many turns make one sentence', () => {
  expect(
    looks(
      { a: 'healthy', b: 'flaky', c: 'healthy', d: 'healthy', e: 'failing' },
      { a: 'failing', b: 'failing', c: 'failing', d: 'failing', e: 'flaky' },
    )[1],
  ).toBe('a, b, c and 1 more are failing. e has recovered.')
})
