import { expect, test } from 'vitest'
import type { Facts } from '../../../protocol/facts.ts'
import { noSpell } from '../../../facts/tile-state.ts'
import { createTileBoard, isKnown, type TileBoard } from './tile-board.ts'

const minute = 60_000
const begin = Date.UTC(2026, 0, 5, 9)
const at = { now: begin, timeZone: 'UTC' }
const always = (): boolean => true

function build(number: number, outcome: 'succeeded' | 'failed', more: Partial<Facts> = {}): Facts {
  return {
    buildId: `b${String(number).padStart(12, '0')}`,
    receivedAt: begin + number * minute,
    buildTool: 'gradle',
    buildToolVersion: '9',
    agentVersion: '4',
    project: 'core',
    outcome,
    ...more,
  }
}

function boardOf(...keys: string[]): TileBoard {
  const board = createTileBoard()
  for (const key of keys) board.add({ key, search: { is: 'loading' }, rule: {} })
  return board
}

test('tiles stand in the order in which they were added, empty until something arrives', () => {
  const board = boardOf('web', 'core')
  expect(board.standings().map(({ key, status }) => [key, status])).toEqual([
    ['web', 'empty'],
    ['core', 'empty'],
  ])
  expect(board.settle(at, 100, always)).toEqual({ changed: [], isMoved: false, isDone: true })
})

test('only the tile that changed is notified, and only when it is settled', () => {
  const board = boardOf('web', 'core')
  const before = board.view('core')
  board.take('core', build(1, 'failed'))
  expect(board.view('core')).toBe(before)
  expect(board.settle(at, 100, always)).toEqual({ changed: ['core'], isMoved: true, isDone: true })
  expect(board.view('core')?.state.status).toBe('failing')
  expect(board.view('web')?.state.status).toBe('empty')
  expect(board.settle(at, 100, always).changed).toEqual([])
})

test('a build that says nothing new changes nothing', () => {
  const board = boardOf('core')
  board.take('core', build(1, 'failed'))
  board.settle(at, 100, always)
  const before = board.view('core')
  board.take('core', build(1, 'failed'))
  expect(board.settle(at, 100, always).changed).toEqual([])
  expect(board.view('core')).toBe(before)
})

test('another build of the same outcome changes the tile, but not where it stands', () => {
  const board = boardOf('core')
  board.take('core', build(1, 'failed'))
  board.settle(at, 100, always)
  board.take('core', build(2, 'failed'))
  expect(board.settle(at, 100, always)).toMatchObject({ changed: ['core'], isMoved: false })
  expect(board.view('core')?.state.inARow).toBe(2)
  board.take('core', build(3, 'failed', { project: 'other' }))
  expect(board.settle(at, 100, always).isMoved).toBe(true)
})

test('without time left one tile is settled, and the one that has waited longest is first', () => {
  const board = boardOf('a', 'b', 'c')
  for (const key of ['c', 'a', 'b']) board.take(key, build(1, 'failed'))
  const turns = Array.from({ length: 4 }, () => board.settle(at, 100, () => false))
  expect(turns.map(({ changed, isDone }) => [...changed, isDone])).toEqual([
    ['c', false],
    ['a', false],
    ['b', true],
    [true],
  ])
})

test('builds that no longer belong to a tile leave it; where all stay it is not notified', () => {
  const board = boardOf('core')
  board.take('core', build(1, 'succeeded'))
  board.take('core', build(2, 'failed'))
  board.settle(at, 100, always)
  board.filter('core', always)
  expect(board.settle(at, 100, always).changed).toEqual([])
  board.filter('core', ({ outcome }) => outcome === 'succeeded')
  expect(board.settle(at, 100, always)).toMatchObject({ changed: ['core'], isMoved: true })
  expect(board.view('core')?.state.status).toBe('healthy')
})

test('how the search stands is reported when it is something else; a tile without builds loads until then', () => {
  const board = boardOf('core')
  const failed = { is: 'failed', problem: 'Busy.' } as const
  board.settle(at, 100, always)
  expect(board.standings()).toMatchObject([{ isLoading: true }])
  board.setSearch('core', failed)
  expect(board.settle(at, 100, always)).toMatchObject({ changed: ['core'], isMoved: true })
  expect(board.standings()).toMatchObject([{ isLoading: false }])
  expect(board.view('core')?.search).toEqual(failed)
  board.setSearch('core', { ...failed })
  expect(board.settle(at, 100, always).changed).toEqual([])
  board.setSearch('core', { is: 'failed', problem: 'Away.' })
  expect(board.settle(at, 100, always)).toMatchObject({ changed: ['core'], isMoved: false })
})

test('without builds it is another thing whether the search found none, or could not be made', () => {
  const board = boardOf('core')
  const unread = (): string | undefined => board.standings()[0]?.unread
  expect(unread()).toBeUndefined()
  for (const search of [{ is: 'failed', problem: 'Away.' }, { is: 'unsupported' }] as const) {
    board.setSearch('core', search)
    board.settle(at, 100, always)
    expect(unread()).toBe(search.is)
  }
  board.setSearch('core', { is: 'answered', problem: undefined })
  expect(board.settle(at, 100, always).isMoved).toBe(true)
  expect(unread()).toBeUndefined()
  board.setSearch('core', { is: 'failed', problem: 'Away.' })
  board.take('core', build(1, 'succeeded'))
  board.settle(at, 100, always)
  expect(unread()).toBeUndefined()
})

test('what was kept without builds had none, and is not unread while the proxy is away', () => {
  const before = boardOf('core')
  const isKnownOf = (board: TileBoard): boolean | undefined => {
    const view = board.view('core')
    return view && isKnown(view)
  }
  expect(isKnownOf(before)).toBe(false)
  before.setSearch('core', { is: 'failed', problem: 'Away.' })
  before.settle(at, 100, always)
  expect(isKnownOf(before)).toBe(false)
  before.setSearch('core', { is: 'answered', problem: undefined })
  before.settle(at, 100, always)
  expect(isKnownOf(before)).toBe(true)

  const state = before.view('core')?.state
  if (state === undefined) throw new Error('nothing was kept')
  const after = boardOf('core')
  after.restore('core', { state, spell: noSpell })
  after.setSearch('core', { is: 'failed', problem: 'Sightline is away.' })
  after.settle(at, 100, always)
  expect(after.standings()).toMatchObject([{ unread: undefined, isKept: true, status: 'empty' }])
  expect(isKnownOf(after)).toBe(true)
})

test.each([{ is: 'failed', problem: 'Away.' }, { is: 'unsupported' }] as const)(
  'what was kept stays, as what it was, while its builds can not be searched for (%j)',
  (search) => {
    const before = boardOf('core')
    before.take('core', build(1, 'failed'))
    before.settle(at, 100, always)
    const state = before.view('core')?.state
    if (state === undefined) throw new Error('nothing was kept')
    const board = boardOf('core')
    board.setSearch('core', search)
    board.settle(at, 100, always)
    board.restore('core', { state, spell: noSpell })
    board.settle(at, 100, always)
    const kept = { status: 'failing', isKept: true, isLoading: false, unread: search.is }
    expect(board.standings()).toMatchObject([kept])
    expect(board.view('core')).toSatisfy(isKnown)
    board.take('core', build(2, 'succeeded'))
    board.settle(at, 100, always)
    const seen = { status: 'healthy', isKept: false, unread: undefined }
    expect(board.standings()).toMatchObject([seen])
  },
)

test('what was kept beside a server that can not be searched ends after a week without a build', () => {
  const before = boardOf('core')
  before.take('core', build(1, 'failed'))
  before.settle(at, 100, always)
  const state = before.view('core')?.state
  if (state === undefined) throw new Error('nothing was kept')
  const board = boardOf('core')
  board.setSearch('core', { is: 'unsupported' })
  board.restore('core', { state, spell: noSpell })
  const week = 7 * 24 * 60 * minute
  const statusAfter = (ms: number) => {
    board.touchAll()
    board.settle({ ...at, now: begin + ms }, 100, always)
    return board.view('core')?.state.status
  }
  expect(statusAfter(week)).toBe('failing')
  expect(statusAfter(week + 2 * minute)).toBe('empty')
  expect(board.view('core')).not.toSatisfy(isKnown)
})

test('why it fails stays known of a tile that was kept, while its builds that are found again do not say', () => {
  const found = boardOf('core')
  const kept = boardOf('core')
  const failure = { message: 'expected 3', task: ':test' }
  kept.take('core', build(1, 'failed', { failure }))
  kept.settle(at, 100, always)
  const [standing] = kept.standings()
  const state = kept.view('core')?.state
  if (state === undefined || standing === undefined) throw new Error('nothing was kept')
  found.restore('core', { state, spell: standing.spell })
  found.settle(at, 100, always)
  found.take('core', build(1, 'failed'))
  found.setSearch('core', { is: 'answered', problem: undefined })
  found.settle(at, 100, always)
  const view = found.view('core')
  expect(view?.isKept).toBe(false)
  expect(view?.state.breaking?.cause).toEqual({ what: ':test', message: 'expected 3' })
  found.take('core', build(2, 'succeeded'))
  found.take('core', build(3, 'failed'))
  found.settle(at, 100, always)
  expect(found.view('core')?.state.breaking?.cause).toBeUndefined()
})

test('another day changes what today means for every tile', () => {
  const board = boardOf('a', 'b')
  board.take('a', build(1, 'succeeded', { durationMs: 1000 }))
  board.settle(at, 100, always)
  expect(board.view('a')?.state.durations.todayMs).toBe(1000)
  board.touchAll()
  expect(board.settle({ ...at, now: begin + 24 * 60 * minute }, 100, always).changed).toEqual([
    'a',
    'b',
  ])
  expect(board.view('a')?.state.durations.todayMs).toBeUndefined()
})

test('what is said of a tile that there is not is passed over', () => {
  const board = boardOf('core')
  board.take('none', build(1, 'failed'))
  board.setSearch('none', { is: 'unsupported' })
  board.filter('none', always)
  expect(board.settle(at, 100, always).changed).toEqual([])
  expect(board.view('none')).toBeUndefined()
})
