import { Button, Group, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useMemo, useRef } from 'react'
import { Link, Navigate, useLocation } from 'react-router'
import { countOf, countText } from '../../../protocol/count.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { nameText, quoteValue } from '../../../search/values/text.ts'
import {
  type BuildSearch,
  type BuildSearchView,
  searchAtRest,
} from '../../data/builds/build-search.ts'
import { configQuery } from '../../data/core/server-config.ts'
import { useServices } from '../../data/core/services.ts'
import { BuildPanel } from '../../domain/build-table/build-panel.tsx'
import { publishLink } from '../../domain/package/package-links.ts'
import { searchInHash, useRecordedSearch } from '../../domain/saved-query/past-queries.ts'
import { useSilence } from '../../domain/silence/silence.ts'
import { copyText } from '../../ui/copy.tsx'
import { usePreferences, usePreferenceStore } from '../../ui/device-preferences.ts'
import { durationText, momentText } from '../../ui/format.ts'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { toast } from '../../ui/toast.ts'
import layout from '../../ui/page.module.css'
import css from './builds.module.css'
import {
  type ShownColumn,
  shownColumns,
  usualColumns,
} from '../../domain/build-table/build-columns.tsx'
import { type BuildView, insightAddress } from './search-address.ts'
import { QueryPanel } from './query-panel.tsx'
import { withStartRange } from './query-time.ts'
import { ResultList } from './result-list.tsx'
import { SortNote, useSortedResults } from './result-sort.tsx'
import { ResultMarks } from './result-marks.tsx'
import { ResultTools } from './result-tools.tsx'
import {
  BusyUntil,
  NothingFound,
  ProgressLine,
  searchNotes,
  SearchNotices,
} from './search-notices.tsx'
import {
  awaitedSince,
  faultOf,
  isBySteps,
  isComplete,
  searchSentence,
  type Standings,
  standingsOf,
} from './search-sentence.ts'
import { TimeChart } from './time-chart.tsx'
import { ViewBar } from './view-bar.tsx'
import { useListState } from './use-list-state.ts'
import {
  type SearchPage,
  useAnswer,
  useBefore,
  useIsOutdated,
  useSearchPage,
} from './use-search-page.ts'
import { RetryFailed } from '../../data/core/queries.tsx'
import { useSearchState } from '../../data/core/search-state.ts'
import { isFilteredHere } from '../../data/builds/build-list-reader.ts'

/** Searching builds: from a question to the builds that answer it, to the end of the list. */
export function BuildsPage(): ReactElement {
  const location = useLocation()
  const long = searchInHash(location)
  return long === undefined ? <Search /> : <Navigate replace to={location.pathname + long} />
}

function Search(): ReactElement {
  const page = useSearchPage()
  const { search, query, run, refine } = page
  const { view, isStale, own } = useAnswer(search)
  useRecordedSearch(page.address, isStale ? searchAtRest(0) : view)
  const [columns, setColumns, resetColumns] = useColumns(page)
  const results = useSortedResults(view.found)
  const builds = useMemo(() => results.found.map(({ facts }) => facts), [results.found])
  const list = useListState(page.apiText, results.found)
  const isOutdated = useIsOutdated(page)
  const scroller = useRef<HTMLDivElement>(null)
  const isNarrowed = query.root !== undefined
  const reached = useReached(own)
  const answer = { page, view, builds, isStale, isNarrowed }
  const standings = useMemo(() => standingsOf(builds), [builds])
  const sentence = useSentence(answer, standings)
  const [{ view: shown }] = useSearchState(insightAddress)
  if (shown !== 'list') return <InsightPage page={page} builds={builds} shown={shown} />

  return (
    <div className={layout.listPage}>
      <div className={css.main}>
        <QueryPanel
          page={page}
          builds={builds}
          state={view.state}
          status={isBusy(view) ? '' : sentence}
        />
        <ViewBar page={page} />
        <Group flex="none" gap="4px 16px" justify="space-between">
          <ResultsHeadline sentence={sentence} slowest={isStale ? undefined : standings.slowest} />
          <ResultTools
            {...{ page, columns }}
            builds={isStale ? noBuilds : builds}
            isComplete={isComplete(view)}
            onColumns={setColumns}
            onResetColumns={resetColumns}
          />
        </Group>
        <SearchNotices
          notes={isStale ? [] : searchNotes(view, isNarrowed, reached)}
          view={view}
          search={search}
        />
        <TimeChart
          builds={builds}
          isStale={isStale}
          isAwaited={isBusy(view)}
          reached={isComplete(view) ? undefined : view.reached}
          onNarrow={(from, to) => {
            refine((written) => withStartRange(written, from, to))
          }}
        />
        <SortNote results={results} view={view} search={search} />
        <ResultList
          {...{ view, results, search, isStale, isOutdated, list, columns }}
          marks={<ResultMarks {...{ page, view, list, isOutdated, scroller }} />}
          scroller={scroller}
          onColumns={setColumns}
          empty={
            <NothingFound
              {...{ view, search, isNarrowed }}
              isFaulty={page.isFaulty}
              onShowAll={() => {
                run('')
              }}
            />
          }
        />
        <Group gap="4px 16px" justify="space-between" className={css.progress}>
          <SearchProgress view={own} search={search} reached={reached} />
          <RetryFailed fault={faultOf(own)} of={search} retry={search.retry} />
          <SelectionBar ids={chosenIn(view, list.chosen)} onClear={list.chooseNone} />
        </Group>
      </div>
      {list.opened !== undefined && (
        <BuildPanel
          key={list.opened}
          buildId={list.opened}
          build={list.openedBuild}
          isLoading={isBusy(view)}
          isPartial={!isComplete(view)}
          narrowTo={(field, value) => page.narrowTo(`${field}:${quoteValue(value)}`)}
          onClose={list.close}
        />
      )}
    </div>
  )
}

const noBuilds: readonly Facts[] = []

const Views = lazyPart(async () => (await import('./insight-views.tsx')).InsightViews)

/** The builds of the query in another view than the list. */
function InsightPage({
  page,
  builds,
  shown,
}: {
  page: SearchPage
  builds: readonly Facts[]
  shown: Exclude<BuildView, 'list'>
}): ReactElement {
  return (
    <div className={layout.listPage}>
      <div className={css.main}>
        <QueryPanel page={page} builds={builds} state={{ is: 'idle' }} status="" />
        <ViewBar page={page} />
        <Views page={page} shown={shown} />
      </div>
    </div>
  )
}

/** In the order of the list. */
function chosenIn({ found }: BuildSearchView, chosen: ReadonlySet<string>): readonly string[] {
  if (chosen.size === 0) return []
  return found.flatMap(({ facts }) => (chosen.has(facts.buildId) ? facts.buildId : []))
}

function isBusy({ state }: BuildSearchView): boolean {
  return ['idle', 'reading', 'waiting'].includes(state.is)
}

/** How far the list was read, as a time in words. */
function useReached({ reached }: BuildSearchView): string | undefined {
  const { zone } = usePreferences()
  return reached === undefined ? undefined : momentText(reached, zone)
}

function useSentence(
  answer: {
    readonly page: SearchPage
    readonly view: BuildSearchView
    readonly isStale: boolean
    readonly isNarrowed: boolean
  },
  standings: Standings,
): string {
  const { page, view, isStale, isNarrowed } = answer
  const isWhole = isComplete(view) && !isFilteredHere(view) && standings.total > 0
  const before = useBefore(page, isWhole)
  const silence = useSilence(awaitedSince(view), 'build server', isBySteps(view))
  if (page.isFaulty) return "The query has an error and wasn't sent."
  if (view.read === 0 && silence !== '') return silence
  return isStale
    ? 'Searching the build server…'
    : searchSentence(view, standings, before, isNarrowed)
}

const narrowColumns = 'outcome project requested duration received'.split(' ')
/** On wide screens there are more columns, not larger gaps. */
const wideColumns =
  'outcome project requested branch user host tags duration started tool received'.split(' ')
const widestColumns =
  'outcome project requested branch user host tags failure duration started tool agent received'.split(
    ' ',
  )

/** The columns of this screen where none were chosen; on a narrow one those of the feed. */
function useUsualColumns(): readonly string[] {
  const options = { getInitialValueInEffect: false }
  const isNarrow = useMediaQuery('(max-width: 999px)', false, options)
  const isWide = useMediaQuery('(min-width: 1800px)', false, options)
  const isWidest = useMediaQuery('(min-width: 2500px)', false, options)
  if (isNarrow) return narrowColumns
  return isWidest ? widestColumns : isWide ? wideColumns : usualColumns
}

/** The columns of the link or of this device; a choice is kept on the device and ends the link's. */
function useColumns({
  address,
  show,
}: SearchPage): readonly [
  readonly ShownColumn[],
  (columns: readonly ShownColumn[]) => void,
  () => void,
] {
  const store = usePreferenceStore()
  const { searchColumns } = usePreferences()
  const usual = useUsualColumns()
  const keep = (next: readonly ShownColumn[] | undefined): void => {
    store.change({ searchColumns: next })
    if (address.columns !== undefined) show({ columns: undefined })
  }
  const columns = useMemo(
    () => shownColumns(address.columns, searchColumns, usual),
    [address.columns, searchColumns, usual],
  )
  return [
    columns,
    keep,
    () => {
      keep(undefined)
    },
  ]
}

/** The answer in a sentence or two; the slowest build is behind it. */
function ResultsHeadline({
  sentence,
  slowest,
}: {
  sentence: string
  slowest: Standings['slowest']
}): ReactElement {
  return (
    <h1 className={css.headline}>
      {sentence}
      {slowest !== undefined && (
        <Text span inherit fw={400}>
          {' Slowest: '}
          <Link to={`/builds/${slowest.buildId}`}>
            {[
              // No line ends between a number and its unit.
              durationText(slowest.durationMs).replaceAll(' ', '\u00A0'),
              slowest.project && nameText(slowest.project),
            ]
              .filter(Boolean)
              .join(', ')}
          </Link>
          .
        </Text>
      )}
    </h1>
  )
}

/** What can be done with the builds that were chosen; in the order of the list. */
function SelectionBar({
  ids,
  onClear,
}: {
  ids: readonly string[]
  onClear: () => void
}): ReactElement | null {
  const { data } = useQuery(configQuery(useServices().request))
  const [first, second, ...more] = ids
  if (first === undefined) return null
  return (
    <Group gap={4} role="group" aria-label="Selected builds">
      <span>{`${countOf(ids.length, 'build')} selected`}</span>
      {second !== undefined && more.length === 0 ? (
        <Button
          size="compact-xs"
          variant="default"
          component={Link}
          to={`/builds/${first}?${new URLSearchParams({ compare: second }).toString()}`}
        >
          Compare
        </Button>
      ) : (
        <Button size="compact-xs" variant="default" disabled title="Select two builds to compare">
          Compare
        </Button>
      )}
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => {
          void copyIds(ids)
        }}
      >
        Copy ids
      </Button>
      {data?.upstreams.governor.kind !== 'none' && (
        <Button size="compact-xs" variant="default" component={Link} to={publishLink(ids)}>
          Publish
        </Button>
      )}
      <Button size="compact-xs" variant="subtle" onClick={onClear}>
        Clear selection
      </Button>
    </Group>
  )
}

async function copyIds(ids: readonly string[]): Promise<void> {
  if (await copyText(ids.join('\n'))) await toast(`${countOf(ids.length, 'id')} copied.`)
}

/** How far the list was read, and the ways to read on or to stop. */
function SearchProgress({
  view,
  search,
  reached,
}: {
  view: BuildSearchView
  search: BuildSearch
  /** How far the list was read, as a time in words. */
  reached: string | undefined
}): ReactElement | null {
  const { state, found } = view
  const count = countText(found.length)
  const range = reached === undefined ? '' : `, back to ${reached}`
  const silence = useSilence(awaitedSince(view), 'build server', isBySteps(view))
  switch (state.is) {
    case 'idle':
      return null
    case 'reading':
      return (
        <ProgressLine steps={[['Stop', search.cancel]]} isBusy>
          {`${count} so far${range}, loading more… ${silence}`.trimEnd()}
        </ProgressLine>
      )
    case 'waiting':
      return (
        <ProgressLine steps={[['Stop', search.cancel]]}>
          <BusyUntil {...state} />
        </ProgressLine>
      )
    case 'resting':
      return (
        <ProgressLine
          steps={[
            ['Load more', search.more],
            ['Load all', search.all],
          ]}
        >
          {`${count} so far${range}, there may be more`}
        </ProgressLine>
      )
    case 'cancelled':
      return (
        <ProgressLine
          steps={[
            ['Continue', search.more],
            ['Load all', search.all],
          ]}
        >
          {`Stopped: ${count} so far${range}`}
        </ProgressLine>
      )
    case 'failed':
    case 'refused':
      return <ProgressLine>{`${count} so far${range}, not complete`}</ProgressLine>
    case 'done':
      if (found.length === 0) return null
      return (
        <ProgressLine>
          {isComplete(view)
            ? `${count} of ${count}, complete`
            : `${count} so far${range}, not complete`}
        </ProgressLine>
      )
  }
}
