import { Button } from '@mantine/core'
import { memo, type ReactElement, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Link } from 'react-router'
import { countOf, countText } from '../../../protocol/count.ts'
import type { FeedRow, FeedSnapshot, FeedView } from '../../data/live/feed-state.ts'
import type { NarrowField } from '../../domain/build-table/build-panel.tsx'
import { BuildTable, type TableColumn } from '../../domain/build-table/build-table.tsx'
import { useKeys } from '../../ui/keys.tsx'
import { lazyPopup } from '../../ui/lazy-part.tsx'
import { EmptyState } from '../../ui/page.tsx'
import { toast } from '../../ui/toast.ts'
import { useRowHeight } from '../../ui/virtual-rows.ts'
import { useDerivedFromNow, useNow } from '../../ui/time.tsx'
import { useFeedAddress } from './feed-address.ts'
import { FeedNotice } from './feed-notice.tsx'
import { feedSentence, isOutdatedAt, isUpstreamLost } from './feed-sentence.ts'
import layout from '../../ui/page.module.css'
import css from './feed.module.css'
import { FilterBar } from './filter-bar.tsx'
import { type Facet, isNarrowed } from './filter.ts'
import { FollowButton, NewPill, PauseBanner, PauseButton } from './follow-bar.tsx'
import {
  createTableBuilds,
  type FollowedCounts,
  followSentence,
  tableBuildOf,
} from './followed-rows.ts'
import { MinuteChart } from './minute-chart.tsx'
import { copyLink, useFeedKeys } from './use-feed-keys.ts'
import { type FeedList, useFeedList } from './use-feed-list.ts'
import { type Follow, useFollow } from './use-follow.ts'
import { useServices } from '../../data/core/services.ts'
import { useStore } from '../../data/core/store.ts'

const FollowPanel = lazyPopup(async () => (await import('./follow-panel.tsx')).FollowPanel)
const BuildPanel = lazyPopup(
  async () => (await import('../../domain/build-table/build-panel.tsx')).BuildPanel,
)

/** The live feed: builds as they arrive, newest first. */
export function FeedPage(): ReactElement {
  const address = useFeedAddress()
  const { filter, change, build: opened } = address
  const follow = useFollow(address)
  const panel = useFollowPanel(follow)
  const list = useFeedList({ filter, follow })
  const scroller = useRef<HTMLDivElement>(null)
  const height = useRowHeight()
  const { view, rows, hold, commands } = list
  const openedRow = opened === undefined ? undefined : findBuild(view, opened, hold.selected)
  const selectedRow = hold.selected === undefined ? undefined : view.row(hold.selected)
  const isFiltered = isNarrowed(filter) || follow.match !== undefined
  const isOutdated = useDerivedFromNow((now) => isOutdatedAt(view, now))
  const tableBuild = useMemo(() => createTableBuilds(follow.match), [follow.match])

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
    else change({ build: undefined })
  }

  const { feed } = useServices()
  const isOpen = opened !== undefined
  const openArrival = useCallback(
    (arrival: number) => {
      commands.select(arrival)
      // The next build takes the place of the one that is open in the history.
      change({ build: feed.getSnapshot().row(arrival)?.build.buildId }, isOpen)
    },
    [commands, feed, change, isOpen],
  )

  const current = openedRow ?? selectedRow
  const keyed = { list, address, scroller, height, current, openArrival, togglePause, close }
  const moveTo = useFeedKeys(keyed)
  // In a ref: the chart is drawn once a second, however often the list is.
  const showMinute = useRef((_minute: number): void => undefined)
  useEffect(() => {
    showMinute.current = (minute) => {
      for (let place = 0; place < rows.count; place++) {
        const at = view.row(rows.arrivalAt(place) ?? 0)?.build.timestamp ?? 0
        if (at - (at % 60_000) !== minute) continue
        scroller.current?.scrollTo(0, place * height)
        moveTo(place)
        return
      }
      void toast('No builds to show.')
    }
  })

  return (
    <div className={layout.listPage}>
      <div className={css.main}>
        <FeedHeadline counts={list.counts} live={list.live} isNarrowed={isFiltered} />
        <MinuteChart shown={list.shown} isNarrowed={isFiltered} onSelect={showMinute} />
        <div className={css.tools}>
          <FilterBar
            filter={filter}
            match={follow.match}
            onChange={(next) => {
              change({ filter: next })
            }}
          />
          <div className={css.follow}>
            <NewPill waiting={list.waiting} onResume={resume} />
            <PauseButton isPaused={hold.paused} onToggle={togglePause} />
            <FollowButton isOpen={panel.isOpen} onOpen={panel.open} />
          </div>
        </div>
        {panel.isOpen && (
          <FollowPanel follow={follow} opened={panel.opened} onClose={panel.close} />
        )}
        <FeedNotice />
        <PauseBanner list={list} />
        <div className={layout.list}>
          {rows.count === 0 ? (
            <FeedEmpty
              view={view}
              onClear={
                isFiltered
                  ? () => {
                      change({ filter: {}, followed: undefined })
                    }
                  : undefined
              }
            />
          ) : (
            <BuildTable
              label="Builds, newest first"
              columns={feedColumns}
              count={rows.count}
              buildAt={(index) => {
                const row = view.row(rows.arrivalAt(index) ?? 0)
                return row && tableBuild(row)
              }}
              placeOf={(index) => rows.arrivalAt(index) ?? 0}
              height={height}
              scroller={scroller}
              current={hold.selected === undefined ? undefined : rows.indexOf(hold.selected)}
              opened={opened}
              isOutdated={isOutdated}
              onCurrent={commands.select}
              onOpen={openArrival}
              onScroll={({ scrollTop }) => {
                commands.scrolled(scrollTop > height / 2)
              }}
            />
          )}
        </div>
        <FeedFooter list={list} />
      </div>
      {opened !== undefined && (
        <BuildPanel
          key={opened}
          buildId={opened}
          build={openedRow && tableBuildOf(openedRow)}
          isLoading={['connecting', 'catching-up'].includes(view.connection.state)}
          narrowTo={(field, value) => {
            const facet = facetOf[field]
            return facet && address.queryOf({ filter: { ...filter, [facet]: [value] } })
          }}
          actions={
            <Button
              size="compact-xs"
              variant="default"
              onClick={() => {
                void copyLink(address, opened)
              }}
            >
              Copy link
            </Button>
          }
          onClose={close}
        />
      )}
    </div>
  )
}

/** What is known of a build at a glance, in the order of reading. */
const feedColumns: readonly TableColumn[] = [
  { name: 'outcome', width: 104 },
  { name: 'project', width: 140 },
  { name: 'requested', width: 220 },
  { name: 'branch', width: 130, from: 1000 },
  { name: 'user-host', width: 140, from: 1000 },
  { name: 'tags', width: 130, from: 1400 },
  { name: 'duration', width: 104 },
  { name: 'tool', width: 120, from: 800 },
  { name: 'agent', width: 90, from: 1800 },
  { name: 'received', width: 110 },
]

const facetOf: Readonly<Partial<Record<NarrowField, Facet>>> = {
  project: 'project',
  user: 'user',
  buildTool: 'tool',
  tag: 'tag',
}

/** What stands in place of the list while it has no row. */
function FeedEmpty({
  view,
  onClear,
}: {
  view: FeedView
  /** Opens the filter, where one is set. */
  onClear: (() => void) | undefined
}): ReactElement {
  const isLost = useDerivedFromNow((now) => isUpstreamLost(view, now))
  if (onClear !== undefined && view.newest >= view.oldest) {
    return (
      <EmptyState
        title="No build in the feed matches the filters."
        action={
          <Button size="xs" variant="default" onClick={onClear}>
            Clear filters
          </Button>
        }
      >
        <p>Builds that match will appear here as they arrive.</p>
      </EmptyState>
    )
  }
  switch (view.connection.state) {
    case 'idle':
    case 'connecting':
      return <Connecting />
    case 'catching-up':
      return isLost ? <Unreachable /> : <Connecting />
    case 'live':
      if (view.upstream?.upstream === 'complete') return <Ended />
      return isHeard(view) ? (
        <EmptyState title="No builds in the last hour.">
          <p>
            New builds appear here as they arrive. <Link to="/builds">Earlier builds</Link>
          </p>
        </EmptyState>
      ) : (
        <Unreachable />
      )
    case 'complete':
      return <Ended />
    case 'retrying':
    case 'signed-out':
    case 'refused':
      return <Unreachable />
  }
}

function Ended(): ReactElement {
  return (
    <EmptyState title="The stream ended without a build.">
      <p>The build server has no more builds to send.</p>
    </EmptyState>
  )
}

/** What isn't connected stands above the list. */
function Unreachable(): ReactElement {
  return (
    <EmptyState title="No builds to show.">
      <p>Builds appear here once Sightline is connected.</p>
    </EmptyState>
  )
}

/** Whether the proxy hears the build server, so that an empty feed is one without builds. */
function isHeard({ upstream }: FeedView): boolean {
  return upstream?.upstream === 'live' || upstream?.upstream === 'polling'
}

/** Only on a first load: later, what is here stays. */
function Connecting(): ReactElement {
  return (
    <div className={css.skeletons} role="status" aria-label="Connecting to the live feed">
      {Array.from({ length: 12 }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  )
}

/** What the list holds, and what is known to be missing from it. */
function FeedFooter({ list }: { list: FeedList }): ReactElement {
  const { view, rows, undecided } = list
  return (
    <p className={css.footer}>
      <span>{keptText(view, rows.count)}</span>
      {undecided > 0 && <span>{`${countOf(undecided, 'build')} without details not shown`}</span>}
      {view.dropped > 0 && <span>{`${countText(view.dropped)} older builds removed`}</span>}
      {view.malformed > 0 && (
        <span>{`${countOf(view.malformed, 'message')} couldn't be read and ${view.malformed === 1 ? 'was' : 'were'} skipped`}</span>
      )}
      {view.gaps > 0 && (
        <span>{`builds are missing in ${countOf(view.gaps, 'gap')} after an interruption`}</span>
      )}
    </p>
  )
}

/** "88 of 492 builds"; a place is kept for it while nothing is known to be counted. */
export function keptText(view: FeedView, shown: number): string {
  const kept = view.newest - view.oldest + 1
  if (kept === 0 && !(view.connection.state === 'live' && isHeard(view))) return '\u00a0'
  return shown === kept
    ? countOf(kept, 'build')
    : `${countText(shown)} of ${countOf(kept, 'build')}`
}

/** The answer of the page in one sentence, made anew once a second, and when what it rests on changes. */
const FeedHeadline = memo(function FeedHeadline({
  counts,
  live,
  isNarrowed,
}: {
  /** Of the query that is followed, if one is. */
  counts: (() => FollowedCounts) | undefined
  live: FeedList['live']
  isNarrowed: boolean
}): ReactElement {
  const now = useNow()
  const { feed } = useServices()
  useStore(feed, ({ connection, upstream, row }) => {
    const newest = row(live().arrivalAt(0) ?? 0)?.build.timestamp ?? 0
    return `${connection.state} ${upstream?.upstream ?? ''} ${Math.floor(newest / 10_000)}`
  })
  const view = feed.getSnapshot()
  const followed = counts?.()
  const isOpen = followed !== undefined && followed.waiting + followed.unknown > 0
  const narrowed = isOpen ? 'possibly matching' : isNarrowed ? 'matching' : undefined
  const sentence = feedSentence(view, now, { rows: live(), narrowed })
  return (
    <h1 className={css.headline}>
      {followed === undefined || live().count === 0
        ? sentence
        : `${followSentence(followed)} ${sentence}`}
    </h1>
  )
})

/**
 * The row of a build among those the feed keeps. `guess` is an arrival that is looked at first;
 * without it the newest are looked at first.
 */
export function findBuild(
  feed: Pick<FeedSnapshot, 'oldest' | 'newest' | 'row'>,
  buildId: string,
  guess: number | undefined,
): FeedRow | undefined {
  const guessed = guess === undefined ? undefined : feed.row(guess)
  if (guessed?.build.buildId === buildId) return guessed
  for (let arrival = feed.newest; arrival >= feed.oldest; arrival--) {
    const row = feed.row(arrival)
    if (row?.build.buildId === buildId) return row
  }
  return undefined
}

/** The place where the query is written: there while one is followed, or as long as wanted. */
interface FollowPanelState {
  readonly isOpen: boolean
  /** How often it was opened by hand, and not by a link: each time it takes the focus. */
  readonly opened: number
  readonly open: () => void
  /** Ends following, too. */
  readonly close: () => void
}

/** The panel is closed at first, but where the address follows a query. */
function useFollowPanel({ text, change }: Pick<Follow, 'text' | 'change'>): FollowPanelState {
  const [opened, setOpened] = useState(0)

  function open(): void {
    setOpened((before) => before + 1)
  }

  useKeys('Live feed', [{ keys: ['q'], label: 'Follow a query', isCommand: true, run: open }])
  return {
    // A query too long for an address stands behind its `#`, and the panel reads it.
    isOpen: opened > 0 || text !== '' || location.hash[1] === '?',
    opened,
    open,
    close: () => {
      setOpened(0)
      if (text !== '') change(undefined)
    },
  }
}
