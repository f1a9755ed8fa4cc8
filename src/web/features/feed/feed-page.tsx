import { lazy, type ReactElement, Suspense, useCallback, useRef } from 'react'
import { useSearchParams } from 'react-router'
import type { FeedRow } from '../../data/live/feed-snapshot.ts'
import { BuildTable } from './build-table.tsx'
import { FeedEmpty } from './feed-empty.tsx'
import { FeedFooter } from './feed-footer.tsx'
import { FeedHeadline } from './feed-headline.tsx'
import { FeedNotice } from './feed-notice.tsx'
import css from './feed-page.module.css'
import { isNarrowed } from './facets.ts'
import { filterToAddress } from './filter-address.ts'
import { FilterBar } from './filter-bar.tsx'
import { findBuild } from './find-build.ts'
import { FollowButton, NewPill, PauseBanner, PauseButton } from './follow-bar.tsx'
import { followToAddress } from './follow-address.ts'
import { MinuteChart } from './minute-chart.tsx'
import { useRowHeight } from '../../ui/row-height.ts'
import { useBuildAddress } from './use-build-address.ts'
import { copyLink, useFeedKeys } from './use-feed-keys.ts'
import { useFeedList } from './use-feed-list.ts'
import { useFilter } from './use-filter.ts'
import { useFollow } from './use-follow.ts'
import { useFollowPanel } from './use-follow-panel.ts'

const FollowPanel = lazy(async () => ({
  default: (await import('./follow-panel.tsx')).FollowPanel,
}))
const BuildPanel = lazy(async () => ({ default: (await import('./build-panel.tsx')).BuildPanel }))

/** The live feed: builds as they arrive, newest first. */
export function FeedPage(): ReactElement {
  const [filter, setFilter] = useFilter()
  const [, setSearch] = useSearchParams()
  const follow = useFollow()
  const panel = useFollowPanel(follow)
  const list = useFeedList({ filter, follow })
  const address = useBuildAddress()
  const scroller = useRef<HTMLDivElement>(null)
  const height = useRowHeight()
  const { view, rows, hold, commands } = list
  const { open, opened } = address
  const openedRow = opened === undefined ? undefined : findBuild(view, opened, hold.selected)
  const selectedRow = hold.selected === undefined ? undefined : view.row(hold.selected)

  function resume(): void {
    commands.resume()
    if (scroller.current !== null) scroller.current.scrollTop = 0
  }

  function togglePause(): void {
    if (hold.paused) resume()
    else commands.pause()
  }

  function close(): void {
    if (opened === undefined) commands.deselect()
    else address.close()
  }

  const openRow = useCallback(
    (row: FeedRow) => {
      commands.select(row.arrival)
      open(row.build.buildId)
    },
    [commands, open],
  )

  const current = openedRow ?? selectedRow
  const parts = { list, address, filter, setFilter, scroller, height, current }
  useFeedKeys({ ...parts, followed: follow.text, togglePause, close })

  return (
    <div className={css.page}>
      <div className={css.main}>
        <FeedHeadline counts={list.counts} />
        <MinuteChart />
        <div className={css.tools}>
          <FilterBar filter={filter} onChange={setFilter} />
          <div className={css.follow}>
            <NewPill waiting={list.waiting} onResume={resume} />
            <PauseButton isPaused={hold.paused} onToggle={togglePause} />
            <FollowButton isOpen={panel.isOpen} onOpen={panel.open} />
          </div>
        </div>
        {panel.isOpen && (
          <Suspense>
            <FollowPanel follow={follow} opened={panel.opened} onClose={panel.close} />
          </Suspense>
        )}
        <FeedNotice />
        <PauseBanner list={list} />
        <div className={css.list}>
          {rows.count === 0 ? (
            <FeedEmpty
              view={view}
              onClear={
                isNarrowed(filter) || follow.match !== undefined
                  ? () => {
                      setSearch((now) => followToAddress(undefined, filterToAddress({}, now)))
                    }
                  : undefined
              }
            />
          ) : (
            <BuildTable
              rows={rows}
              height={height}
              row={view.row}
              skew={view.clockDifference}
              match={follow.match}
              selected={hold.selected}
              opened={opened}
              scroller={scroller}
              onSelect={commands.select}
              onOpen={openRow}
              onScroll={commands.scrolled}
            />
          )}
        </div>
        <FeedFooter list={list} />
      </div>
      {opened !== undefined && (
        <Suspense>
          <BuildPanel
            buildId={opened}
            row={openedRow}
            skew={view.clockDifference}
            isLoading={['connecting', 'catching-up'].includes(view.connection.state)}
            narrowTo={address.narrowTo}
            onCopyLink={() => {
              void copyLink(opened, address)
            }}
            onClose={close}
          />
        </Suspense>
      )}
    </div>
  )
}
