import { Button } from '@mantine/core'
import type { ReactElement } from 'react'
import { Link } from 'react-router'
import { useServices } from '../../data/core/services.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { agoText, timeOfDayText } from '../../ui/format.ts'
import { StatusShape } from '../../ui/status-mark.tsx'
import { VisuallyHidden } from '../../ui/text.tsx'
import { useDerivedFromNow, useTicker } from '../../ui/time.tsx'
import type { WallPanel } from './wall-commands.ts'
import { isStale, trustWords } from './wall-trust.ts'
import css from './wall.module.css'
import type { Trust } from '../../data/wall/wall-watch.ts'

/** What stands above the tiles: the wall in a sentence, whether it can be believed, and the time. */
export function WallBar({
  title,
  summary,
  trust,
  hasClock,
  notices,
  isDemo,
}: {
  title: string
  summary: string
  trust: Trust
  hasClock: boolean
  /** Sentences about what is not shown. */
  notices: readonly string[]
  /** Whether the builds are made up. */
  isDemo: boolean
}): ReactElement {
  return (
    <header className={css.bar}>
      <div className={css.words}>
        <p className={css.dim}>{title}</p>
        {trust.is === 'live' ? (
          <h1 className={css.summary}>{summary}</h1>
        ) : (
          <Silence trust={trust} />
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
        {hasClock && <WallClock />}
        <Heard isLive={trust.is === 'live'} isStarting={!isStale(trust)} />
        <span role="status">
          <VisuallyHidden>
            {trust.is === 'live' ? 'Live' : `Not live: ${trust.side}`}
          </VisuallyHidden>
        </span>
      </div>
    </header>
  )
}

function Silence({ trust }: { trust: Extract<Trust, { is: 'silent' }> }): ReactElement {
  const { zone } = usePreferences()
  const { since } = trust
  const age = useDerivedFromNow((now) => (since === undefined ? '' : agoText(now - since)))
  const words = trustWords(trust, {
    since: since === undefined ? undefined : timeOfDayText(since, zone),
    age: age === '' ? undefined : age,
  })
  return (
    <div className={css.silence} data-side={trust.side}>
      <h1 className={css.summary}>{words.title}</h1>
      {words.meaning !== '' && <p className={css.meaning}>{words.meaning}</p>}
    </div>
  )
}

function WallClock(): ReactElement {
  const { zone } = usePreferences()
  const time = useDerivedFromNow((now) => timeOfDayText(now, zone))
  return <time className={css.clock}>{time}</time>
}

/** How old the last sign of life is: always there, whatever the state. */
function Heard({ isLive, isStarting }: { isLive: boolean; isStarting: boolean }): ReactElement {
  const { feed } = useServices()
  const ticker = useTicker()
  const age = useDerivedFromNow(() => {
    const { lastHeardAt } = feed.getSnapshot()
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
  ['edit', 'Edit tiles'],
  ['settings', 'Display'],
  ['share', 'Share'],
  ['screens', 'Screens'],
  ['keys', 'Keys'],
] as const

/** The buttons of a wall, hidden while nobody touches the screen. */
export function WallControls({
  isHidden,
  onOpen,
}: {
  isHidden: boolean
  onOpen: (panel: WallPanel) => void
}): ReactElement {
  return (
    <nav className={css.controls} data-hidden={isHidden || undefined} aria-label="Wall">
      {panels.map(([panel, label]) => (
        <Button
          key={panel}
          variant="subtle"
          color="gray"
          onClick={() => {
            onOpen(panel)
          }}
        >
          {label}
        </Button>
      ))}
      <Button component={Link} variant="subtle" color="gray" to="/">
        Leave
      </Button>
    </nav>
  )
}
