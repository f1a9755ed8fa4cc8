import fc from 'fast-check'
import { tileBuildsOf } from './tile-laws.test-support.ts'
import { expect, test } from 'vitest'
import { runs } from '../property-runs.test-support.ts'
import type { Facts } from '../protocol/facts.ts'
import { tileState, type TileMoment, type TileState } from './tile-state.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
/** A Monday, midnight UTC. */
const monday = Date.UTC(2026, 0, 5)

/** A build of main that was received so many hours after that midnight. */
function build(hours: number, outcome: 'succeeded' | 'failed' = 'succeeded'): Facts {
  const receivedAt = monday + Math.round(hours * hour)
  return {
    buildId: `b${String(Math.floor(receivedAt / 1000)).padStart(12, '0')}`,
    receivedAt,
    buildTool: 'gradle',
    buildToolVersion: '9',
    agentVersion: '4',
    project: 'nightly',
    outcome,
    requested: ['check'],
    tags: ['CI', 'main'],
    values: [{ name: 'Git branch', value: 'main' }],
  }
}

/** Every so many hours from an hour on, so often; some minutes early or late, as builds are. */
function every(hours: number, from: number, count: number): number[] {
  const jitter = [0, 4, 1, 7, 2, 5, 3]
  return Array.from({ length: count }, (_, n) => from + n * hours + (jitter[n % 7] ?? 0) / 60)
}

/** Nights at two o'clock, without those of the days of the week that are left out; 0 is Monday. */
const nights = (count: number, without: readonly number[] = []): number[] =>
  every(24, 2, count).filter((_, index) => !without.includes(index % 7))

/** Every hour from 8 to 18, Monday to Friday. */
const officeHours = (days: number): number[] =>
  Array.from({ length: days }, (_, index) => index)
    .filter((index) => index % 7 < 5)
    .flatMap((index) => every(1, index * 24 + 8, 11))

interface RhythmLaw {
  readonly law: string
  /** When its builds were received, hours after that Monday. */
  readonly at: readonly number[]
  /** When somebody looks, and when the server last delivered another build. */
  readonly now: number
  readonly heard?: number | undefined
  readonly state: Partial<TileState>
}

const silent = { status: 'silent' } as const
const well = { status: 'healthy', silent: undefined } as const
/** Day and hour. */
const on = (days: number, hours: number): number => days * 24 + hours

const laws: readonly RhythmLaw[] = [
  { law: 'a nightly that is 26 h late is silent', at: nights(10), now: on(11, 4), state: silent },
  { law: 'for two hours it may be late', at: nights(10), now: on(10, 4), state: well },
  { law: 'then it is silent', at: nights(10), now: on(10, 4.5), state: silent },
  {
    law: 'not while the server delivers nothing else',
    at: nights(10),
    now: on(11, 4),
    heard: on(10, 1),
    state: well,
  },
  {
    law: 'not where nothing is heard at all',
    at: nights(10),
    now: on(11, 4),
    heard: -1,
    state: well,
  },
  {
    law: 'a clock that jumps ahead makes nothing late',
    at: nights(10),
    now: on(400, 0),
    heard: on(9, 12),
    state: well,
  },
  {
    law: 'nor does one that jumps back',
    at: nights(10),
    now: on(2, 0),
    heard: on(9, 12),
    state: well,
  },
  {
    law: 'a nightly of working days is not missed at the weekend',
    at: nights(12, [5, 6]),
    now: on(13, 20),
    state: well,
  },
  {
    law: 'but on Monday it is',
    at: nights(12, [5, 6]),
    now: on(14, 5),
    state: silent,
  },
  {
    law: 'the first weekend of a project is one that nothing is known of',
    at: nights(5),
    now: on(6, 20),
    state: well,
  },
  {
    law: 'a nightly with a matrix of jobs is one night',
    at: nights(8).flatMap((at) => [at, at + 0.2, at + 1.5, at + 3]),
    now: on(9, 12),
    state: silent,
  },
  {
    law: 'a nightly that moved by an hour with the clocks is still a nightly',
    at: [...nights(10), ...every(24, on(10, 1), 6)],
    now: on(16, 3.9),
    state: well,
  },
  {
    law: 'a nightly that only builds what has changed is not missed',
    at: nights(14).filter((_, index) => index % 3 !== 1),
    now: on(15, 12),
    state: well,
  },
  { law: 'three nights are no rhythm yet', at: nights(3), now: on(4, 12), state: well },
  {
    law: 'a paused job is missed for a week, and then no more',
    at: nights(10),
    now: on(16, 12),
    state: silent,
  },
  { law: 'as it was switched off', at: nights(10), now: on(18, 12), state: well },
  {
    law: 'what is built once a week is missed after a week',
    at: every(7 * 24, 2, 5),
    now: on(35, 12),
    state: silent,
  },
  {
    law: 'and not before',
    at: every(7 * 24, 2, 5),
    now: on(34, 12),
    state: well,
  },
  { law: 'an hourly job is late after two hours', at: every(1, 0, 50), now: 51.5, state: silent },
  { law: 'and not after one and a half', at: every(1, 0, 50), now: 50.5, state: well },
  {
    law: 'one that has been seen for less than a day may have a night',
    at: every(1, 8, 12),
    now: 23,
    state: well,
  },
  {
    law: 'an hourly job with nights is not missed at night',
    at: officeHours(3),
    now: on(3, 7),
    state: well,
  },
  {
    law: 'nor at the first weekend',
    at: officeHours(5),
    now: on(6, 23),
    state: well,
  },
  {
    law: 'nor on Monday morning',
    at: officeHours(5),
    now: on(7, 8.5),
    state: well,
  },
  {
    law: 'but on Monday afternoon',
    at: officeHours(5),
    now: on(7, 16),
    state: silent,
  },
  {
    law: 'what runs at weekends, too, is missed at weekends',
    at: every(1, on(3, 0), 60),
    now: on(5, 15),
    state: silent,
  },
  {
    law: 'builds of people, who push when they like, have no rhythm',
    at: [0, 0.4, 3, 3.2, 9, 9.5, 9.9, 24, 26, 27, 33, 33.3, 48, 57, 57.5, 58, 60],
    now: 90,
    state: well,
  },
  {
    law: 'nor does a busy project, of which a build comes every minute',
    at: every(1 / 60, 0, 60),
    now: 30,
    state: well,
  },
]

function stateOf({ at, now, heard = now }: RhythmLaw, outcome?: 'failed'): TileState {
  const last = at.at(-1)
  const builds = at.map((hours) => build(hours, hours === last ? outcome : undefined))
  const heardAt = heard < 0 ? undefined : monday + heard * hour
  return tileState(tileBuildsOf(builds), { now: monday + now * hour, timeZone: 'UTC', heardAt })
}

test.each(laws)('$law', (law) => {
  expect(stateOf(law)).toMatchObject(law.state)
})

test('a failing tile that is silent stays red, and says both', () => {
  const law = { law: '', at: nights(10), now: on(11, 4), state: silent }
  const state = stateOf(law, 'failed')
  expect(state).toMatchObject({ status: 'failing', silent: { everyMs: day } })
  expect(stateOf(law).silent?.dueAt).toBeGreaterThanOrEqual(monday + on(10, 2) * hour)
})

test('however builds come, a tile is never late for what came just now, nor by the clock of who looks', () => {
  const moment = fc.double({ min: 0, max: 400, noNaN: true })
  fc.assert(
    fc.property(
      fc.array(moment, { minLength: 1, maxLength: 70 }),
      moment,
      moment,
      (at, now, heard) => {
        const tile = tileBuildsOf(at.map((hours) => build(hours)))
        const look = (more: Partial<TileMoment>) =>
          tileState(tile, { now: monday + now * hour, timeZone: 'UTC', ...more }).silent
        const newest = monday + Math.max(...at) * hour
        expect(look({ heardAt: newest })).toBeUndefined()
        const heardAt = monday + heard * hour
        const found = look({ heardAt })
        expect(look({ heardAt, now: monday })).toEqual(found)
        if (found !== undefined) {
          expect(found.dueAt).toBeGreaterThan(newest)
          expect(found.dueAt).toBeLessThan(heardAt)
        }
      },
    ),
    { numRuns: runs(300) },
  )
})
