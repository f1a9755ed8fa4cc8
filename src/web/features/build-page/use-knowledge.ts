import { skipToken, useQuery } from '@tanstack/react-query'
import { useMemo, useSyncExternalStore } from 'react'
import type { BuildHeader } from '../../../facts/build-header.ts'
import { factsFromAttributes } from '../../../facts/facts-from-attributes.ts'
import { mergedFacts } from '../../../facts/merged-facts.ts'
import { toBuildMessage } from '../../../protocol/build-summary.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { earlierBuildsQuery } from '../../data/builds/build-earlier.ts'
import { buildSummaryQuery } from '../../data/build/build-summary.ts'
import type { BuildAnswers } from '../../data/build/build-event-messages.ts'
import type { BuildEvents, BuildEventsView } from '../../data/build/build-events.ts'
import type { FeedSnapshot } from '../../data/live/feed-snapshot.ts'
import { useRequest } from '../../data/core/request-context.ts'
import { useFeed } from '../../data/live/use-feed.ts'
import { type Neighbours, neighboursOf } from './neighbours.ts'
import { stampOf, useAnswer } from './use-answer.ts'

/** All that is known of a build at this moment, from its events, its attributes and the feed. */
export interface Knowledge {
  readonly facts: Facts | undefined
  readonly header: BuildHeader | undefined
  readonly executions: BuildAnswers['executions'] | undefined
  /** The first test cases that failed and never passed, and how many there are. */
  readonly failedTests: BuildAnswers['tests'] | undefined
  readonly neighbours: Neighbours | undefined
}

const mostFailedTests = 3

/** Asks for it and puts it together; what comes later fills in what is not known yet. */
export function useKnowledge(events: BuildEvents, view: BuildEventsView): Knowledge {
  const request = useRequest()
  const { header: headerPart, executions: executionsPart } = view.parts
  const header = useAnswer(events, { kind: 'header' }, stampOf(headerPart)).data ?? undefined
  const executions = useAnswer(events, { kind: 'executions' }, stampOf(executionsPart)).data
  const hasFailedTests = (executions?.counts.test.failed ?? 0) > 0
  const { data: failedTests } = useAnswer(
    events,
    { kind: 'tests', outcomes: ['failed'], search: '', from: 0, count: mostFailedTests },
    hasFailedTests ? stampOf(executionsPart) : undefined,
  )
  // While the server is still storing the build, its attributes are not to be had either.
  const isStored = headerPart.state !== 'idle' && headerPart.state !== 'waiting'
  const summary = useQuery({
    ...buildSummaryQuery(request, events.buildId),
    enabled: isStored,
  }).data

  const feed = useFeed()
  const isLive = useSyncExternalStore(
    feed.subscribe,
    () => feed.getSnapshot().connection.state === 'live',
  )
  // What the feed knows is looked up once it has caught up, not with each build that arrives.
  const kept = useMemo(() => (isLive ? feed.getSnapshot() : undefined), [feed, isLive])
  const facts = useMemo(
    () =>
      mergedFacts(
        header?.facts,
        summary && factsFromAttributes(toBuildMessage(summary), summary.models ?? {}),
        kept && factsInFeed(kept, events.buildId),
      ),
    [header, summary, kept, events.buildId],
  )
  const told = facts?.project && facts.outcome ? facts : undefined
  const { data: before } = useQuery(
    told === undefined
      ? { queryKey: ['build-earlier', events.buildId], queryFn: skipToken }
      : earlierBuildsQuery(request, told),
  )
  const neighbours = useMemo(
    () => facts && neighboursOf(facts, kept, before ?? []),
    [facts, kept, before],
  )
  return { facts, header, executions, failedTests, neighbours }
}

function factsInFeed(
  feed: Pick<FeedSnapshot, 'oldest' | 'newest' | 'row'>,
  buildId: string,
): Facts | undefined {
  for (let arrival = feed.newest; arrival >= feed.oldest; arrival--) {
    const row = feed.row(arrival)
    if (row?.build.buildId === buildId) return row.facts
  }
  return undefined
}
