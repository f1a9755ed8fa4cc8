import { expect, test } from 'vitest'
import type { Facts } from '../../../protocol/facts.ts'
import { allProjects, type KnownWork, releaseNight, teams } from './wall-templates.tsx'

const build = (project: string, branch = 'main'): Facts => ({
  buildId: `${project}-${branch}`,
  buildTool: 'gradle',
  buildToolVersion: '9.0',
  agentVersion: '4.0',
  receivedAt: 0,
  project,
  values: [{ name: 'Git branch', value: branch }],
})
const known = (more: Partial<KnownWork> = {}): KnownWork => ({
  builds: [
    build('shop-cart', 'release/2.1'),
    build('shop-cart', 'release/2.0'),
    build('Checkout'),
    build('checkout', 'hotfix-7'),
    build('shop-search'),
    build('docs site'),
  ],
  packages: [
    { purl: 'pkg:maven/com.acme/checkout-api@1.2', owner: 'payments' },
    { purl: 'pkg:npm/shop-cart@2.1', owner: 'shop' },
    { purl: 'pkg:npm/ledger@2.1', owner: 'payments' },
    { purl: 'no package' },
  ],
  ...more,
})
const tiles = ({ content }: { content: { tiles: readonly { title: string }[] } }) =>
  content.tiles.map(({ title }) => title)

test('all projects: each once, and quoted where it has to be', () => {
  const template = allProjects(known())
  expect(tiles(template)).toEqual(['checkout', 'docs site', 'shop-cart', 'shop-search'])
  expect(template.content.tiles[1]?.query).toBe('project:"docs site"')
})

test('of more projects than a wall has tiles, the first are taken, and it is known how many there are', () => {
  const builds = Array.from({ length: 312 }, (_, at) => build(`project-${at}`))
  const { content, all } = allProjects(known({ builds }))
  expect([content.tiles.length, all]).toEqual([300, 312])
})

test('names longer than a title are cut, and no character in two', () => {
  const long = `${'x'.repeat(78)}🚀🚀`
  const packages = [{ purl: `pkg:npm/${'y'.repeat(90)}@1`, owner: 'o'.repeat(120) }]
  const night = releaseNight(known({ builds: [build(long, 'release/1')], packages: [] }))
  expect(tiles(night)).toEqual([`${'x'.repeat(78)}…`, `${'x'.repeat(78)}…`])
  expect(night.content.tiles.map(({ query }) => query)).toEqual(
    Array<string>(2).fill(`project:"${long}"`),
  )
  const [team] = teams(known({ builds: [], packages }))
  expect(team?.content).toMatchObject({
    title: `${'o'.repeat(99)}…`,
    tiles: [{ title: `${'y'.repeat(79)}…` }],
  })
})

test('release night: what is released, and the release branch that was built last in front', () => {
  const { content } = releaseNight(known())
  expect(content.tiles).toEqual([
    {
      title: 'checkout hotfix-7',
      query: 'project:checkout',
      branch: 'hotfix-7',
      pinned: true,
    },
    { title: 'checkout', query: 'project:checkout', pinned: false },
    { title: 'ledger', query: 'project:ledger', pinned: false },
    {
      title: 'shop-cart release/2.1',
      query: 'project:shop-cart',
      branch: 'release/2.1',
      pinned: true,
    },
    { title: 'shop-cart', query: 'project:shop-cart', pinned: false },
  ])
  expect(tiles(releaseNight(known({ packages: [] })))).toContain('docs site')
})

test('one team: by who owns packages, and by how names begin', () => {
  expect(teams(known()).map((team) => [team.label, ...tiles(team)])).toEqual([
    ['payments', 'checkout', 'ledger'],
    ['shop', 'shop-cart'],
  ])
  const unowned = teams(known({ packages: [] }))
  expect(unowned.map((team) => [team.label, ...tiles(team)])).toEqual([
    ['shop', 'shop-cart', 'shop-search'],
  ])
})

test('where nothing is known, a wall of all projects has no tiles: one comes with each project', () => {
  expect(tiles(allProjects({ builds: [], packages: [] }))).toEqual([])
  expect(teams({ builds: [], packages: [] })).toEqual([])
})
