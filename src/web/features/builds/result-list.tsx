import { type ReactElement, type ReactNode, useRef } from 'react'
import type { BuildSearch, BuildSearchView } from '../../data/builds/build-search.ts'
import { useRowHeight } from '../../ui/row-height.ts'
import css from './builds-page.module.css'
import type { ShownColumn } from './column-choice.ts'
import { ResultTable } from './result-table.tsx'
import type { ListState } from './use-list-state.ts'
import { useResultKeys } from './use-result-keys.ts'

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
        <ResultTable
          label={`Builds found, ${isOldest ? 'oldest' : 'newest'} first`}
          found={found}
          columns={columns}
          onColumns={onColumns}
          height={height}
          scroller={scroller}
          current={list.current}
          chosen={list.chosen}
          opened={list.opened?.facts.buildId}
          isStale={isStale}
          onNearEnd={() => {
            if (state.is === 'resting') search.more()
          }}
          onCurrent={list.onCurrent}
          onChoose={list.onChoose}
          onLook={list.onLook}
        />
      )}
    </div>
  )
}
