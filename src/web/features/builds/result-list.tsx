import { type ReactElement, type ReactNode, type RefObject, useRef } from 'react'
import { useNavigate } from 'react-router'
import type { FoundBuild } from '../../data/builds/build-pages.ts'
import type { BuildSearch, BuildSearchView } from '../../data/builds/build-search.ts'
import { stepKeys, useKeys } from '../../ui/keys.tsx'
import { revealRow, useRowHeight } from '../../ui/virtual-rows.ts'
import css from './builds.module.css'
import type { ShownColumn } from '../../domain/build-table/build-columns.tsx'
import { BuildTable, headHeight } from '../../domain/build-table/build-table.tsx'
import { columnEdges } from '../../domain/build-table/column-edge.tsx'
import type { SortedResults } from './result-sort.tsx'
import type { ListState } from './use-list-state.ts'

/** The builds that were found, by pointer and by keys. */
export function ResultList({
  view,
  results,
  search,
  isStale,
  isOutdated = false,
  list,
  columns,
  onColumns,
  empty,
  marks,
  scroller: given,
}: {
  view: BuildSearchView
  /** What was found, in the order that is shown. */
  results: SortedResults
  search: BuildSearch
  isStale: boolean
  /** Another query is being written. */
  isOutdated?: boolean
  list: ListState
  columns: readonly ShownColumn[]
  /** Lets the columns be resized. */
  onColumns?: (columns: readonly ShownColumn[]) => void
  /** Stands in place of the list while it has no row. */
  empty: ReactNode
  /** What lies over the top of the list. */
  marks?: ReactNode
  /** Gets what scrolls the list. */
  scroller?: RefObject<HTMLDivElement | null>
}): ReactElement {
  const own = useRef<HTMLDivElement>(null)
  const scroller = given ?? own
  const height = useRowHeight()
  const { state } = view
  const { found, sort, onSort } = results
  useResultKeys({ list, found, scroller, height })
  return (
    <div className={css.list}>
      {marks}
      {found.length === 0 ? (
        empty
      ) : (
        <BuildTable
          label={sort === undefined ? 'Builds, newest first' : 'Builds, sorted'}
          sort={sort}
          onSort={onSort}
          count={found.length}
          buildAt={(index) => found[index]}
          columns={columns}
          {...(onColumns && { onColumns, edges: columnEdges })}
          height={height}
          scroller={scroller}
          current={list.current}
          selected={list.chosen}
          opened={list.opened}
          isStale={isStale}
          isOutdated={isOutdated}
          onScroll={({ scrollTop, clientHeight, scrollHeight }) => {
            const isNearEnd = scrollTop + clientHeight > scrollHeight - 12 * height
            // What is sorted would be pushed aside by what comes.
            if (isNearEnd && state.is === 'resting' && sort === undefined) search.more()
          }}
          onCurrent={list.onCurrent}
          onOpen={list.onOpen}
          onSelect={list.onSelect}
        />
      )}
    </div>
  )
}

/** What the keys of the list act on. */
interface ResultParts {
  readonly list: ListState
  readonly found: readonly FoundBuild[]
  readonly scroller: RefObject<HTMLDivElement | null>
  /** The height of a row, px. */
  readonly height: number
}

/** The keys of the results, as those of the feed (look.md, "Keyboard"). */
function useResultKeys({ list, found, scroller, height }: ResultParts): void {
  const { current } = list
  const navigate = useNavigate()
  const build = current === undefined ? undefined : found[current]?.facts

  /** Makes a row the current one, brings it into sight, and shows its details if details are open. */
  function moveTo(index: number): void {
    const place = Math.min(Math.max(index, 0), found.length - 1)
    if (place < 0) return
    list.onCurrent(place)
    if (scroller.current !== null) revealRow(scroller.current, place, height, headHeight)
    if (list.opened !== undefined) list.onOpen(place)
  }

  /** Without a current row it begins at the first one in sight. */
  function move(by: number): void {
    const top = Math.ceil((scroller.current?.scrollTop ?? 0) / height)
    moveTo(current === undefined ? top : current + by)
  }

  useKeys('Search results', [
    ...stepKeys('build', move),
    {
      keys: ['home'],
      label: 'First build',
      run: () => {
        moveTo(0)
      },
    },
    {
      keys: ['end'],
      label: 'Last loaded build',
      run: () => {
        moveTo(found.length - 1)
      },
    },
    {
      keys: ['enter'],
      label: 'Open build',
      run: () => {
        if (build !== undefined) void navigate(`/builds/${build.buildId}`)
      },
    },
    {
      keys: ['space'],
      label: 'Show build details',
      run: () => {
        if (current !== undefined) list.onOpen(current)
      },
    },
    {
      keys: ['x'],
      label: 'Select build',
      run: () => {
        if (build !== undefined) list.choose(build.buildId)
      },
    },
    { keys: ['escape'], label: 'Close', run: list.close },
  ])
}
