import { Box, Button, Group, Stack } from '@mantine/core'
import { type ReactElement, type RefObject, useEffect, useLayoutEffect, useRef } from 'react'
import { countOf } from '../../../protocol/count.ts'
import { shown } from '../../../search/values/reading.ts'
import type { BuildSearch, BuildSearchView } from '../../data/builds/build-search.ts'
import { useServices } from '../../data/core/services.ts'
import type { FeedView } from '../../data/live/feed-state.ts'
import css from './builds.module.css'
import type { RefreshChoice } from './search-address.ts'
import type { ListState } from './use-list-state.ts'
import type { SearchPage } from './use-search-page.ts'

/**
 * What lies over the top of the list without moving it: that it answers another query than the one
 * that is written, and that newer builds match.
 */
export function ResultMarks({
  page,
  view,
  list,
  isOutdated,
  scroller,
}: {
  page: SearchPage
  view: BuildSearchView
  list: ListState
  isOutdated: boolean
  scroller: RefObject<HTMLElement | null>
}): ReactElement {
  const { search, query, draft, run, setDraft, address } = page
  const { newer, isNewerOpen } = view

  useNewerBuilds(search, address.refresh, () => {
    const box = scroller.current
    const isRead = box !== null && (box.scrollTop > 0 || box.matches(':hover, :focus-within'))
    const isAtRest =
      list.current === undefined && list.opened === undefined && list.chosen.size === 0
    const isOpen = search.getSnapshot().isNewerOpen
    if (address.refresh !== 'off' && isAtRest && !isRead && !isOpen) search.showNewer()
  })

  return (
    <Stack gap={4} align="center" className={css.marks}>
      {isOutdated && (
        <Group
          className={css.mark}
          gap="0 8px"
          justify="center"
          px={12}
          py={2}
          fz="xs"
          role="status"
        >
          <Box component="span" style={{ overflow: 'hidden', textOverflow: 'ellipsis' }}>
            Showing results for:{' '}
            <code>{query.text.trim() === '' ? 'all builds' : shown(query.text)}</code>
          </Box>
          <Button
            size="compact-xs"
            variant="subtle"
            onClick={() => {
              run(draft)
            }}
          >
            Run
          </Button>
          <Button
            size="compact-xs"
            variant="subtle"
            onClick={() => {
              setDraft(query.text)
            }}
          >
            Discard changes
          </Button>
        </Group>
      )}
      <div role="status">
        {newer.length > 0 && !isOutdated && (
          <Button
            size="compact-sm"
            radius="xl"
            onClick={() => {
              if (isNewerOpen) run(query.text)
              else search.showNewer()
              scroller.current?.scrollTo({ top: 0 })
            }}
          >
            {newerText(newer.length, isNewerOpen)}
          </Button>
        )}
      </div>
    </Stack>
  )
}

function newerText(count: number, isOpen: boolean): string {
  if (isOpen) return `More than ${countOf(count, 'newer build')} match`
  return `${countOf(count, 'newer build')} ${count === 1 ? 'matches' : 'match'}`
}

/** How often is looked where nothing else was chosen, ms. */
const usualMs = 20_000

const choiceMs = {
  off: usualMs,
  '10s': 10_000,
  '30s': 30_000,
  '1m': 60_000,
  '5m': 300_000,
} as const satisfies Record<RefreshChoice, number>

/**
 * Looks for newer builds of a search now and then while the page is in sight, and calls `onLook` each
 * time. The list is requested only where the live feed has, or may have, a new build that matches: many
 * tabs that wait for something rare request nothing.
 */
function useNewerBuilds(search: BuildSearch, refresh: RefreshChoice, onLook: () => void): void {
  const { clock, random, feed } = useServices()
  const latest = useRef(onLook)
  useLayoutEffect(() => {
    latest.current = onLook
  })
  useEffect(() => {
    let cancel: () => void = () => undefined
    /** Up to which arrival of the feed was looked; undefined: not yet. */
    let seen: number | undefined

    async function look(): Promise<void> {
      const view = feed.getSnapshot()
      const isWanted = seen === undefined || mayHaveMatch(view, seen, search)
      if (isWanted) await search.lookForNewer()
      seen = view.newest
      latest.current()
    }

    function wait(): void {
      const ms = choiceMs[refresh] * (0.9 + 0.2 * random())
      cancel = clock.after(ms, () => {
        wait()
        if (document.visibilityState === 'visible') void look()
      })
    }

    // Who comes back to the page sees at once what came meanwhile.
    const shown = (): void => {
      if (document.visibilityState === 'visible') void look()
    }
    wait()
    document.addEventListener('visibilitychange', shown)
    return () => {
      cancel()
      document.removeEventListener('visibilitychange', shown)
    }
  }, [search, refresh, clock, random, feed])
}

/**
 * Whether a build that arrived after `seen` may match: one whose facts are not known may, and so may
 * those that a feed which isn't live does not know of.
 */
export function mayHaveMatch(
  { connection, oldest, newest, row }: Pick<FeedView, 'connection' | 'oldest' | 'newest' | 'row'>,
  seen: number,
  search: Pick<BuildSearch, 'mayMatch'>,
): boolean {
  if (connection.state !== 'live' || seen + 1 < oldest) return true
  for (let arrival = newest; arrival > seen; arrival -= 1) {
    const facts = row(arrival)?.facts
    if (facts === undefined || search.mayMatch(facts)) return true
  }
  return false
}
