import { Button, Skeleton } from '@mantine/core'
import type { ReactElement } from 'react'
import type { FeedView } from '../../data/live/feed.ts'
import { EmptyState } from '../../ui/page.tsx'
import css from './feed-page.module.css'

/** What stands in place of the list while it has no row. */
export function FeedEmpty({
  view,
  onClear,
}: {
  view: FeedView
  /** Opens the filter, where one is set. */
  onClear: (() => void) | undefined
}): ReactElement {
  if (onClear !== undefined && view.newest >= view.oldest) {
    return (
      <EmptyState
        title="No build in the feed matches the filter."
        action={
          <Button size="xs" variant="default" onClick={onClear}>
            Clear filter
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
    case 'catching-up':
      return <Connecting />
    case 'live':
      return (
        <EmptyState title="No builds yet.">
          <p>
            Each build appears here as soon as the build server has received and processed it. Run a
            build that publishes its data to that server, and it is on this page a moment later.
          </p>
        </EmptyState>
      )
    case 'complete':
      return (
        <EmptyState title="The stream ended without a build.">
          <p>The server says that no more builds will come.</p>
        </EmptyState>
      )
    case 'retrying':
    case 'signed-out':
    case 'refused':
      return (
        <EmptyState title="No builds to show.">
          <p>Builds will appear here once the connection stands.</p>
        </EmptyState>
      )
  }
}

/** Only on a first load: later, what is here stays. */
function Connecting(): ReactElement {
  return (
    <div className={css.skeletons} role="status" aria-label="Connecting to the live feed">
      {Array.from({ length: 12 }, (_, index) => (
        <Skeleton key={index} height={16} />
      ))}
    </div>
  )
}
