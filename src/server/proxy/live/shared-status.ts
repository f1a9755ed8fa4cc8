import { z } from 'zod'
import { EpochMs } from '../../../protocol/build-message.ts'
import type { Clock } from '../../../protocol/clock.ts'
import { LiveStatus } from '../../../protocol/live-feed.ts'
import type { LiveLog, LogState } from '../../live-log/live-log.ts'
import { initialStatus, type UpstreamStatus } from './upstream-stream.ts'

/** How the process that follows the upstream stands with it. */
export interface FollowedUpstream {
  readonly status: UpstreamStatus
  /** See `UpstreamStream.anchor`. */
  readonly anchor: number | undefined
}

/** Who follows the upstream, as far as this process knows. */
export type Follower = 'this' | 'another' | 'nobody'

/** How the installation stands with the upstream, the same at every process. */
export interface SharedStatus {
  /** What readers are shown; also says so when the live log is away, or nobody follows. */
  readonly status: () => UpstreamStatus
  /** What was last known of the upstream itself, whoever is silent since. */
  readonly upstream: () => FollowedUpstream
  readonly follower: () => Follower
  /** This process follows from now on; the result ends that. */
  readonly follow: (own: () => FollowedUpstream) => () => void
  /** What `own` gives has changed. */
  readonly changed: () => void
  /** The log came or went. */
  readonly onLogState: (state: LogState) => void
  readonly close: () => void
}

export interface SharedStatusOptions {
  readonly log: Pick<LiveLog, 'notify' | 'onNotice' | 'onReturn' | 'state'>
  readonly clock: Clock
  /** What readers are shown, or whether there is an anchor, may have changed. */
  readonly onChange: () => void
}

/**
 * Has the process that follows the upstream notify the others: on every change, every second, and
 * when one that has just come requests it. A takeover is not shown unless it takes longer than 3 s.
 */
export function createSharedStatus(options: SharedStatusOptions): SharedStatus {
  const { log, clock, onChange } = options
  const startedAt = clock.now()
  let news: (FollowedUpstream & { readonly at: number; readonly key: string }) | undefined
  let own: (() => FollowedUpstream) | undefined
  let logState = log.state()
  let cancelBeat: (() => void) | undefined
  let cancelSilence: (() => void) | undefined

  const silentSince = (): number => news?.at ?? startedAt
  const isSilent = (): boolean => clock.now() - silentSince() >= silenceMs
  const watchSilence = (): void => {
    cancelSilence?.()
    const rest = silentSince() + silenceMs - clock.now()
    cancelSilence = rest > 0 ? clock.after(rest, onChange) : undefined
  }

  /** Whoever takes over goes on with what was so until it knows better. */
  const upstream = (): FollowedUpstream => {
    const mine = own?.()
    if (mine !== undefined && (mine.status.upstream !== 'connecting' || isSilent())) return mine
    return news ?? mine ?? { status: initialStatus(startedAt), anchor: undefined }
  }
  const status = (): UpstreamStatus => {
    const { status: last } = upstream()
    const silent = (since: number, message: string): UpstreamStatus => ({
      ...last,
      upstream: 'retrying',
      since,
      nextAttemptAt: null,
      message,
    })
    // Whoever still follows appends again before its lease has run out.
    if (own !== undefined) return last
    if (!logState.isReachable && logState.message !== undefined) {
      const away = silent(logState.since, logState.message)
      return news === undefined && !isSilent() ? { ...away, upstream: 'connecting' } : away
    }
    return isSilent() ? silent(silentSince(), nobodyFollows) : last
  }

  const publish = (): void => {
    const { status: last, anchor } = upstream()
    const notice: z.input<typeof Notice> = {
      status: { ...last, now: clock.now() },
      anchor: anchor ?? null,
    }
    log.notify(topic, notice)
  }
  const beat = (): void => {
    publish()
    cancelBeat = clock.after(beatMs, beat)
  }
  const request = (): void => {
    if (own === undefined) log.notify(requestTopic, null)
  }

  const stops = [
    log.onNotice(topic, (value) => {
      const read = Notice.safeParse(value)
      if (!read.success || own !== undefined) return
      const wasSilent = isSilent()
      const { status: told, anchor } = read.data
      // The anchor goes on with the builds; whoever waits for one waits for the first.
      const key = JSON.stringify([{ ...told, now: 0, lastHeardAt: 0 }, anchor !== null])
      const { now: _, ...theirs } = statusAt(told, told.now, clock.now())
      const isNew = news?.key !== key
      // Sent again, it is the same moment whatever the way took.
      const same = isNew ? theirs : { ...(news?.status ?? theirs), lastHeardAt: theirs.lastHeardAt }
      // The anchor is of the upstream's clock, which is the same for all.
      news = { status: same, anchor: anchor ?? undefined, at: clock.now(), key }
      watchSilence()
      if (isNew || wasSilent) onChange()
    }),
    log.onNotice(requestTopic, () => {
      if (own !== undefined) publish()
    }),
    log.onReturn(request),
  ]
  watchSilence()
  request()

  return {
    status,
    upstream,
    follower: () =>
      own !== undefined ? 'this' : news === undefined || isSilent() ? 'nobody' : 'another',
    follow: (mine) => {
      own = mine
      watchSilence()
      beat()
      onChange()
      return () => {
        if (own !== mine) return
        news = { ...upstream(), at: clock.now(), key: '' }
        own = undefined
        cancelBeat?.()
        watchSilence()
        onChange()
      }
    },
    changed: () => {
      if (own === undefined) return
      publish()
      onChange()
    },
    onLogState: (state) => {
      logState = state
      onChange()
    },
    close: () => {
      cancelBeat?.()
      cancelSilence?.()
      for (const stop of stops) stop()
    },
  }
}

const topic = 'upstream'
const requestTopic = 'upstream-wanted'
const beatMs = 1000
/** A takeover takes two seconds at most. */
const silenceMs = 3000

const nobodyFollows =
  'No Sightline server is following the build server. Waiting for one to take over.'

const Notice = z.object({ status: LiveStatus, anchor: z.nullable(EpochMs) })

/** The same by another clock, which shows `there` when that of the status shows `here`. */
export function statusAt(
  { upstream, message, malformed, since, lastHeardAt, nextAttemptAt }: UpstreamStatus,
  here: number,
  there: number,
): UpstreamStatus & Pick<LiveStatus, 'now'> {
  const at = (time: number): number => Math.max(0, time + there - here)
  return {
    ...{ upstream, message, malformed, now: there, since: at(since) },
    lastHeardAt: lastHeardAt === null ? null : at(lastHeardAt),
    nextAttemptAt: nextAttemptAt === null ? null : at(nextAttemptAt),
  }
}
