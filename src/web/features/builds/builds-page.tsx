import { type ReactElement, useMemo } from 'react'
import { applyEdits } from '../../../search/diagnostic.ts'
import { addTerm } from '../../../search/edit.ts'
import { type BuildSearchView, isFilteredHere } from '../../data/builds/build-search.ts'
import { usePreferences, usePreferenceStore } from '../../ui/device-preferences.ts'
import { instantText } from '../../ui/format.ts'
import { BuildDetails } from './build-details.tsx'
import css from './builds-page.module.css'
import { type ShownColumn, shownColumns } from './column-choice.ts'
import { NothingFound } from './nothing-found.tsx'
import { QueryPanel } from './query-panel.tsx'
import { withStartRange } from './query-time.ts'
import { ResultList } from './result-list.tsx'
import { ResultTools } from './result-tools.tsx'
import { ResultsHeadline } from './results-headline.tsx'
import { SearchNotices } from './search-notices.tsx'
import { searchNotes } from './search-notes.ts'
import { SearchProgress } from './search-progress.tsx'
import { searchSentence } from './search-sentence.ts'
import { SelectionBar } from './selection-bar.tsx'
import { type Standings, standingsOf } from './standings.ts'
import { TimeChart } from './time-chart.tsx'
import { useAnswer } from './use-answer.ts'
import { useBefore } from './use-before.ts'
import { useListState } from './use-list-state.ts'
import { type SearchPage, useSearchPage } from './use-search-page.ts'

/** Searching builds: from a question to the builds that answer it, to the end of the list. */
export function BuildsPage(): ReactElement {
  const page = useSearchPage()
  const { search, query, run } = page
  const { view, isStale } = useAnswer(search)
  const [columns, setColumns, resetColumns] = useColumns(page)
  const builds = useMemo(() => view.found.map(({ facts }) => facts), [view.found])
  const list = useListState(page.apiText, view.found)
  const isNarrowed = query.root !== undefined
  const reached = useReached(view)
  const answer = { page, view, builds, isStale, isNarrowed }
  const standings = useMemo(() => standingsOf(builds), [builds])
  const sentence = useSentence(answer, standings)

  return (
    <div className={css.page}>
      <div className={css.main}>
        <QueryPanel
          page={page}
          builds={builds}
          state={view.state}
          status={isBusy(view) ? '' : sentence}
        />
        <div className={css.top}>
          <ResultsHeadline sentence={sentence} slowest={isStale ? undefined : standings.slowest} />
          <ResultTools
            {...{ page, builds, columns }}
            isComplete={view.state.is === 'done'}
            onColumns={setColumns}
            onResetColumns={resetColumns}
          />
        </div>
        <SearchNotices
          notes={isStale ? [] : searchNotes(view, isNarrowed, reached)}
          view={view}
          search={search}
        />
        <TimeChart
          builds={builds}
          onNarrow={(from, to) => {
            run(withStartRange(query, from, to))
          }}
        />
        <ResultList
          {...{ view, search, isStale, list, columns }}
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
        <div className={css.bottom}>
          <SearchProgress view={view} search={search} reached={reached} />
          <SelectionBar ids={chosenIn(view, list.chosen)} onClear={list.chooseNone} />
        </div>
      </div>
      {list.opened !== undefined && (
        <BuildDetails
          key={list.opened.facts.buildId}
          facts={list.opened.facts}
          onNarrow={(term) => {
            run(applyEdits(query.text, addTerm(query, term)))
          }}
          onClose={list.close}
        />
      )}
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
  return reached === undefined ? undefined : instantText(reached, zone)
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
  const isWhole = view.state.is === 'done' && !isFilteredHere(view) && standings.total > 0
  const before = useBefore(page, isWhole)
  if (page.isFaulty) return 'This query has an error and was not sent.'
  return isStale ? 'Searching…' : searchSentence(view, standings, before, isNarrowed)
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
  const keep = (next: readonly ShownColumn[] | undefined): void => {
    store.change({ searchColumns: next })
    if (address.columns !== undefined) show({ columns: undefined })
  }
  const columns = useMemo(
    () => shownColumns(address.columns, searchColumns),
    [address.columns, searchColumns],
  )
  return [
    columns,
    keep,
    () => {
      keep(undefined)
    },
  ]
}
