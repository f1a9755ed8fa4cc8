import { expect, test } from 'vitest'
import type { Facts } from '../../../protocol/facts.ts'
import { standingsOf } from './standings.ts'

const plain: Facts = {
  buildId: 'b000000000000',
  receivedAt: 1,
  buildTool: 'gradle',
  buildToolVersion: '9',
  agentVersion: '4',
}

test('what fails most and what takes longest stand out', () => {
  const builds: Facts[] = [
    { ...plain, outcome: 'failed', project: 'a', durationMs: 5 },
    { ...plain, outcome: 'failed', project: 'b', durationMs: 9, buildId: 'slow000000000' },
    { ...plain, outcome: 'failed', project: 'b', durationMs: 9 },
    { ...plain, outcome: 'failed', project: null },
    { ...plain, outcome: 'succeeded', project: 'a' },
    plain,
  ]
  const standings = standingsOf(builds)
  expect(standings).toMatchObject({ total: 6, failed: 4, succeeded: 1, unknown: 1 })
  expect(standings.mostFailing).toEqual({ project: 'b', failed: 2 })
  expect(standings.slowest?.buildId).toBe('slow000000000')
})

test('of nothing nothing stands out', () => {
  expect(standingsOf([])).toMatchObject({ total: 0, mostFailing: undefined, slowest: undefined })
})
