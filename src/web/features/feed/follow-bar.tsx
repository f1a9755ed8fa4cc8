import { Button } from '@mantine/core'
import type { ReactElement } from 'react'
import { countOf, countText } from '../../../protocol/count.ts'
import { KeyHint } from '../../ui/keys.tsx'
import { Notice } from '../../ui/notice.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import css from './feed.module.css'
import type { FeedList } from './use-feed-list.ts'

/** The button that pauses the list and, pressed again, lets it follow. */
export function PauseButton({
  isPaused,
  onToggle,
}: {
  isPaused: boolean
  onToggle: () => void
}): ReactElement {
  return (
    <Button
      variant={isPaused ? 'filled' : 'default'}
      leftSection={
        <svg width="12" height="12" fill="currentColor" viewBox="0 0 16 16" aria-hidden="true">
          <path d={isPaused ? 'M4 2.5v11l9-5.5z' : 'M4 3h3v10H4zM9 3h3v10H9z'} />
        </svg>
      }
      rightSection={<KeyHint keys="p" />}
      onClick={onToggle}
    >
      {isPaused ? 'Resume' : 'Pause'}
    </Button>
  )
}

/** The button that opens the place where a query is written that the list follows. */
export function FollowButton({
  isOpen,
  onOpen,
}: {
  isOpen: boolean
  onOpen: () => void
}): ReactElement {
  return (
    <Button
      variant={isOpen ? 'light' : 'default'}
      aria-label="Follow a query"
      rightSection={
        <span className={css.hint}>
          <KeyHint keys="q" />
        </span>
      }
      onClick={onOpen}
    >
      Follow<span className={css.wide}>&nbsp;a query</span>…
    </Button>
  )
}

/** Says unmistakably that the list is paused, and what it keeps meanwhile. */
export function PauseBanner({ list }: { list: FeedList }): ReactElement | null {
  const { hold, waiting, lost, view } = list
  if (!hold.paused || hold.since === undefined) return null
  const kept = countText(view.newest - view.oldest + 1)
  return (
    <Notice tone="waiting" testId="paused">
      <strong>Paused</strong> <RelativeTime at={hold.since} />
      {`. ${waitingText(waiting)}`}
      {lost > 0 &&
        ` ${countOf(lost, 'old build was', 'old builds were')} removed: the newest ${kept} are kept.`}
    </Notice>
  )
}

/** What a pause keeps from the list; true as well while nothing can arrive. */
export function waitingText(waiting: number): string {
  return `${waiting === 0 ? 'No new builds' : countOf(waiting, 'new build')} received since.`
}

/** The way back to the newest builds, with how many there are. */
export function NewPill({
  waiting,
  onResume,
}: {
  waiting: number
  onResume: () => void
}): ReactElement | null {
  if (waiting === 0) return null
  return (
    <Button className={css.pill} radius="xl" onClick={onResume} data-testid="new-builds">
      {`↑ ${countText(waiting)} new`}
    </Button>
  )
}
