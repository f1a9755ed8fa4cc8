import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { BuildMessage } from '../../../protocol/build-message.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { createFeedRows } from './feed-rows.ts'

const idOf = (number: number): string => number.toString(36).padStart(13, '0')

function build(number: number, more: Record<string, unknown> = {}): BuildMessage {
  return {
    buildId: idOf(number),
    timestamp: 1_780_000_000_000 + number,
    toolType: number % 2 === 0 ? 'gradle' : 'maven',
    toolVersion: `9.${number % 5}`,
    agentVersion: '4.2',
    ...more,
  }
}

function facts(number: number, user: string): Facts {
  return {
    buildId: idOf(number),
    receivedAt: 1,
    buildTool: 'gradle',
    buildToolVersion: '9',
    agentVersion: '4.2',
    user,
  }
}

describe('the rows of the feed', () => {
  test('are numbered from 1 as they arrive', () => {
    const rows = createFeedRows(10)
    expect([rows.oldest(), rows.newest()]).toEqual([1, 0])
    expect(rows.add(build(7))).toBe(true)
    expect(rows.row(1)).toEqual({ arrival: 1, build: build(7), facts: undefined })
    expect(rows.row(0)).toBeUndefined()
    expect(rows.row(2)).toBeUndefined()
  })

  test('are the same objects until facts come', () => {
    const rows = createFeedRows(10)
    rows.add(build(7))
    const before = rows.row(1)
    expect(rows.row(1)).toBe(before)
    expect(rows.join(facts(7, 'ann'))).toBe(before)
    expect(rows.row(1)?.facts?.user).toBe('ann')
    expect(rows.row(1)).not.toBe(before)
  })

  test('keep a build with more fields than are known as it is', () => {
    const rows = createFeedRows(2)
    const odd = build(1, { region: 'eu', list: [1] })
    rows.add(odd)
    expect(rows.row(1)?.build).toEqual(odd)
    for (const number of [2, 3, 4]) rows.add(build(number))
    expect(rows.row(3)?.build).toEqual(build(3))
  })

  test('keep builds of so many versions that they are no vocabulary', () => {
    const rows = createFeedRows(20_000)
    const many = Array.from({ length: 12_000 }, (_, n) => build(n, { toolVersion: `v${n}` }))
    for (const one of many) rows.add(one)
    for (const n of [0, 5000, 9999, 10_001, 11_999]) expect(rows.row(n + 1)?.build).toEqual(many[n])
  })

  test('behave like a list of builds without repeats, cut at the front', () => {
    const step = fc.record({ id: fc.nat(40), kind: fc.constantFrom('add', 'add', 'join') })
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.array(step, { maxLength: 200 }),
        (limit, steps) => {
          const rows = createFeedRows(limit)
          let kept: { id: number; arrival: number; user: string | undefined }[] = []
          let arrivals = 0
          steps.forEach(({ id, kind }, at) => {
            const known = kept.find((one) => one.id === id)
            if (kind === 'join') {
              expect(rows.join(facts(id, `u${at}`)) !== undefined).toBe(known !== undefined)
              if (known !== undefined) known.user = `u${at}`
              return
            }
            expect(rows.add(build(id))).toBe(known === undefined)
            if (known === undefined) {
              kept = [...kept, { id, arrival: (arrivals += 1), user: undefined }].slice(-limit)
            }
          })
          expect(rows.newest()).toBe(arrivals)
          expect(rows.oldest()).toBe(kept[0]?.arrival ?? 1)
          for (const { id, arrival, user } of kept) {
            expect(rows.arrivalOf(idOf(id))).toBe(arrival)
            const row = rows.row(arrival)
            expect(row?.build).toEqual(build(id))
            expect(row?.arrival).toBe(arrival)
            expect(row?.facts?.user).toBe(user)
          }
          expect(rows.row(rows.oldest() - 1)).toBeUndefined()
          for (let id = 0; id <= 40; id++) {
            if (!kept.some((one) => one.id === id)) expect(rows.arrivalOf(idOf(id))).toBeUndefined()
          }
        },
      ),
      { numRuns: 500 },
    )
  })
})
