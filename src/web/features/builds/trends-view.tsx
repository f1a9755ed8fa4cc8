import { Button, Group, Skeleton, Stack } from '@mantine/core'
import { skipToken, useQuery } from '@tanstack/react-query'
import { type ReactElement, useEffect, useMemo, useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { DurationStep } from '../../../facts/insight/duration-step.ts'
import type { FoldedTrends } from '../../../facts/insight/trends.ts'
import type { BuildTrends } from '../../../protocol/insight.ts'
import { applyEdits } from '../../../search/diagnostic.ts'
import { addTerm } from '../../../search/edit.ts'
import { parse } from '../../../search/parse.ts'
import { toApiQuery } from '../../../search/to-api.ts'
import { useSearchState } from '../../data/core/search-state.ts'
import { noSearch } from '../../data/builds/build-search.ts'
import { useBuildServices } from '../../data/core/services.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { durationText, viewerZone, type Zone } from '../../ui/format.ts'
import { InlineSelect } from '../../ui/inline-select.tsx'
import { EmptyState } from '../../ui/page.tsx'
import layout from '../../ui/page.module.css'
import { useTicker } from '../../ui/time.tsx'
import { groupTerm } from './group-term.ts'
import { isComplete, periodText, uncountedText } from './search-sentence.ts'
import { insightAddress, searchAddress, trendGrouping } from './search-address.ts'
import {
  CachesProgress,
  EarlierProgress,
  InsightNotices,
  InsightProgress,
  type LookupBudget,
} from './insight-progress.tsx'
import {
  comparedText,
  countBefore,
  countedText,
  noneWithinText,
  outsideText,
  stepHeadline,
  stepText,
  totalOf,
  trendsSentence,
} from './insight-sentence.ts'
import css from './insight.module.css'
import {
  pastRange,
  rangeBefore,
  startRange,
  withoutStart,
  withStart,
  withStartRange,
} from './query-time.ts'
import { NothingFound } from './search-notices.tsx'
import { outlyingText } from './time-chart.tsx'
import { TrendCharts, TrendTable } from './trend-charts.tsx'
import { shapeBefore, trendShape } from './trend-shape.ts'
import {
  type Insight,
  isReading,
  useCalmStamp,
  useInsight,
  useInsightAnswer,
  useCountingSilence,
} from './use-insight.ts'
import { type SearchPage, useClockAhead } from './use-search-page.ts'

type Grouping = ReturnType<typeof trendGrouping>

const groupingLabels = { project: 'Project', branch: 'Branch' } as const

/** How the builds of the query changed over time, beside the time before. */
export function TrendsView({ page }: { page: SearchPage }): ReactElement {
  const [address, change] = useSearchState(insightAddress)
  const by = trendGrouping(address)
  const choice = (
    <InlineSelect
      label="Compare by"
      value={by ?? ''}
      onChange={(next) => {
        change({ by: next === 'project' || next === 'branch' ? next : undefined })
      }}
    >
      <option value="">All builds</option>
      <option value="project">Project</option>
      <option value="branch">Branch</option>
    </InlineSelect>
  )
  return <TrendsBy key={by ?? ''} page={page} by={by} choice={choice} />
}

function TrendsBy({
  page,
  by,
  choice,
}: {
  page: SearchPage
  by: Grouping
  choice: ReactElement
}): ReactElement {
  const { zone } = usePreferences()
  const { query, timeZone, run, refine } = page
  const range = useRange(page)
  const insight = useInsight(page.isFaulty ? undefined : query.text, timeZone)
  const stamp = useCalmStamp(insight)
  const span = useInsightAnswer(insight, { kind: 'span' }, stamp).data
  const within = range ?? (span ? { from: span.from, to: span.to + 1 } : undefined)
  const shape = within === undefined ? undefined : trendShape(within, viewerZone(zone))
  const folded = useInsightAnswer(
    insight,
    shape === undefined ? undefined : { kind: 'trends', request: { ...shape, by } },
    stamp,
  ).data
  const steps = useInsightAnswer(insight, { kind: 'steps' }, stamp).data ?? noSteps

  const { trends: server, isAbsent } = useServerTrends(page, by, range)
  // Without a time of its own the query has one once its newest builds are read, or counted.
  const counted = server?.isAll === false ? server : isAbsent && isCut(insight) ? span : undefined
  const compared = range ?? (counted ? { from: counted.from, to: counted.to + 1 } : undefined)
  const earlier = compared === undefined || page.isFaulty ? undefined : rangeBefore(compared)
  const earlierText =
    earlier === undefined ? undefined : withStartRange(query, earlier.from, earlier.to)
  const insightBefore = useInsight(isAbsent ? earlierText : undefined, timeZone)
  const foldedBefore = useInsightAnswer(
    insightBefore,
    shape === undefined || earlier === undefined
      ? undefined
      : { kind: 'trends', request: { ...shapeBefore(shape, earlier.to, viewerZone(zone)), by } },
  ).data

  const { trends: serverBefore, isAbsent: isBeforeAbsent } = useServerTrends(
    page,
    by,
    earlier,
    server !== undefined && earlier !== undefined,
  )
  const caches = useCaches(insight, isAbsent)
  const cachesBefore = useCaches(insightBefore, isAbsent && earlier !== undefined)
  const now = server === undefined || server.builds === 0 ? (folded ?? server) : server
  const allBefore = server === undefined ? foldedBefore : serverBefore
  const before = allBefore?.builds === 0 ? undefined : allBefore
  const uncounted = isBeforeAbsent ? 'unread' : 'reading'
  const buildsBefore =
    allBefore?.builds ?? (server === undefined ? countBefore(insightBefore.list) : uncounted)
  const isReadingBefore = server === undefined && isReading(insightBefore.list)
  const period = earlier === undefined ? '' : durationText(earlier.to - earlier.from)
  const sentence = sentenceOf(now, before, steps, zone, earlier)
  const isByInsight = server === undefined && range === undefined
  const outside = folded?.outside ?? 0
  const leftOut = isByInsight && span ? outlyingText(span) : outsideText(range ? outside : 0)
  const isNoneWithin = now?.builds === 0 && outside > 0 && !isReading(insight.list)
  const linkTo = useSeriesLinks(page, by)
  const silence = useCountingSilence(insight.list)

  return (
    <>
      <Group flex="none" gap="4px 16px" justify="space-between" align="flex-start">
        <h1 className={css.headline}>
          {page.isFaulty
            ? "The query has an error and wasn't sent."
            : (sentence ??
              (isNoneWithin ? noneWithinText(outside) : undefined) ??
              (silence || uncountedText(insight.list, query.root !== undefined)))}
        </h1>
        {choice}
      </Group>
      <InsightNotices insight={insight} query={query} />
      {isNoneWithin ? (
        <EmptyState title="Change the queried time to see trends.">
          <p>The list shows the builds that are dated outside it.</p>
        </EmptyState>
      ) : now === undefined || now.builds === 0 ? (
        page.isFaulty || (!isReading(insight.list) && insight.list.found.length === 0) ? (
          <div className={layout.list}>
            <NothingFound
              view={insight.list}
              search={insight.search}
              isFaulty={page.isFaulty}
              isNarrowed={query.root !== undefined}
              onShowAll={() => {
                run('')
              }}
            />
          </div>
        ) : (
          // It fills the window later on: what stands below doesn't move then.
          <Stack
            flex="none"
            gap={16}
            p={16}
            mih="100dvh"
            role="status"
            aria-label="Counting builds"
          >
            {Array.from({ length: 8 }, (_, index) => (
              <Skeleton key={index} height={16} />
            ))}
          </Stack>
        )
      ) : (
        <Stack flex="none" gap={16} pb={16}>
          <Compared page={page} text={comparedText(earlier, buildsBefore, zone, isReadingBefore)} />
          {leftOut !== undefined && <p className={css.about}>{leftOut}</p>}
          <TrendCharts
            now={now}
            before={before}
            {...cutOf(now, folded)}
            steps={steps}
            period={period}
            cacheAbsence={cacheAbsence(insight)}
            onNarrow={(from, to) => {
              refine((written) => withStartRange(written, from, to))
            }}
          />
          <Steps steps={steps} zone={zone} />
          <TrendTable
            now={now}
            before={before}
            period={period}
            heading={by === undefined ? 'Query' : groupingLabels[by]}
            linkTo={linkTo}
          />
        </Stack>
      )}
      <Group flex="none" gap="0 16px" mih={28} pb={4} fz="xs" c="dimmed">
        {server !== undefined && now === server && <span>{countedText(server)}</span>}
        <InsightProgress insight={insight} what={server && 'Steps in duration'} />
        {isAbsent && <CachesProgress insight={insight} budget={caches} />}
        {isAbsent && <EarlierProgress insight={insightBefore} budget={cachesBefore} />}
      </Group>
    </>
  )
}

/** Of so many builds the use of the build cache is read at first: a request for each. */
const cacheBudget = 500

const noSteps: readonly DurationStep[] = []
/** The list of steps is no log of everything: the newest are what one can still do something about. */
const mostSteps = 5

/** From when to when builds start that the query finds, where it has a beginning; anew with each search. */
function useRange({ query, timeZone, search }: SearchPage) {
  const ticker = useTicker()
  const ahead = useClockAhead()
  return useMemo(() => {
    const now = ticker.now() + ahead
    return search === noSearch ? undefined : pastRange(query, { now, timeZone })
  }, [query, timeZone, ticker, ahead, search])
}

/** What the build server counts by itself; undefined where it doesn't, and until it has. */
function useServerTrends(
  { query, timeZone, isFaulty }: SearchPage,
  by: Grouping,
  range: { readonly from: number; readonly to: number } | undefined,
  isWanted = true,
): { readonly trends: BuildTrends | undefined; readonly isAbsent: boolean } {
  const { serverInsight } = useBuildServices()
  const text = useMemo(
    () => toApiQuery(range === undefined ? query : parse(withoutStart(query)), { timeZone }),
    [query, range, timeZone],
  )
  const { data } = useQuery(
    isWanted && !isFaulty
      ? serverInsight.trends({ query: text, by, range })
      : { queryKey: ['server-trends'], queryFn: skipToken },
  )
  return { trends: data ?? undefined, isAbsent: data === null }
}

/** Whether there may be builds before those that were read. */
function isCut({ list }: Insight): boolean {
  return !isReading(list) && !isComplete(list)
}

/** Which time the charts are beside, or how to get one. */
function Compared({
  page: { query, timeZone, refine },
  text,
}: {
  page: SearchPage
  text: string | undefined
}): ReactElement {
  const ticker = useTicker()
  if (text !== undefined) return <p className={css.about}>{text}</p>
  // Whether there is a start, whenever it is.
  const hasStart = startRange(query, { now: ticker.now(), timeZone }).from !== undefined
  return (
    <Group gap="4px 8px" className={css.about}>
      <span>
        {hasStart
          ? 'The queried time is yet to come. Compare the'
          : 'Add a start time to compare periods:'}
      </span>
      {comparedDays.map((days) => (
        <Button
          key={days}
          size="compact-xs"
          variant="default"
          onClick={() => {
            refine((written) => withStart(written, `>-${days}d`))
          }}
        >
          {`Last ${days} days`}
        </Button>
      ))}
    </Group>
  )
}

const comparedDays = [7, 30]

/** Has it read what came from the build cache, once the builds are known. */
function useCaches({ insight, list }: Insight, isWanted: boolean): LookupBudget {
  const [most, setMost] = useState(cacheBudget)
  // Who stops the reading of builds wants nothing else read in its place.
  const isAtRest = !isReading(list) && list.state.is !== 'cancelled'
  const isDue = isWanted && isAtRest && list.found.length > 0
  useEffect(() => {
    if (isDue) insight.readCaches(most)
  }, [insight, isDue, most])
  return {
    most,
    step: cacheBudget,
    onMore: () => {
      setMost(most + cacheBudget)
    },
  }
}

/** What stands in place of a chart of the build cache. */
function cacheAbsence({ view: { caches } }: Insight): string {
  switch (caches.state.is) {
    case 'unavailable':
      return `Cache hit rate isn't known: ${caches.state.reason}`
    case 'reading':
    case 'waiting':
      return 'Reading build cache results…'
    case 'resting':
    case 'cancelled':
    case 'failed':
      return caches.known > 0
        ? 'Nothing in the builds that were read could come from the build cache.'
        : "Cache hit rate isn't known: no build cache results were read."
  }
}

/** How wide the bars are, and when the last one ends; epoch ms. Those that a server counts are all as wide. */
function cutOf(
  { series, from, to }: BuildTrends,
  folded: FoldedTrends | undefined,
): { readonly step: number; readonly end: number } {
  const points = series[0]?.points ?? []
  if (folded?.series === series) {
    return { step: folded.step, end: folded.bounds.at(-1) ?? to }
  }
  const [first, second] = points
  const step = first === undefined || second === undefined ? to - from : second.from - first.from
  return { step, end: (points.at(-1)?.from ?? from) + step }
}

function sentenceOf(
  now: BuildTrends | undefined,
  before: BuildTrends | undefined,
  steps: readonly DurationStep[],
  zone: Zone,
  earlier: { readonly from: number; readonly to: number } | undefined,
): string | undefined {
  const period = earlier === undefined ? '' : `the ${periodText(earlier.to - earlier.from)}`
  const trend = trendsSentence(totalOf(now), totalOf(before), period)
  const [newest] = steps
  // Last: it is known last, and what is being read doesn't move.
  return newest === undefined || trend === undefined
    ? trend
    : `${trend} ${stepHeadline(newest, zone)}.`
}

function useSeriesLinks({ query }: SearchPage, by: Grouping): (key: string) => string | undefined {
  const [params] = useSearchParams()
  return (key) => {
    const term = by === undefined ? undefined : groupTerm(by, key)
    if (term === undefined) return undefined
    const text = applyEdits(query.text, addTerm(query, term))
    const narrowed = searchAddress.update(params, { query: text })
    return `?${insightAddress.update(narrowed, { by: undefined }).toString()}`
  }
}

/** Where durations stepped, with the first build of each. Below the charts, which don't move when steps are found. */
function Steps({
  steps,
  zone,
}: {
  steps: readonly DurationStep[]
  zone: Zone
}): ReactElement | null {
  if (steps.length === 0) return null
  return (
    <section aria-label="Steps in duration">
      <Stack component="ul" gap={2} m={0} p={0} className={css.steps}>
        {steps.slice(0, mostSteps).map((step) => (
          <Group key={step.firstBuild} component="li" gap="0 12px" align="baseline">
            <span>{`${stepText(step, zone)}.`}</span>
            <Link to={`/builds/${step.firstBuild}`}>Open first build</Link>
          </Group>
        ))}
      </Stack>
    </section>
  )
}
