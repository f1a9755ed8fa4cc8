import { useLocation } from 'react-router'
import { countText } from '../../protocol/count.ts'
import { useServices } from '../data/core/services.ts'
import type { FeedView } from '../data/live/feed-state.ts'
import { isUpToDate, lastMinute } from '../features/feed/feed-sentence.ts'
import { type TabIcon, useTab } from '../ui/base-path.ts'
import { useNow } from '../ui/time.tsx'
import { usePagePlaces } from './page-places.ts'

/** Keeps the title (of `page`) and the icon of the tab true, and where one was on each page; shows nothing itself. */
export function DocumentTitle({ page = 'Page not found' }: { page: string | undefined }): null {
  const { pathname } = useLocation()
  const { feed } = useServices()
  const { title, icon } = documentState(feed.getSnapshot(), page, pathname, useNow())
  useTab(title, icon)
  usePagePlaces()
  return null
}

/** What the tab of the browser says. */
export interface DocumentState {
  readonly title: string
  readonly icon: TabIcon
}

/**
 * How the tab tells the state to somebody who looks at another one, by its icon and that of the feed in words, too: failures
 * of the last minute, or that the feed is not up to date. Of a page about one thing the title says which. `now` is epoch ms
 * by this browser's clock.
 */
export function documentState(
  view: FeedView,
  page: string,
  pathname: string,
  now: number,
): DocumentState {
  const { words, icon } = liveState(view, now)
  // Beside the name of something else they would be taken for what is said of that.
  const state = pathname === '/' ? words : undefined
  const parts = [state, subjectAt(pathname), page, 'Sightline']
  return { title: parts.filter((part) => part !== undefined).join(' · '), icon }
}

function liveState(view: FeedView, now: number): { readonly words?: string; icon: TabIcon } {
  const { connection } = view
  if (connection.state === 'idle' || connection.state === 'connecting') return { icon: 'quiet' }
  if (connection.state === 'catching-up') return { words: 'Catching up', icon: 'quiet' }
  if (!isUpToDate(view, now)) return { words: 'Not live', icon: 'stale' }
  const { builds, failed } = lastMinute(view, now + view.clockDifference)
  if (failed > 0) return { words: `${countText(failed)} failed`, icon: 'failed' }
  return { icon: builds > 0 ? 'good' : 'quiet' }
}

/** Which build, board or package the page is about, by its address. */
function subjectAt(pathname: string): string | undefined {
  const [, place, ...names] = pathname.split('/').map(decoded)
  if (place === 'builds' || place === 'board') return names[0]
  if (place !== 'packages' || names.length === 0) return undefined
  const [scans, digest] = [names.indexOf('policy-scans'), names.indexOf('attestations') - 1]
  const end = scans > 0 ? scans : digest > 0 ? digest : names.length
  const scan = scans > 0 ? names[scans + 1] : undefined
  return [...names.slice(0, end).slice(-2), scan].filter((name) => name !== undefined).join(' ')
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
