import { Button, Group } from '@mantine/core'
import { type ReactElement, useMemo } from 'react'
import { countText } from '../../../protocol/count.ts'
import type { Facts } from '../../../protocol/facts.ts'
import type { FoundBuild } from '../../data/builds/build-pages.ts'
import type { BuildSearch, BuildSearchView } from '../../data/builds/build-search.ts'
import { type SearchParam, searchState, useSearchState } from '../../data/core/search-state.ts'
import { isComplete } from './search-sentence.ts'
import {
  type BuildSort,
  columnMeaning,
  type TableBuild,
  toColumnNames,
} from '../../domain/build-table/build-columns.tsx'

const sortParam: SearchParam<BuildSort | undefined> = {
  names: ['sort'],
  read: (search) => {
    const text = search.get('sort') ?? ''
    const isDescending = text.startsWith('-')
    const [column] = toColumnNames([isDescending ? text.slice(1) : text])
    return column === undefined ? undefined : { column, isDescending }
  },
  write: (sort) =>
    sort === undefined ? [] : [['sort', `${sort.isDescending ? '-' : ''}${sort.column}`]],
}

/** By what the results are sorted, as the address of the page has it. */
export const sortAddress = searchState<{ readonly sort: BuildSort | undefined }>({
  sort: sortParam,
})

/** The results in the order of the address. */
export interface SortedResults {
  readonly found: readonly FoundBuild[]
  readonly sort: BuildSort | undefined
  /** Sorts by a column, from the other end, or no more. */
  readonly onSort: (column: string) => void
  readonly clear: () => void
}

/** What was found, sorted where the address says so. */
export function useSortedResults(found: readonly FoundBuild[]): SortedResults {
  const [{ sort }, change] = useSearchState(sortAddress)
  const sorted = useMemo(
    () => (sort === undefined ? found : sortedBuilds(found, sort)),
    [found, sort],
  )
  return {
    found: sorted,
    sort,
    onSort: (column) => {
      change((now) => ({ sort: nextSort(now.sort, column) }), true)
    },
    clear: () => {
      change({ sort: undefined }, true)
    },
  }
}

/** As many builds more are read for sorting in one go. */
const budget = 10_000

/** By what the results are sorted, among how many, and the ways to have all of them sorted. */
export function SortNote({
  results: { sort, clear },
  view,
  search,
}: {
  results: SortedResults
  view: BuildSearchView
  search: BuildSearch
}): ReactElement | null {
  if (sort === undefined || view.found.length === 0) return null
  const { state, read } = view
  const next = (Math.floor(read / budget) + 1) * budget
  const isLoading = state.is === 'reading' || state.is === 'waiting'
  return (
    <Group gap="0 8px" fz="xs" c="dimmed" role="status" flex="none">
      {/* What counts is not read out; the end is. */}
      <span aria-hidden={isLoading || undefined}>{sortText(sort, view)}</span>
      {(state.is === 'resting' || state.is === 'cancelled') && (
        <Button
          size="compact-xs"
          variant="subtle"
          onClick={() => {
            search.upTo(next)
          }}
        >
          {`Load up to ${countText(next)}`}
        </Button>
      )}
      {isLoading && (
        <Button size="compact-xs" variant="subtle" onClick={search.cancel}>
          Stop loading
        </Button>
      )}
      <Button size="compact-xs" variant="subtle" onClick={clear}>
        Clear sorting
      </Button>
    </Group>
  )
}

/** "Sorted by duration, longest first, among the 400 loaded." */
export function sortText(
  sort: BuildSort,
  { found, state }: Pick<BuildSearchView, 'found' | 'state'>,
): string {
  const among = isComplete({ state }) ? '' : `, among the ${countText(found.length)} loaded`
  return `Sorted by ${columnMeaning(sort.column).heading.toLowerCase()}, ${endOf(sort)} first${among}.`
}

function endOf({ column, isDescending }: BuildSort): string {
  switch (column) {
    case 'duration':
      return isDescending ? 'longest' : 'shortest'
    case 'started':
    case 'received':
      return isDescending ? 'newest' : 'oldest'
    default:
      return isDescending ? 'Z' : 'A'
  }
}

/**
 * The next order of a column that is sorted again and again: from the end that is looked for first
 * (the longest, the newest, A), from the other one, and then as the list came (undefined).
 */
export function nextSort(now: BuildSort | undefined, column: string): BuildSort | undefined {
  const first = columnMeaning(column).isNumber === true
  if (now?.column !== column) return { column, isDescending: first }
  return now.isDescending === first ? { column, isDescending: !first } : undefined
}

/** Builds by a column; those without a value come last, and of equals the order stays. */
export function sortedBuilds<Build extends TableBuild>(
  builds: readonly Build[],
  { column, isDescending }: BuildSort,
): readonly Build[] {
  const keyOf = sortKey(column)
  const sign = isDescending ? -1 : 1
  return builds
    .map((build) => ({ build, key: keyOf(build.facts) }))
    .sort((a, b) => {
      if (a.key === undefined || b.key === undefined) {
        return Number(a.key === undefined) - Number(b.key === undefined)
      }
      return typeof a.key === 'string' || typeof b.key === 'string'
        ? sign * inOrder.compare(String(a.key), String(b.key))
        : sign * (a.key - b.key)
    })
    .map(({ build }) => build)
}

/** Texts in any case of letters, with numbers in them by their value: Gradle 9.2 comes before 9.10. */
const inOrder = new Intl.Collator('en', { numeric: true, sensitivity: 'accent' })

/** What builds are sorted by: numbers for times and durations, else the text. */
function sortKey(column: string): (facts: Facts) => string | number | undefined {
  switch (column) {
    case 'duration':
      return ({ durationMs }) => durationMs ?? undefined
    case 'started':
      return ({ startTime }) => startTime ?? undefined
    case 'received':
      return ({ receivedAt }) => receivedAt
  }
  const { text } = columnMeaning(column)
  return (facts) => {
    const value = text(facts) ?? ''
    return value === '' ? undefined : value
  }
}
