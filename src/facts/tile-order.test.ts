import { describe, expect, test } from 'vitest'
import type { Facts } from '../protocol/facts.ts'
import { inTileOrder, tileGroups, wallSummary } from './tile-order.ts'
import type { TileStatus } from './tile-state.ts'

const tile = (title: string, status: TileStatus, pinned = false) => ({ title, status, pinned })
const sleep = { tile: '', kind: 'sleep', by: '', createdAt: 1, reason: '', until: 2 } as const
const titles = (tiles: readonly { readonly title: string }[]): string =>
  tiles.map(({ title }) => title).join(' ')

describe('the order of tiles', () => {
  const tiles = [
    tile('empty', 'empty'),
    tile('healthy', 'healthy'),
    tile('unknown', 'unknown'),
    tile('flaky', 'flaky'),
    tile('red', 'failing'),
    tile('red-too', 'failing'),
    tile('pinned', 'healthy', true),
  ]

  test('is pinned ones, then what needs somebody; equal ones keep their places', () => {
    expect(titles(inTileOrder(tiles, 'failing-first'))).toBe(
      'pinned red red-too flaky unknown healthy empty',
    )
  })

  test('is as it is written where that is wanted, but for the pinned ones', () => {
    expect(titles(inTileOrder(tiles, 'stable'))).toBe(
      'pinned empty healthy unknown flaky red red-too',
    )
  })
})

test('groups stand where their first tile does, the nameless one last', () => {
  const newest = (project: string | null | undefined): Facts => ({
    buildId: 'b000000000001',
    receivedAt: 1,
    buildTool: 'maven',
    buildToolVersion: '3',
    agentVersion: '2',
    project,
  })
  const tiles = [
    { title: 'a', newest: undefined },
    { title: 'b', newest: newest('shop') },
    { title: 'c', newest: newest(null) },
    { title: 'd', newest: newest('bank') },
    { title: 'e', newest: newest('shop') },
  ]
  const shown = tileGroups(tiles, 'project').map(({ name, tiles: all }) => [name, titles(all)])
  expect(shown).toEqual([
    ['shop', 'b e'],
    ['bank', 'd'],
    [undefined, 'a c'],
  ])
  expect(tileGroups(tiles, 'tool').map(({ name }) => name)).toEqual(['Maven', undefined])
})

test.each([
  [[], 'No tiles'],
  [[tile('web', 'healthy')], 'The one tile is healthy'],
  [[tile('web', 'healthy'), tile('docs', 'healthy')], 'All 2 healthy'],
  [
    [tile('checkout', 'failing'), tile('core', 'failing'), tile('web', 'healthy')],
    '2 failing: checkout, core; 1 healthy',
  ],
  [
    [tile('checkout', 'failing'), tile('core', 'flaky'), tile('web', 'flaky')],
    '1 failing: checkout; 2 flaky',
  ],
  [
    [
      tile('core', 'failing'),
      { ...tile('web', 'failing'), people: { sleep } },
      { ...tile('docs', 'failing'), people: { claim: sleep } },
    ],
    '2 failing: core, docs; 1 asleep',
  ],
  [
    [tile('مشروع', 'failing'), tile('web', 'failing'), tile('docs', 'healthy')],
    '2 failing: \u2068مشروع\u2069, web; 1 healthy',
  ],
  [
    ['a', 'b', 'c', 'd', 'e'].map((title) => tile(title, 'failing')),
    '5 failing: a, b, c and 2 more',
  ],
  [
    [tile('x', 'flaky'), tile('y', 'unknown'), tile('z', 'empty')],
    '1 flaky: x; 1 unknown; 1 without builds',
  ],
  [
    [{ ...tile('a', 'empty'), unread: 'failed' }, tile('b', 'empty'), tile('c', 'healthy')],
    '1 not loaded; 1 healthy; 1 without builds',
  ],
  [
    [
      { ...tile('a', 'empty'), unread: 'unsupported' },
      { ...tile('b', 'failing'), unread: 'unsupported' },
      tile('c', 'healthy'),
    ],
    '2 without recent builds; 1 healthy',
  ],
  [[{ ...tile('a', 'healthy'), unread: 'failed' }], '1 not loaded'],
] as const)('a wall of %j is “%s”', (tiles, sentence) => {
  expect(wallSummary(tiles, 'defined')).toBe(sentence)
})

test('a wall of projects that were lately built says nothing of the others', () => {
  const [web, docs] = [tile('web', 'healthy'), tile('docs', 'healthy')]
  expect(wallSummary([web], 'arrived')).toBe('The one recently built project is healthy')
  expect(wallSummary([web, docs], 'arrived')).toBe('All 2 recently built projects healthy')
  expect(wallSummary([web, tile('core', 'failing')], 'arrived')).toBe('1 failing: core; 1 healthy')
})

test('a long name leaves room for the others and for the counts', () => {
  const long = tile(`payments-${'x'.repeat(180)}-gateway-api`, 'failing')
  expect(wallSummary([long, tile('core', 'failing'), tile('web', 'healthy')], 'defined')).toBe(
    `2 failing: payments-${'x'.repeat(18)}…-gateway-api, core; 1 healthy`,
  )
  const name = '🚀'.repeat(40)
  expect(wallSummary([tile(name, 'failing')], 'defined')).toBe(`1 failing: ${name}`)
})
