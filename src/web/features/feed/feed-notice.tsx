import { Button } from '@mantine/core'
import type { ReactElement } from 'react'
import { countText } from '../../../protocol/count.ts'
import type { FeedView } from '../../data/live/feed-state.ts'
import { agoText, durationText } from '../../ui/format.ts'
import { Notice as NoticeLine } from '../../ui/notice.tsx'
import type { StatusTone } from '../../ui/status-mark.tsx'
import { useNow } from '../../ui/time.tsx'
import { isUpToDate } from './feed-sentence.ts'
import css from './feed.module.css'
import { useServices } from '../../data/core/services.ts'
import { useStore } from '../../data/core/store.ts'

/** Says what is the matter with the feed, while something is; the rows stay where they are. */
export function FeedNotice(): ReactElement | null {
  const notice = feedNotice(useStore(useServices().feed), useNow())
  if (notice === undefined) return null
  return (
    <NoticeLine
      tone={notice.tone}
      testId="feed-notice"
      action={
        <>
          {notice.progress !== undefined && (
            // The browser's own: Mantine's would be in every first load.
            <progress className={css.progress} value={notice.progress} aria-label="Catching up" />
          )}
          {notice.action !== undefined && <NoticeAction action={notice.action} />}
        </>
      }
    >
      {notice.text}
    </NoticeLine>
  )
}

function NoticeAction({ action }: { action: NonNullable<Notice['action']> }): ReactElement {
  const { feed } = useServices()
  const isSkip = action === 'skip'
  return (
    <Button size="compact-xs" variant="default" onClick={isSkip ? feed.skipToNow : feed.reconnect}>
      {isSkip ? 'Skip to now' : 'Try now'}
    </Button>
  )
}

/** What stands above the list when not all is well: a sentence and what its reader can do. */
export interface Notice {
  readonly tone: StatusTone
  readonly text: string
  readonly action?: 'reconnect' | 'skip'
  /** How much of the catching up is done, 0 to 1, where it is known. */
  readonly progress?: number
}

/** The notice at `now` (epoch ms, this browser's clock); undefined when all is well. */
export function feedNotice(view: FeedView, now: number): Notice | undefined {
  const { connection } = view
  switch (connection.state) {
    case 'idle':
      return undefined
    case 'connecting':
      return view.lastHeardAt === undefined
        ? undefined
        : lost('waiting', 'Reconnecting.', view, now)
    case 'catching-up':
      return upstreamNotice(view, now) ?? catchingUp(connection.received, connection.left)
    case 'retrying': {
      const leftMs = connection.nextAttemptAt - now
      const next = leftMs > 0 ? `Retrying in ${durationText(Math.max(1000, leftMs))}.` : 'Retrying…'
      return lost('waiting', `${connection.reason} ${next}`, view, now)
    }
    case 'signed-out':
    case 'refused':
      return lost('bad', connection.reason, view, now)
    case 'complete':
      return { tone: 'none', text: 'The stream has ended. No more builds will arrive.' }
    case 'live':
      return upstreamNotice(view, now) ?? silenceNotice(view, now)
  }
}

/** So many builds are there before anybody could skip them: the heading counts them, and no row moves for it. */
const fewBuilds = 500

function catchingUp(received: number, left: number | undefined): Notice | undefined {
  if (left === undefined || left < fewBuilds) return undefined
  const all = received + left
  return {
    tone: 'info',
    text: `Catching up with earlier builds: ${countText(received)} of about ${countText(all)}.`,
    action: 'skip',
    progress: received / all,
  }
}

/** The proxy is there, but its own connection to the server may not be. */
function upstreamNotice({ upstream, clockDifference }: FeedView, now: number): Notice | undefined {
  if (upstream === undefined) return undefined
  const { message, lastHeardAt } = upstream
  const heard =
    lastHeardAt === null ? '' : ` Last data ${agoText(now + clockDifference - lastHeardAt)}.`
  switch (upstream.upstream) {
    case 'live':
      return undefined
    case 'polling':
      return { tone: 'info', text: message }
    case 'complete':
    case 'none':
      return { tone: 'none', text: message }
    case 'connecting':
    case 'retrying':
      return { tone: 'waiting', text: `${message}${heard}` }
    case 'refused':
      return { tone: 'bad', text: `${message}${heard}` }
  }
}

/** The connection is not lost, but nothing comes through it either. */
function silenceNotice(view: FeedView, now: number): Notice | undefined {
  if (view.upstream === undefined || isUpToDate(view, now)) return undefined
  return lost('waiting', 'The Sightline server stopped responding.', view, now)
}

/** Nothing comes, as `reason` says; the builds that came before stay. */
function lost(
  tone: StatusTone,
  reason: string,
  { oldest, newest, lastHeardAt }: FeedView,
  now: number,
): Notice {
  const hasNone = oldest > newest || lastHeardAt === undefined
  const text = hasNone
    ? reason
    : `${reason} The builds shown are from ${agoText(now - lastHeardAt)}.`
  return { tone, text, action: 'reconnect' }
}
