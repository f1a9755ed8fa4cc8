import { type ReactElement, type ReactNode, type RefObject, useRef } from 'react'
import { useNavigate } from 'react-router'
import type { BuildSearch, BuildSearchView, FoundBuild } from '../../data/builds/build-search.ts'
import { useKeys } from '../../ui/keys.tsx'
import { revealRow, useRowHeight } from '../../ui/virtual-rows.ts'
import css from './builds.module.css'
import type { ShownColumn } from '../../domain/build-table/build-columns.tsx'
import { BuildTable, headHeight } from '../../domain/build-table/build-table.tsx'
import type { ListState } from './use-list-state.ts'

/** The builds that were found, by pointer and by keys. */
export function ResultList({
  view,
  search,
  isStale,
  list,
  columns,
  onColumns,
  empty,
}: {
  view: BuildSearchView
  search: BuildSearch
  isStale: boolean
  list: ListState
  columns: readonly ShownColumn[]
  onColumns: (columns: readonly ShownColumn[]) => void
  /** Stands in place of the list while it has no row. */
  empty: ReactNode
}): ReactElement {
  const scroller = useRef<HTMLDivElement>(null)
  const height = useRowHeight()
  const { found, ability, state } = view
  useResultKeys({ list, found, scroller, height })
  const isOldest = ability.order === 'oldest-first'
  return (
    <div className={css.list}>
      {found.length === 0 ? (
        empty
      ) : (
        <BuildTable
          label={`Builds, ${isOldest ? 'oldest' : 'newest'} first`}
          count={found.length}
          buildAt={(index) => found[index]}
          columns={columns}
          onColumns={onColumns}
          height={height}
          scroller={scroller}
          current={list.current}
          selected={list.chosen}
          opened={list.opened?.facts.buildId}
          isStale={isStale}
          onScroll={({ scrollTop, clientHeight, scrollHeight }) => {
            const isNearEnd = scrollTop + clientHeight > scrollHeight - 12 * height
            if (isNearEnd && state.is === 'resting') search.more()
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
    {
      keys: ['j', 'arrowdown'],
      label: 'Next build',
      run: () => {
        move(1)
      },
    },
    {
      keys: ['k', 'arrowup'],
      label: 'Previous build',
      run: () => {
        move(-1)
      },
    },
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
