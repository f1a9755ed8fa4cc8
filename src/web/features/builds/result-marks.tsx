import { Box, Button, Group } from '@mantine/core'
import type { ReactElement, RefObject } from 'react'
import { countOf } from '../../../protocol/count.ts'
import { shown } from '../../../search/values/reading.ts'
import type { BuildSearchView } from '../../data/builds/build-search.ts'
import css from './builds.module.css'
import type { ListState } from './use-list-state.ts'
import { useNewerBuilds } from './use-newer-builds.ts'
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
    <div className={css.marks}>
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
            Results as of <code>{query.text.trim() === '' ? 'all builds' : shown(query.text)}</code>
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
    </div>
  )
}

function newerText(count: number, isOpen: boolean): string {
  if (isOpen) return `More than ${countOf(count, 'newer build')} match`
  return `${countOf(count, 'newer build')} ${count === 1 ? 'matches' : 'match'}`
}
