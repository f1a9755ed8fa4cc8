import { type ReactElement, useEffect, useRef, useState } from 'react'
import { useLocation } from 'react-router'
import { useServices } from '../data/core/services.ts'
import { type Readable, useStore } from '../data/core/store.ts'
import { connectionSentence, type ConnectionTone } from '../data/live/connection-sentence.ts'
import type { FeedView } from '../data/live/feed-state.ts'
import { usePreferences } from '../ui/device-preferences.ts'
import { durationText, timeOfDayText } from '../ui/format.ts'
import { lazyPopup } from '../ui/lazy-part.tsx'
import { StatusShape, type StatusTone } from '../ui/status-mark.tsx'
import { VisuallyHidden } from '../ui/text.tsx'
import { useNow } from '../ui/time.tsx'
import css from './shell.module.css'

const ConnectionDetails = lazyPopup(
  async () => (await import('./connection-details.tsx')).ConnectionDetails,
)

const tones: Record<ConnectionTone, StatusTone> = {
  good: 'good',
  waiting: 'waiting',
  bad: 'bad',
  ended: 'none',
}

/** For so long a page that isn't about builds has the line for itself, ms: the builds of an hour are 100 kB. */
const feedWaitsMs = 1000

/** Whether a page shows the builds of the server. */
export function isAboutBuilds(pathname: string): boolean {
  return pathname === '/' || /^\/(?:builds|tests)(?:\/|$)/.test(pathname)
}

/** The feed, which is opened at once for a page about builds, and after what the others show first. */
export function useFeedInTurn(): Readable<FeedView> {
  const { clock, feed } = useServices()
  const isFirst = isAboutBuilds(useLocation().pathname)
  const [isDue, setDue] = useState(false)
  useEffect(
    () =>
      clock.after(feedWaitsMs, () => {
        setDue(true)
      }),
    [clock],
  )
  return isFirst || isDue ? feed : { subscribe: notYet, getSnapshot: feed.getSnapshot }
}

function notYet(): () => void {
  return () => undefined
}

/** Whether what is on the screen is live, in one sentence; more of it on a click. */
export function ConnectionState(): ReactElement {
  const view = useStore(useFeedInTurn())
  const { zone } = usePreferences()
  const { text, tone } = connectionSentence(view, useNow(), {
    timeOfDay: (at) => timeOfDayText(at, zone),
    duration: durationText,
  })
  // Where there is no room, what comes later wraps away: of each part all of it is read, or nothing.
  const [first, ...rest] = text.split(/(?=[,:] | \(| (?:in|since|to) (?!go))/)
  const [isOpen, setOpen] = useState<boolean>()
  const button = useRef<HTMLButtonElement>(null)
  const trigger = (
    <button
      ref={button}
      type="button"
      className={css.state}
      data-tone={tones[tone]}
      data-testid="connection-state"
      aria-label={`Connection: ${text}`}
      title={text}
      onClick={() => {
        setOpen(isOpen !== true)
      }}
    >
      <span>
        <StatusShape tone={tones[tone]} />
        <span className={css.text}>{first}</span>
      </span>
      {rest.map((part) => (
        <span key={part} className={css.text}>
          {part}
        </span>
      ))}
    </button>
  )
  return (
    <>
      {isOpen === undefined ? (
        trigger
      ) : (
        <ConnectionDetails
          sentence={text}
          opened={isOpen}
          trigger={trigger}
          onClose={() => {
            setOpen(false)
            // The popover remembers the button from before it was loaded.
            button.current?.focus()
          }}
        />
      )}
      {/* Only a change of state is announced: the sentence itself counts seconds. */}
      <span role="status">
        <VisuallyHidden>{first}</VisuallyHidden>
      </span>
    </>
  )
}
