import { Button } from '@mantine/core'
import { type ReactElement, useEffect, useMemo } from 'react'
import { Link } from 'react-router'
import { useQueryClient } from '@tanstack/react-query'
import { useServices } from '../../data/core/services.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { agoText, dayText, timeOfDayText, type Zone } from '../../ui/format.ts'
import { StatusShape } from '../../ui/status-mark.tsx'
import { VisuallyHidden } from '../../ui/text.tsx'
import { useDerivedFromNow, useTicker } from '../../ui/time.tsx'
import { createWallWatch, type SilentSide, type Trust } from '../../data/wall/wall-watch.ts'
import { useStore } from '../../data/core/store.ts'
import type { WallPanel } from './wall-commands.ts'
import css from './wall.module.css'

/** What stands above the tiles: the wall in a sentence, whether it can be believed, and the time. */
export function WallBar({
  title,
  summary,
  trust,
  keptAt,
  skew,
  hasClock,
  notices,
  isDemo,
}: {
  title: string
  summary: string
  trust: Trust
  /** When what is shown was kept on this device, epoch ms by the proxy's clock; undefined where nothing of that is shown. */
  keptAt: number | undefined
  /** What to add to this browser's clock to get the proxy's, by which all times are written, ms. */
  skew: number
  hasClock: boolean
  /** Sentences about what is not shown. */
  notices: readonly string[]
  /** Whether the builds are made up. */
  isDemo: boolean
}): ReactElement {
  return (
    <header className={css.bar}>
      <div className={css.words}>
        <p className={css.dim} title={title}>
          {title}
        </p>
        {trust.is === 'live' ? (
          <h1 className={css.summary} title={summary}>
            {summary}
          </h1>
        ) : (
          <Silence trust={trust} keptAt={keptAt} skew={skew} />
        )}
        {isDemo && (
          <p className={css.notice}>
            Demo data · <Link to="/status#connect">Connect your server</Link>
          </p>
        )}
        {notices.map((notice) => (
          <p key={notice} className={css.notice}>
            {notice}
          </p>
        ))}
      </div>
      <div className={css.time}>
        {hasClock && <WallClock skew={skew} />}
        <Heard trust={trust} isStarting={!isStale(trust, keptAt !== undefined)} />
        <span role="status">
          <VisuallyHidden>{trust.is === 'live' ? 'Live' : sides[trust.side]}</VisuallyHidden>
        </span>
      </div>
    </header>
  )
}

function Silence({
  trust,
  keptAt,
  skew,
}: {
  trust: Extract<Trust, { is: 'silent' }>
  keptAt: number | undefined
  skew: number
}): ReactElement {
  const { zone } = usePreferences()
  const { since, retryAt } = trust
  const heardAt = since === undefined ? keptAt : since + skew
  const age = useDerivedFromNow((now) => {
    const ageMs = now + skew - (heardAt ?? Infinity)
    return ageMs < -behindMs ? '' : agoText(ageMs)
  })
  const moment = useDerivedFromNow((now) =>
    heardAt === undefined ? '' : momentText(heardAt, now + skew, zone),
  )
  const retry = useDerivedFromNow((now) =>
    retryAt === undefined || retryAt <= now ? '' : `${Math.ceil((retryAt - now) / 1000)} s`,
  )
  const words = trustWords(trust, {
    since: moment === '' ? undefined : moment,
    age: age === '' ? undefined : age,
    retry: retry === '' ? undefined : retry,
    isKept: since === undefined && keptAt !== undefined,
  })
  return (
    <div className={css.silence} data-side={trust.side}>
      <h1 className={css.summary} title={words.title}>
        {words.title}
      </h1>
      {words.meaning !== '' && <p style={{ color: 'var(--ink)' }}>{words.meaning}</p>}
    </div>
  )
}

/** So much a clock may be behind that of the proxy before an age says nothing, ms. */
const behindMs = 60_000

/** The time of day, with the day where that is another one. */
function momentText(at: number, now: number, zone: Zone): string {
  const time = timeOfDayText(at, zone)
  return dayText(at, zone) === dayText(now, zone) ? time : `${dayText(at, zone)}, ${time}`
}

function WallClock({ skew }: { skew: number }): ReactElement {
  const { zone } = usePreferences()
  const time = useDerivedFromNow((now) => timeOfDayText(now + skew, zone))
  return <time className={css.clock}>{time}</time>
}

/** How old the last sign of life is: always there, whatever the state. */
function Heard({ trust, isStarting }: { trust: Trust; isStarting: boolean }): ReactElement {
  const { feed } = useServices()
  const ticker = useTicker()
  const isLive = trust.is === 'live'
  const age = useDerivedFromNow(() => {
    // The feed may have heard more since the words beside it were chosen.
    const isLost = trust.is === 'silent' && trust.side === 'proxy'
    const lastHeardAt = isLost ? trust.since : feed.getSnapshot().lastHeardAt
    if (lastHeardAt === undefined || (isStarting && !isLive)) return 'no data yet'
    // Whoever else is silent: it is the proxy that is heard.
    return `${isLive ? 'Live · ' : 'Sightline responded '}${heardText(ticker.now() - lastHeardAt)}`
  })
  return (
    <p className={css.heard} data-live={isLive}>
      <StatusShape tone={isLive ? 'good' : 'waiting'} />
      {age}
    </p>
  )
}

/** To the second in the first minute: that is how one sees that it lives. */
function heardText(ageMs: number): string {
  const seconds = Math.max(0, Math.floor(ageMs / 1000))
  return seconds < 60 ? `${seconds} s ago` : agoText(ageMs)
}

const panels = [
  ['people', 'Failing'],
  ['settings', 'Display'],
  ['share', 'Share'],
  ['screens', 'Screens'],
  ['keys', 'Keys'],
] as const

/** The buttons of a wall, hidden while nobody touches the screen. */
export function WallControls({
  isHidden,
  editAddress,
  onOpen,
}: {
  isHidden: boolean
  /** Where its tiles are edited. */
  editAddress: string
  onOpen: (panel: WallPanel) => void
}): ReactElement {
  return (
    <nav className={css.controls} data-hidden={isHidden || undefined} data-layer aria-label="Wall">
      <Button component={Link} variant="subtle" color="gray" to={editAddress}>
        Edit wall
      </Button>
      {panels.map(([panel, label]) => (
        <Button
          key={panel}
          data-panel={panel}
          variant="subtle"
          color="gray"
          onClick={() => {
            onOpen(panel)
          }}
        >
          {label}
        </Button>
      ))}
      <Button component={Link} variant="subtle" color="gray" to="/walls">
        All walls
      </Button>
      <Button component={Link} variant="subtle" color="gray" to="/">
        Leave
      </Button>
    </nav>
  )
}

/** How far what the wall shows can be believed; while it is shown, the feed is kept alive. */
export function useTrust(): Trust {
  const { feed, clock, fetch, isOnline } = useServices()
  const watch = useMemo(
    () => createWallWatch({ feed, clock, fetch, isOnline }),
    [feed, clock, fetch, isOnline],
  )
  const trust = useStore(watch)
  const isSignedOut = trust.is === 'silent' && trust.side === 'session'
  const queries = useQueryClient()
  useEffect(() => {
    // Refused the configuration as well, the page shows a code instead of the wall.
    if (isSignedOut) void queries.invalidateQueries({ queryKey: ['config'] })
  }, [isSignedOut, queries])
  return trust
}

/** What a wall says of itself: large, and nothing else is as loud. */
interface TrustWords {
  /** Which side is silent and since when: one sentence. */
  readonly title: string
  /** What that means for what is shown, and what was said of it. */
  readonly meaning: string
}

const sides: Record<SilentSide, string> = {
  starting: 'Waiting for data',
  network: 'This screen is offline',
  proxy: 'No data from Sightline',
  session: 'This screen is signed out',
  upstream: 'No data from the build server',
  none: 'No build server is connected',
  ended: 'The build stream has ended',
}

/** The same with the time of day after it, where that isn't "since". */
const sidesAt: Partial<Record<SilentSide, string>> = {
  network: 'This screen has been offline since',
  session: 'This screen has been signed out since',
  ended: 'The build stream ended at',
}

/** What can be said of the times of silence, as texts; undefined where it is not known. */
interface SilenceTimes {
  /** When that side was last heard, or when what is shown was kept: the time of day, with its day where that is not today. */
  readonly since: string | undefined
  readonly age: string | undefined
  /** How long until it is tried again. */
  readonly retry: string | undefined
  /** Nothing was heard since the page was opened: it shows what was kept on this device. */
  readonly isKept: boolean
}

/** The words of a silence. */
export function trustWords(
  trust: Extract<Trust, { is: 'silent' }>,
  { since, age, retry, isKept }: SilenceTimes,
): TrustWords {
  const { side, reason } = trust
  if (side === 'none') return { title: `${sides.none}.`, meaning: reason ?? '' }
  const isTried = ['starting', 'network', 'proxy'].includes(side)
  const next =
    side === 'session'
      ? 'Continues after someone signs in.'
      : !isTried
        ? reason?.endsWith('Reconnecting.') === true
          ? undefined
          : 'Reconnects automatically.'
        : retry === undefined
          ? 'Trying again.'
          : `Trying again in ${retry}.`
  if (isKept && since !== undefined) {
    return {
      title: age === undefined ? `As of ${since}.` : `As of ${since}, ${age}.`,
      meaning: [
        silences[side],
        age === undefined ? "This device's clock is behind, so its age isn't known." : undefined,
        ['upstream', 'session', 'ended'].includes(side) ? reason : undefined,
        next,
      ]
        .filter((part) => part !== undefined)
        .join(' '),
    }
  }
  const shown =
    since === undefined || age === undefined ? undefined : `Showing the state from ${age}.`
  // One line, as in a moment: nothing below has to move when the first news comes.
  if (side === 'starting') return { title: `${sides.starting}…`, meaning: reason ?? '' }
  return {
    title:
      since === undefined
        ? `${sides[side]}.`
        : `${sidesAt[side] ?? `${sides[side]} since`} ${since}.`,
    meaning: [shown, reason, next].filter((part) => part !== undefined).join(' '),
  }
}

/** What of a side is said where it was not heard at all. */
const silences: Record<Exclude<SilentSide, 'none'>, string> = {
  starting: 'Connecting to Sightline.',
  network: 'This screen is offline.',
  proxy: "Sightline doesn't respond.",
  session: 'This screen is signed out.',
  upstream: "The build server doesn't respond.",
  ended: 'The build stream has ended.',
}

/** Whether what is shown may no longer be true; before the first news there is nothing to gray, but what was `kept` on this device. */
export function isStale(trust: Trust, isKept = false): boolean {
  return trust.is === 'silent' && (trust.side !== 'starting' || isKept)
}
