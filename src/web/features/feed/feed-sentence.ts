import { connectionSentence } from '../../data/live/connection-sentence.ts'
import type { FeedView } from '../../data/live/feed.ts'
import { agoText } from '../../ui/format.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import { lastMinute } from './last-minute.ts'

/**
 * The answer of the page in one sentence, true at `now` (epoch ms, this browser's clock): what the
 * last minute brought, or, where that cannot be known, how old the newest knowledge is.
 */
export function feedSentence(view: FeedView, now: number): string {
  const { connection } = view
  const newest = view.row(view.newest)
  const serverNow = now + view.clockDifference
  if (connection.state === 'catching-up') {
    const left = connection.left
    const all = left === undefined ? '' : ` of about ${countText(connection.received + left)}`
    return `Catching up: ${countText(connection.received)}${all} builds.`
  }
  if (newest === undefined) return withoutBuilds(view, now)
  if (!isUpToDate(view, now)) {
    return `Not up to date: the newest build shown came ${agoText(serverNow - newest.build.timestamp)}.`
  }
  const { builds, failed, unknown, busiest } = lastMinute(view, serverNow)
  if (builds === 0) {
    const ago = agoText(serverNow - newest.build.timestamp)
    return `No builds in the last minute. The last one came ${ago}.`
  }
  const failures = failed === 0 ? 'none failed' : `${countText(failed)} failed`
  const open = unknown === 0 ? '' : `, ${countText(unknown)} not known yet`
  const most = busiest === undefined ? '' : ` Busiest: ${busiest}.`
  return `${countOf(builds, 'build')} in the last minute, ${failures}${open}.${most}`
}

function withoutBuilds(view: FeedView, now: number): string {
  const { state } = view.connection
  if (state === 'idle' || state === 'connecting') return 'Connecting to the live feed.'
  return isUpToDate(view, now) ? 'No builds yet.' : 'No builds to show.'
}

/** Whether what is shown is all there is: both this browser and the proxy hear their server. */
export function isUpToDate(view: FeedView, now: number): boolean {
  const { tone } = connectionSentence(view, now, String)
  const isComplete = view.connection.state === 'complete' || view.upstream?.upstream === 'complete'
  return tone === 'good' || (tone === 'ended' && isComplete)
}
