import { describe, expect, test } from 'vitest'
import type { TileClaim } from '../protocol/claim.ts'
import type { Facts } from '../protocol/facts.ts'
import { peopleOf } from './tile-claim.ts'
import { addBuild, noBuilds } from './tile-builds.ts'
import { tileState } from './tile-state.ts'

const minute = 60_000
const start = Date.UTC(2026, 0, 5, 9)

/** Builds of one work, a minute apart from `start` on: `F` failed, `.` succeeded. */
function stateAfter(outcomes: string) {
  const builds = Array.from({ length: outcomes.length }, (_, index): Facts => ({
    buildId: `b${index}`,
    receivedAt: start + index * minute,
    buildTool: 'gradle',
    buildToolVersion: '9',
    agentVersion: '4',
    outcome: outcomes.charAt(index) === 'F' ? 'failed' : 'succeeded',
  }))
  const now = start + outcomes.length * minute
  return tileState(builds.reduce(addBuild, noBuilds), { now, timeZone: 'UTC' })
}

function said(at: number, until: number | null = null): TileClaim {
  const createdAt = start + at * minute
  const reason = until === null ? null : 'known flaky network'
  const ends = until === null ? null : start + until * minute
  return {
    tile: 'project:shop',
    kind: until === null ? 'claim' : 'sleep',
    by: 'Ann',
    createdAt,
    failingSince: null,
    reason,
    until: ends,
  }
}

describe('what people say of a failing tile', () => {
  test.each<[string, string, TileClaim, number, boolean]>([
    ['holds while it fails', '.F', said(2), 3, true],
    ['holds however often it fails again', '.FFFF', said(2), 6, true],
    ['holds from the moment of the failure on', '.F', said(1), 3, true],
    ['ends with a success', '.F.', said(2), 4, false],
    ['says nothing of the next failure', '.F.F', said(2), 5, false],
    ['of the next failure holds again', '.F.F', said(4), 5, true],
    ['says nothing where nothing fails', '...', said(1), 4, false],
    ['holds where nobody knows when it began to fail', 'FFF', said(-5), 4, true],
    ['that sleeps lasts until its time', '.F', said(2, 10), 9, true],
    ['that sleeps ends at its time', '.F', said(2, 10), 10, false],
    ['that sleeps ends with a success before that', '.F.', said(2, 10), 4, false],
  ])('%s', (_, outcomes, claim, now, isHeld) => {
    const people = peopleOf([claim], stateAfter(outcomes), start + now * minute)
    expect(people).toEqual(isHeld ? { [claim.kind]: claim } : {})
  })

  test.each([
    ['ahead', -60],
    ['behind', 60],
  ])('holds of its own failure and no other where the build server is %s', (_, at) => {
    const claim = { ...said(at), failingSince: start + minute }
    const people = (outcomes: string) => peopleOf([claim], stateAfter(outcomes), start)
    expect(people('.F')).toEqual({ claim })
    expect(people('.FFF')).toEqual({ claim })
    expect(people('.F.')).toEqual({})
    expect(people('.F.F')).toEqual({})
    // Where the first failures are forgotten.
    expect(people('FFF')).toEqual({ claim })
  })

  test('is both that somebody is on it and that it sleeps', () => {
    const [claim, sleep] = [said(2), said(3, 10)]
    expect(peopleOf([sleep, claim], stateAfter('.F'), start)).toEqual({ claim, sleep })
  })
})
