import { SegmentedControl } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import { MenuPopover } from '../../ui/menu-popover.tsx'
import { QueryHistory } from './query-history.tsx'
import type { RunnableQuery } from './saved-item.tsx'
import { SavedQueries } from './saved-queries.tsx'

/** Queries under their names, one's own and shared ones, and what one searched for. */
export function SavedMenu({
  query,
  onRun,
}: {
  /** What is shown; without a name. */
  query: RunnableQuery
  onRun: (query: RunnableQuery) => void
}): ReactElement {
  const [shown, setShown] = useState<'saved' | 'history'>('saved')
  const Shown = shown === 'saved' ? SavedQueries : QueryHistory
  return (
    <MenuPopover label="Saved" width={400}>
      {(close) => (
        <>
          <SegmentedControl
            fullWidth
            size="xs"
            aria-label="Queries"
            value={shown}
            onChange={setShown}
            data={[
              { value: 'saved', label: 'Saved' },
              { value: 'history', label: 'History' },
            ]}
          />
          <Shown
            query={query}
            onRun={(chosen) => {
              close()
              onRun(chosen)
            }}
          />
        </>
      )}
    </MenuPopover>
  )
}
