import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import type { BuildHeader } from '../../../facts/build-collector.ts'
import { commitOf } from '../../../facts/build-source.ts'
import { earlierBuilds, earlierSuccesses } from '../../../facts/builds-around.ts'
import { factsFromAttributes } from '../../../facts/facts-from-attributes.ts'
import { attributeLinks, attributeRows, type EnvironmentRow } from '../../../facts/environment.ts'
import { type FailureStreak, failureStreak, isLaterSuccess } from '../../../facts/failure-streak.ts'
import { mergedFacts } from '../../../facts/merged-facts.ts'
import { type BuildSummary, toBuildMessage } from '../../../protocol/build-data.ts'
import type { Facts } from '../../../protocol/facts.ts'
import type { BuildAnswers, BuildQuery } from '../../data/build/build-event-messages.ts'
import type { BuildEvents, BuildEventsView } from '../../data/build/build-events.ts'
import { buildsAroundQuery, buildSummaryQuery } from '../../data/builds/build-queries.ts'
import { createFeedFilter } from '../../data/live/feed-filter.ts'
import type { FeedRow, FeedSnapshot } from '../../data/live/feed-state.ts'
import type { BuildAddress, ChangeAddress } from './build-address.ts'
import { useBuildServices, useServices } from '../../data/core/services.ts'
import type { PartState } from '../../data/build/build-part-loader.ts'

/** All that is known of a build at this moment, from its events, its attributes and the feed. */
export interface Knowledge {
  readonly facts: Facts | undefined
  readonly header: BuildHeader | undefined
  /** What its attributes say of where and how it ran, and their links. */
  readonly attributes: Attributes | undefined
  readonly executions: BuildAnswers['executions'] | undefined
  /** The first test cases that failed and never passed, with why, and how many there are. */
  readonly failedTests: BuildAnswers['failed-tests'] | undefined
  readonly neighbours: Neighbours | undefined
  /** The last success of the same work on its branch; null where there is none, undefined while it isn't known. */
  readonly lastSuccess: Facts | null | undefined
  /** Of a failed build: the first success of the same work on its branch after it that the feed has, also one that has just come. */
  readonly laterSuccess: Facts | undefined
  /** Whether what its events say first was read, as far as it will be. */
  readonly isRead: boolean
  /** Whether no more facts are on their way, but for those of the feed. */
  readonly isSettled: boolean
  /** Whether also what failed, and the builds before it, are known, as far as they will be. */
  readonly isComplete: boolean
}

interface Attributes {
  readonly rows: readonly EnvironmentRow[]
  readonly links: BuildHeader['links']
}

const mostFailedTests = 3

/** Requests it and puts it together; what comes later fills in what is unknown so far. */
export function useKnowledge(events: BuildEvents, view: BuildEventsView): Knowledge {
  const { header: headerPart, executions: executionsPart } = view.parts
  const headerStamp = stampOf(headerPart)
  const headerAnswer = useAnswer(events, { kind: 'header' }, headerStamp)
  const header = headerAnswer.data ?? undefined
  // A stream may bring no Build message, or one that can't be read: then there is no header to wait for.
  const isHeaderRead = header !== undefined || headerStamp === undefined || headerAnswer.isFetched
  const { data: executions, isError: isUnread } = useAnswer(
    events,
    { kind: 'executions' },
    stampOf(executionsPart),
  )
  const hasFailedTests = (executions?.counts.test.failed ?? 0) > 0
  const { data: failedTests, isError: areTestsUnread } = useAnswer(
    events,
    { kind: 'failed-tests', most: mostFailedTests },
    hasFailedTests ? `${headerStamp} ${stampOf(executionsPart)}` : undefined,
  )
  const { summary, isFetched } = useAttributes(events.buildId, headerPart)
  const { feed } = useServices()
  const isLive = useSyncExternalStore(
    feed.subscribe,
    () => feed.getSnapshot().connection.state === 'live',
  )
  // What the feed knows is looked up once it has caught up, not with each build that arrives.
  const kept = useMemo(() => (isLive ? feed.getSnapshot() : undefined), [feed, isLive])
  // Events that broke off have no word of what would have come: its attributes are whole.
  const isBroken = headerPart.state === 'stopped'
  const facts = useMemo(() => {
    const ofEvents = header?.facts
    const ofAttributes =
      summary && factsFromAttributes(toBuildMessage(summary), summary.models ?? {})
    const sources = isBroken ? [ofAttributes, ofEvents] : [ofEvents, ofAttributes]
    return mergedFacts(...sources, kept && factsInFeed(kept, events.buildId))
  }, [header, summary, kept, events.buildId, isBroken])
  const attributes = useMemo(() => {
    const models = summary?.models
    return models && { rows: attributeRows(models), links: attributeLinks(models) }
  }, [summary])
  const isRead =
    headerPart.state !== 'idle' &&
    headerPart.state !== 'loading' &&
    (headerPart.state !== 'complete' || isHeaderRead)
  const isSettled = isRead && (headerPart.state === 'waiting' || isFetched)
  const laterSuccess = useLaterSuccess(facts?.outcome === 'failed' ? facts : undefined)
  const around = useAround(isSettled ? facts : undefined, kept)
  // Nothing waits for what was canceled, broke off, or will not be read.
  const hasNoExecutions =
    headerPart.state !== 'complete' ||
    headerStamp === undefined ||
    ['refused', 'stopped'].includes(executionsPart.state) ||
    isUnread ||
    areTestsUnread
  const isComplete =
    isSettled &&
    around.isFetched &&
    (hasNoExecutions ||
      (executionsPart.state === 'complete' &&
        executions !== undefined &&
        (!hasFailedTests || failedTests !== undefined)))
  return {
    facts,
    header,
    attributes,
    executions,
    failedTests,
    neighbours: around.neighbours,
    lastSuccess: around.lastSuccess,
    laterSuccess,
    isRead,
    isSettled,
    isComplete,
  }
}

/** What the data API knows of a build is waited for so long beside its events, ms: some servers never send it. */
const latestMs = 5000

/** Whether something has been waited for since it was first awaited, for as long as `ms`. */
export function useLate(isAwaited: boolean, ms: number): boolean {
  const { clock } = useServices()
  const [isLate, setLate] = useState(false)
  useEffect(
    () =>
      isAwaited
        ? clock.after(ms, () => {
            setLate(true)
          })
        : undefined,
    [clock, isAwaited, ms],
  )
  return isLate
}

/** While the server is still storing the build, its attributes may be had or not: they are requested again then. */
function useAttributes(
  buildId: string,
  headerPart: PartState,
): { readonly summary: BuildSummary | undefined; readonly isFetched: boolean } {
  const { request } = useServices()
  const query = buildSummaryQuery(request, buildId)
  const isWaiting = headerPart.state === 'waiting'
  const early = useQuery({ ...query, queryKey: [...query.queryKey, 'early'], enabled: isWaiting })
  const { data, isFetched } = useQuery({
    ...query,
    enabled: headerPart.state !== 'idle' && !isWaiting,
  })
  const isLate = useLate(headerPart.state === 'complete' && !isFetched, latestMs)
  return { summary: data ?? early.data, isFetched: isFetched || isLate }
}

/** The builds before it, and the last of them that succeeded, wherever that is found. */
function useAround(
  facts: Facts | undefined,
  kept: FeedSnapshot | undefined,
): Pick<Knowledge, 'neighbours' | 'lastSuccess'> & { readonly isFetched: boolean } {
  const { request, clock } = useServices()
  const { readFacts } = useBuildServices()
  const source = { request, readFacts, clock }
  const known = facts?.project && facts.outcome ? facts : undefined
  const before = useQuery(buildsAroundQuery(source, known, earlierBuilds))
  const neighbours = useMemo(
    () => facts && neighboursOf(facts, kept, before.data ?? []),
    [facts, kept, before.data],
  )
  const inRow = neighbours?.streak?.lastSuccess
  const isLonger = known !== undefined && before.isFetched && inRow === undefined
  const further = useQuery(
    buildsAroundQuery(source, isLonger ? known : undefined, successesOfBranch),
  )
  const found = useMemo(
    () => known && failureStreak(known, further.data ?? []).lastSuccess,
    [known, further.data],
  )
  const isFetched = known === undefined || (before.isFetched && (!isLonger || further.isFetched))
  const isLate = useLate(!isFetched, latestMs)
  const isWhole = isFetched && known !== undefined && !before.isError && !further.isError
  return {
    neighbours,
    lastSuccess: inRow ?? found ?? (isWhole ? null : undefined),
    // Nothing is looked for until the build itself is known.
    isFetched: isFetched || isLate,
  }
}

/** Looks only at what is new in the feed, not at all of it with each build. */
function useLaterSuccess(failed: Facts | undefined): Facts | undefined {
  const { feed } = useServices()
  const found = useMemo(() => {
    const isFix = ({ facts }: FeedRow): boolean =>
      failed !== undefined && facts !== undefined && isLaterSuccess(failed, facts)
    const fixes = createFeedFilter(feed, isFix)
    return {
      subscribe: fixes.subscribe,
      getSnapshot: () => {
        const [first = -1] = fixes.getSnapshot().arrivals
        return feed.getSnapshot().row(first)?.facts
      },
    }
  }, [feed, failed])
  return useSyncExternalStore(found.subscribe, found.getSnapshot)
}

/** See `earlierSuccesses`. */
export const successesOfBranch = (build: Facts) => earlierSuccesses(build, true)

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

/** What of a part has come, as a number that grows with it; undefined while nothing has. */
export function stampOf(part: PartState): number | undefined {
  return 'events' in part && (part.bytes > 0 || part.events > 0) ? part.events : undefined
}

/**
 * The answer to a query about a build's events, queried again when `stamp` changes; until there is
 * a new answer the old one stays. Nothing is queried while `stamp` is undefined.
 */
export function useAnswer<K extends BuildQuery['kind']>(
  events: BuildEvents,
  query: Extract<BuildQuery, { readonly kind: K }>,
  stamp: number | string | undefined,
): UseQueryResult<BuildAnswers[K]> {
  return useQuery({
    queryKey: ['build-answer', events.buildId, stamp, query],
    queryFn: () => events.query(query),
    enabled: stamp !== undefined,
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 10_000,
    retry: false,
  })
}

/** What is known of the builds around one. */
export interface Neighbours {
  readonly streak: FailureStreak | undefined
  /** Other builds of the same commit, the newest first. */
  readonly sameCommit: readonly Facts[]
}

const mostOfCommit = 5

/**
 * Finds them in what the feed keeps, and in `before`: builds of before this one, the newest first,
 * in which others may stand as well. A build of which too little is known has none.
 */
export function neighboursOf(
  build: Facts,
  feed: Pick<FeedSnapshot, 'oldest' | 'newest' | 'row'> | undefined,
  before: readonly Facts[],
): Neighbours {
  const commit = commitOf(build)
  const known = new Map(before.map((facts) => [facts.buildId, facts]))
  const sameCommit: Facts[] = []
  const [newest, oldest] = [feed?.newest ?? -1, feed?.oldest ?? 0]
  for (let arrival = newest; arrival >= oldest; arrival--) {
    const facts = feed?.row(arrival)?.facts
    if (facts === undefined || facts.buildId === build.buildId) continue
    if (commit !== undefined && sameCommit.length < mostOfCommit && commitOf(facts) === commit) {
      sameCommit.push(facts)
    }
    if (facts.project === build.project) known.set(facts.buildId, facts)
  }
  const earlier = [...known.values()]
    .filter(({ receivedAt }) => receivedAt <= build.receivedAt)
    .sort((a, b) => b.receivedAt - a.receivedAt)
  const isKnown = build.project !== undefined && build.project !== null
  return { sameCommit, streak: isKnown ? failureStreak(build, earlier) : undefined }
}

/** Where builds of a project and branch stand in the feed. */
export function feedAddress(facets: Readonly<Record<string, string>>): string {
  return `/?${new URLSearchParams(facets).toString()}`
}

/**
 * Has read what the page needs, in the order of its need: what every build has and why it failed
 * first, what was executed as soon as that begins to come, raw events only where they are looked at.
 */
export function useBuildLoading(
  events: BuildEvents,
  { parts }: BuildEventsView,
  tab: BuildAddress['tab'] | undefined,
  types: readonly string[],
): void {
  const { header, executions, log } = parts
  useEffect(() => {
    if (header.state === 'idle') events.load('header')
  }, [events, header.state])

  // A server may also say that there is nothing at all.
  const hasBegun = 'bytes' in header && (header.bytes > 0 || header.state === 'complete')
  useEffect(() => {
    if (hasBegun && executions.state === 'idle') events.load('executions')
  }, [events, hasBegun, executions.state])

  const isLogWanted = tab === 'events' && hasBegun && log.state === 'idle'
  const wanted = types.join(',')
  useEffect(() => {
    if (isLogWanted) events.loadLog(wanted === '' ? undefined : wanted.split(','))
  }, [events, isLogWanted, wanted])
}

/** What a part of the page is made from. */
export interface TabProps {
  readonly events: BuildEvents
  readonly view: BuildEventsView
  readonly knowledge: Knowledge
  readonly address: BuildAddress
  readonly change: ChangeAddress
}
