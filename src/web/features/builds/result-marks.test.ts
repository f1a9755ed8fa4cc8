import { describe, expect, test } from 'vitest'
import type { FeedRow, FeedView } from '../../data/live/feed-state.ts'
import { mayHaveMatch } from './result-marks.tsx'

type Known = Pick<FeedView, 'connection' | 'oldest' | 'newest' | 'row'>

/** A live feed of builds of these projects, from arrival 1 on; undefined has no facts yet. */
function feedOf(
  projects: readonly (string | undefined)[],
  state: 'live' | 'connecting' = 'live',
): Known {
  const build = {
    buildId: 'b000000000001',
    timestamp: 1,
    toolType: 'gradle',
    toolVersion: '9',
    agentVersion: '4',
  }
  const facts = (project: string) => ({
    buildId: build.buildId,
    buildTool: 'gradle',
    buildToolVersion: '9',
    agentVersion: '4',
    receivedAt: 1,
    project,
  })
  const rows = projects.map((project, index): FeedRow => ({
    arrival: index + 1,
    build,
    facts: project === undefined ? undefined : facts(project),
  }))
  return {
    connection: { state },
    oldest: 1,
    newest: rows.length,
    row: (arrival) => rows[arrival - 1],
  }
}

const shop = {
  mayMatch: ({ project }: { project?: string | null | undefined }) => project === 'shop',
}

describe('the list is requested for newer builds', () => {
  test.each([
    ['where one that arrived since matches', ['bank', 'shop'], 1, true],
    ['not where those that arrived since do not match', ['shop', 'bank'], 1, false],
    ['not where nothing arrived', ['shop'], 1, false],
    ['where it is not known yet what arrived', ['shop', undefined], 1, true],
  ])('%s', (_, projects, seen, isWanted) => {
    expect(mayHaveMatch(feedOf(projects), seen, shop)).toBe(isWanted)
  })

  test('where the feed is not live, or has dropped some of them', () => {
    expect(mayHaveMatch(feedOf(['bank'], 'connecting'), 1, shop)).toBe(true)
    expect(mayHaveMatch({ ...feedOf(['bank', 'bank']), oldest: 3 }, 1, shop)).toBe(true)
  })
})
