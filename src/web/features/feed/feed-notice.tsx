import { Button, Progress } from '@mantine/core'
import type { ReactElement } from 'react'
import { useFeed, useFeedSnapshot } from '../../data/live/use-feed.ts'
import { StatusShape } from '../../ui/status-mark.tsx'
import { useNow } from '../../ui/time.tsx'
import css from './feed-notice.module.css'
import { feedNotice, type FeedNotice as Notice } from './feed-notice-text.ts'

/** Says what is the matter with the feed, while something is; the rows stay where they are. */
export function FeedNotice(): ReactElement | null {
  const notice = feedNotice(useFeedSnapshot(), useNow())
  if (notice === undefined) return null
  return (
    <div className={css.notice} data-tone={notice.tone} data-testid="feed-notice">
      <StatusShape tone={notice.tone} />
      <span className={css.text}>{notice.text}</span>
      {notice.progress !== undefined && (
        <Progress
          className={css.progress}
          value={100 * notice.progress}
          size="sm"
          aria-label="Catching up"
        />
      )}
      {notice.action !== undefined && <NoticeAction action={notice.action} />}
    </div>
  )
}

function NoticeAction({ action }: { action: NonNullable<Notice['action']> }): ReactElement {
  const feed = useFeed()
  const { label, run } = {
    reconnect: { label: 'Try now', run: feed.reconnect },
    skip: { label: 'Skip to now', run: feed.skipToNow },
    reload: {
      label: 'Load again',
      run: () => {
        location.reload()
      },
    },
  }[action]
  return (
    <Button size="compact-xs" variant="default" onClick={run}>
      {label}
    </Button>
  )
}
