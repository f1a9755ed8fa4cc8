import { countText } from '../../protocol/count.ts'
import { useServices } from '../data/core/services.ts'
import type { FeedView } from '../data/live/feed-state.ts'
import { isUpToDate, lastMinute } from '../features/feed/feed-sentence.ts'
import { type TabIcon, useTab } from '../ui/base-path.ts'
import { useNow } from '../ui/time.tsx'

/** Keeps the title (of `page`) and the icon of the tab true; shows nothing itself. */
export function DocumentTitle({ page = 'Page not found' }: { page: string | undefined }): null {
  const { title, icon } = documentState(useServices().feed.getSnapshot(), page, useNow())
  useTab(title, icon)
  return null
}

/** What the tab of the browser says. */
export interface DocumentState {
  readonly title: string
  readonly icon: TabIcon
}

/**
 * How the tab tells the state to somebody who looks at another one: failures of the last minute, or
 * that the feed is not up to date. `now` is epoch ms by this browser's clock.
 */
export function documentState(view: FeedView, page: string, now: number): DocumentState {
  const { connection } = view
  if (connection.state === 'idle' || connection.state === 'connecting') {
    return { title: titleOf(page), icon: 'quiet' }
  }
  if (connection.state === 'catching-up')
    return { title: titleOf('Catching up', page), icon: 'quiet' }
  if (!isUpToDate(view, now)) return { title: titleOf('Not live', page), icon: 'stale' }
  const { builds, failed } = lastMinute(view, now + view.clockDifference)
  if (failed > 0) return { title: titleOf(`${countText(failed)} failed`, page), icon: 'failed' }
  return { title: titleOf(page), icon: builds > 0 ? 'good' : 'quiet' }
}

function titleOf(...parts: readonly string[]): string {
  return [...parts, 'Sightline'].join(' · ')
}
