import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ExecutionOutcome } from './execution.ts'
import { createExecutionTable } from './execution-table.ts'
import { inView, laneSpans, spanTones, timeSpan, toneOf } from './timeline.ts'

interface Row {
  readonly path: string
  readonly at: number
  readonly length: number | null
  readonly outcome: ExecutionOutcome
}

/** A table of executions that start one after the other. */
function table(rows: readonly Row[]) {
  const made = createExecutionTable()
  const places = rows.map(({ path, at }, index) =>
    made.start(path.startsWith(':') ? 'task' : 'test', at, {
      id: String(index),
      name: path,
      className: path.startsWith(':') ? `${path}Class` : null,
      task: null,
    }),
  )
  rows.forEach(({ at, length, outcome }, index) => {
    if (length === null) return
    const ending = { outcome, rawOutcome: null, originMs: null, failureId: null }
    made.finish(places[index] ?? 0, at + length, { ...ending, cache: { kind: 'missed' } })
  })
  return made
}

const rows: readonly Row[] = [
  { path: ':a', at: 10, length: 50, outcome: 'succeeded' },
  { path: ':App', at: 20, length: 5, outcome: 'failed' },
  { path: 'test', at: 30, length: 80, outcome: 'succeeded' },
  { path: ':b', at: 40, length: null, outcome: 'unfinished' },
]

describe('a view of executions', () => {
  const all = table(rows)
  const seen = (view: Partial<Parameters<typeof inView>[1]>): (string | undefined)[] =>
    Array.from(inView(all, { order: 'start', ...view }), (place) => rows[place]?.path)

  test('is in the order of their starts, or the longest first', () => {
    expect(seen({})).toEqual([':a', ':App', 'test', ':b'])
    expect(seen({ order: 'duration' })).toEqual(['test', ':a', ':App', ':b'])
  })

  test('is by outcome what failed or has not ended, then what ran, each in the order of the starts', () => {
    expect(seen({ order: 'outcome' })).toEqual([':App', ':b', ':a', 'test'])
  })

  test('keeps those of the same length in the order of their starts', () => {
    const alike = table(
      [':a', ':b', ':c'].map((path, at) => ({ path, at, length: 5, outcome: 'succeeded' })),
    )
    expect([...inView(alike, { order: 'duration' })]).toEqual([0, 1, 2])
  })

  test('is narrowed by kind, outcome, cache, time and name', () => {
    expect(seen({ kinds: ['test'] })).toEqual(['test'])
    expect(seen({ outcomes: ['failed', 'unfinished'] })).toEqual([':App', ':b'])
    expect(seen({ cache: ['unknown'] })).toEqual([':b'])
    expect(seen({ from: 26, to: 35 })).toEqual([':a', 'test'])
    expect(seen({ search: ' APP ' })).toEqual([':App'])
    expect(seen({ search: ':bclass' })).toEqual([':b'])
  })

  test('spans from the first start to the last end', () => {
    expect(timeSpan(all)).toEqual({ from: 10, to: 110 })
    expect(timeSpan(table([]))).toBeUndefined()
  })
})

describe('stretches of lanes', () => {
  test('merge what falls on the same columns, and show the worst of it', () => {
    const all = table([
      { path: ':a', at: 0, length: 100, outcome: 'succeeded' },
      { path: ':b', at: 100, length: 1, outcome: 'failed' },
      { path: ':c', at: 102, length: 98, outcome: 'up-to-date' },
    ])
    const places = inView(all, { order: 'start' })
    expect(laneSpans(all, places, { from: 0, to: 200 }, 10, 4)).toEqual({
      worked: [0, 0, 5],
      failed: [1, 5, 6],
      avoided: [2, 5, 10],
      unknown: [],
    })
  })

  test('cover every execution within the drawing, and stay within it', () => {
    const row = fc.record({
      path: fc.constant(':x'),
      at: fc.nat(1000),
      length: fc.option(fc.nat(300)),
      outcome: fc.constantFrom<ExecutionOutcome>('failed', 'succeeded', 'from-cache'),
    })
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 30 }),
        fc.integer({ min: 1, max: 40 }),
        (many, columns) => {
          const all = table(many)
          const span = { from: 0, to: 1300 }
          const drawn = laneSpans(all, inView(all, { order: 'start' }), span, columns, 8)
          const cells = new Set<string>()
          for (const tone of spanTones) {
            const list = drawn[tone]
            for (let index = 0; index < list.length; index += 3) {
              const [lane = 0, from = 0, to = 0] = list.slice(index, index + 3)
              expect(from).toBeLessThan(to)
              expect(to).toBeLessThanOrEqual(columns)
              for (let column = from; column < to; column++) {
                expect(cells.has(`${lane} ${column}`)).toBe(false)
                cells.add(`${lane} ${column}`)
              }
            }
          }
          for (let place = 0; place < all.length(); place++) {
            if (all.laneAt(place) >= 8) continue
            const column = Math.min(columns - 1, Math.floor(all.startAt(place) / (1300 / columns)))
            expect(cells.has(`${all.laneAt(place)} ${column}`)).toBe(true)
          }
          expect(toneOf('other')).toBe('unknown')
        },
      ),
    )
  })
})
