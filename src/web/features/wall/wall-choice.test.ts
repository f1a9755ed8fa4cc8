import { expect, test } from 'vitest'
import { Wall } from '../../../protocol/wall.ts'
import { linkParameters, wallLink, WallSettings } from './wall-link.ts'
import { chooseWall, type KnownWalls } from './wall-choice.ts'

const tile = (title: string) => ({ title, query: `project:${title}` })
const team = Wall.parse({ name: 'team', title: 'Team', tiles: [tile('core')] })
const mine = Wall.parse({ name: 'team', title: 'Mine', tiles: [tile('web'), tile('docs')] })
const known: KnownWalls = { device: [], configured: [team], settings: {} }

function choose(address: string, more: Partial<KnownWalls> = {}) {
  const { pathname, search, hash } = new URL(address, 'http://localhost')
  const name = decodeURIComponent(pathname.slice('/wall/'.length))
  return chooseWall(name, linkParameters(search, hash), {
    ...known,
    ...more,
  })
}

test('a wall of the configuration is found by its name', () => {
  expect(choose('/wall/team')).toMatchObject({ wall: team, source: 'configuration', ignored: [] })
})

test('what was saved on the device takes the place of what is configured', () => {
  expect(choose('/wall/team', { device: [mine] })).toMatchObject({ wall: mine, source: 'device' })
})

test('a link says more than either', () => {
  const { wall, source } = choose('/wall/team?tiles=A~project:a;project:b&order=stable&title=Ours')
  expect(source).toBe('link')
  expect(wall?.tiles.map(({ title }) => title)).toEqual(['A', 'project:b'])
  expect(wall).toMatchObject({ order: 'stable', title: 'Ours' })
})

test('by itself it is a tile for each project that arrives', () => {
  expect(choose('/wall/')).toMatchObject({ source: 'arrivals', wall: { name: '', tiles: [] } })
})

test('of a name that nobody knows there is no wall', () => {
  expect(choose('/wall/nowhere').wall).toBeUndefined()
})

test('a link carries the whole wall and how it is shown', () => {
  const settings = WallSettings.parse({ margin: 2, palette: 'blue' })
  const link = wallLink({ ...mine, order: 'stable', group: 'tool' }, settings)
  expect(link).toBe(
    '/wall/team?tiles=web~project:web;docs~project:docs&title=Mine&order=stable&group=tool&settings=palette:blue,margin:2',
  )
  expect(choose(link)).toMatchObject({
    wall: { ...mine, order: 'stable', group: 'tool' },
    settings,
    ignored: [],
  })
})

test('a link with many tiles keeps them from the server, which would refuse so long an address', () => {
  const tiles = Array.from({ length: 300 }, (_, index) => ({ ...tile(`p${index}`), pinned: false }))
  const link = wallLink({ ...mine, tiles }, WallSettings.parse({}))
  expect(new URL(link, 'http://localhost').search).toBe('')
  expect(choose(link).wall?.tiles).toEqual(tiles)
})

test('words that mean nothing are left out and the rest counts', () => {
  const { wall, settings, ignored } = choose('/wall/team?order=random&settings=margin:99,page:30')
  expect(wall?.order).toBe('failing-first')
  expect(settings.page).toBe(30)
  expect(ignored).toHaveLength(1)
})
