import type { FeedRow } from '../../data/live/feed-snapshot.ts'
import type { Facts } from '../../../protocol/facts.ts'
import type { Answer } from '../../../search/match.ts'

/**
 * How a row stands to the query that is followed: it matches, or does not; nobody can say as long as
 * its facts are on their way (`waiting`); or its facts came and do not tell (`untold`).
 */
export type RowMatch = 'yes' | 'no' | 'waiting' | 'untold'

/** How a row stands to a query. What its build announced of itself is known without facts. */
export function matchOf(row: FeedRow, query: (facts: Facts) => Answer): RowMatch {
  const answer = query(row.facts ?? announced(row))
  if (answer !== 'unknown') return answer
  return row.facts === undefined ? 'waiting' : 'untold'
}

function announced({ build }: FeedRow): Facts {
  return {
    buildId: build.buildId,
    receivedAt: build.timestamp,
    buildTool: build.toolType,
    buildToolVersion: build.toolVersion,
    agentVersion: build.agentVersion,
  }
}
