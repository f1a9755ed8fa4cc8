import { tileBuildsOf } from '../../../facts/tile-laws.test-support.ts'
import { describe, expect, test } from 'vitest'
import { tileState } from '../../../facts/tile-state.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { createKeptWalls, type KeptWall, ownerOf, type TextStorage } from './kept-walls.ts'

/** A storage whose texts can be looked at. */
function storageOf() {
  const texts = new Map<string, string>()
  const storage: TextStorage = {
    get: (key) => Promise.resolve(texts.get(key)),
    keys: () => Promise.resolve([...texts.keys()].sort()),
    change: (put, drop) => {
      for (const key of drop) texts.delete(key)
      for (const [key, text] of put) texts.set(key, text)
      return Promise.resolve()
    },
    clear: () => {
      texts.clear()
      return Promise.resolve()
    },
  }
  return { texts, walls: createKeptWalls(storage) }
}

const at = Date.UTC(2026, 10, 20, 9)
const anyone = (): boolean => true

function build(buildId: string, minute: number, more: Partial<Facts>): Facts {
  return {
    buildId,
    receivedAt: at + minute * 60_000,
    buildTool: 'gradle',
    buildToolVersion: '9.0',
    agentVersion: '4.0',
    project: 'checkout',
    requested: ['build'],
    durationMs: 61_500,
    values: [
      { name: 'Git branch', value: 'main' },
      { name: 'Git commit id', value: `c${minute}` },
    ],
    ...more,
  }
}

const broken = tileState(
  tileBuildsOf([
    build('aaaaaaaaaaaaa', 0, { outcome: 'succeeded' }),
    build('bbbbbbbbbbbbb', 1, { outcome: 'failed', hostname: 'ci-secret-host' }),
    build('ccccccccccccc', 2, { outcome: 'failed', hostname: 'ci-secret-host' }),
  ]),
  { now: at + 180_000, timeZone: 'UTC' },
)

const wall: KeptWall = {
  asOf: at + 200_000,
  skew: -2000,
  walls: [{ name: '', tiles: [], order: 'failing-first', group: 'none' }],
  isDemo: false,
  tiles: [
    {
      key: 'project checkout',
      project: 'checkout',
      state: broken,
      spell: { isFailing: true, spell: 'bbbbbbbbbbbbb', since: at + 60_000 },
    },
  ],
  claims: [
    {
      tile: 'project:checkout',
      kind: 'claim',
      by: 'ann',
      createdAt: at + 90_000,
      reason: null,
      until: null,
    },
  ],
}

describe('the last state of a wall', () => {
  test('is read as it was shown, without what its tiles do not show', async () => {
    const { texts, walls } = storageOf()
    await walls.write('/wall', 'person ann', wall)
    const [text = ''] = [...texts.values()]
    expect(text).not.toContain('ci-secret-host')
    const read = await walls.read('/wall', anyone)
    expect(read).toMatchObject({ ...wall, tiles: [{ key: 'project checkout' }] })
    const { newest, ...shown } = broken
    expect(read?.tiles[0]?.state).toMatchObject(shown)
    expect(read?.tiles[0]?.state.newest).toMatchObject({ buildId: newest?.buildId })
  })

  test('is that of its owner alone, and of nobody after signing out', async () => {
    const { texts, walls } = storageOf()
    await walls.write('/wall', 'person ann', wall)
    expect(await walls.read('/wall', (owner) => owner === 'person ben')).toBeUndefined()
    await walls.write('/wall/other', 'screen Lobby', wall)
    expect([...texts.keys()]).toEqual(['screen Lobby\n/wall/other'])
    await walls.forget()
    expect(await walls.read('/wall/other', anyone)).toBeUndefined()
  })

  test('is kept of eight walls at most, and not where it is too large', async () => {
    const { texts, walls } = storageOf()
    for (let index = 0; index < 20; index++) {
      await walls.write(`/wall/${index}`, 'person ann', wall)
    }
    expect(texts.size).toBe(8)
    expect(await walls.read('/wall/19', anyone)).toBeDefined()
    const title = 'x'.repeat(2_000_001)
    await walls.write('/wall/large', 'person ann', {
      ...wall,
      walls: wall.walls.map((one) => ({ ...one, title })),
    })
    expect(await walls.read('/wall/large', anyone)).toBeUndefined()
  })

  test('is none where another release or something else wrote it, or the storage is blocked', async () => {
    const { texts, walls } = storageOf()
    for (const text of ['', '{', 'null', '{"version":0}', '{"version":1,"wall":{"asOf":-1}}']) {
      texts.set('person ann\n/wall', text)
      expect(await walls.read('/wall', anyone)).toBeUndefined()
    }
    const blocked = (): Promise<never> => Promise.reject(new Error('Blocked.'))
    const none = createKeptWalls({ get: blocked, keys: blocked, change: blocked, clear: blocked })
    await none.write('/wall', 'person ann', wall)
    await none.forget()
    expect(await none.read('/wall', anyone)).toBeUndefined()
  })

  test('a screen is another owner than a person of the same name', () => {
    const of = (role: 'screen' | 'viewer') =>
      ownerOf({ token: 't', expiresAt: 0, user: { name: 'Lobby', roles: [role] } })
    expect(of('screen')).not.toBe(of('viewer'))
  })
})
