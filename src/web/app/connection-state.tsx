import { Popover } from '@mantine/core'
import { type ReactElement, type ReactNode, useState } from 'react'
import { countOf } from '../../protocol/count.ts'
import type { LiveStatus } from '../../protocol/live-feed.ts'
import { useServices } from '../data/core/services.ts'
import { useStore } from '../data/core/store.ts'
import { connectionSentence, type ConnectionTone } from '../data/live/connection-sentence.ts'
import { usePreferences } from '../ui/device-preferences.ts'
import { timeOfDayText } from '../ui/format.ts'
import { StatusShape, type StatusTone } from '../ui/status-mark.tsx'
import { VisuallyHidden } from '../ui/text.tsx'
import { RelativeTime, useNow } from '../ui/time.tsx'
import css from './shell.module.css'
import type { Connection } from '../data/live/feed-state.ts'

const tones: Record<ConnectionTone, StatusTone> = {
  good: 'good',
  waiting: 'waiting',
  bad: 'bad',
  ended: 'none',
}

/** Whether what is on the screen is live, in one sentence; more of it on a click. */
export function ConnectionState(): ReactElement {
  const view = useStore(useServices().feed)
  const { zone } = usePreferences()
  const { text, tone } = connectionSentence(view, useNow(), (at) => timeOfDayText(at, zone))
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Popover
        opened={isOpen}
        onChange={setOpen}
        position="bottom-end"
        width={340}
        shadow="sm"
        trapFocus
        returnFocus
      >
        <Popover.Target>
          <button
            type="button"
            className={css.state}
            data-tone={tone}
            data-testid="connection-state"
            aria-label={`Connection: ${text}`}
            title={text}
            onClick={() => {
              setOpen(!isOpen)
            }}
          >
            <StatusShape tone={tones[tone]} />
            <span className={css.text}>{text}</span>
          </button>
        </Popover.Target>
        <Popover.Dropdown aria-label="Connection in detail">
          <ConnectionDetails sentence={text} />
        </Popover.Dropdown>
      </Popover>
      {/* Only a change of state is announced: the sentence itself counts seconds. */}
      <span role="status">
        <VisuallyHidden>{connectionWords[view.connection.state]}</VisuallyHidden>
      </span>
    </>
  )
}

function ConnectionDetails({ sentence }: { sentence: string }): ReactElement {
  const { feed } = useServices()
  const view = useStore(useServices().feed)
  const { connection, upstream, clockDifference } = view
  return (
    <div className={css.details}>
      <p className={css.sentence}>{sentence}</p>
      <dl className={css.list}>
        <Detail name="This browser">
          {connectionWords[connection.state]}
          {'reason' in connection && `: ${connection.reason}`}
        </Detail>
        <Detail name="Proxy heard">
          {view.lastHeardAt === undefined ? 'never' : <RelativeTime at={view.lastHeardAt} />}
        </Detail>
        <Detail name="Build server">
          {upstream === undefined
            ? 'not known'
            : `${upstreamWords[upstream.upstream]}: ${upstream.message}`}
        </Detail>
        {/* Told at a change only, so that it would look old while all is well. */}
        {upstream !== undefined && upstream.upstream !== 'live' && (
          <Detail name="Server heard">
            {upstream.lastHeardAt === null ? (
              'never'
            ) : (
              <RelativeTime at={upstream.lastHeardAt} skew={clockDifference} />
            )}
          </Detail>
        )}
        <Detail name="Not readable">{countOf(view.malformed, 'message')}</Detail>
        <Detail name="Interruptions">
          {view.gaps === 0
            ? 'none that lost builds'
            : `${countOf(view.gaps, 'gap')}: builds missing`}
        </Detail>
      </dl>
      <button type="button" className={css.again} onClick={feed.reconnect}>
        Reconnect now
      </button>
    </div>
  )
}

function Detail({ name, children }: { name: string; children: ReactNode }): ReactElement {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

/** How this browser stands with the proxy, in a word or two. */
const connectionWords: Record<Connection['state'], string> = {
  idle: 'Not connected',
  connecting: 'Connecting',
  'catching-up': 'Catching up',
  live: 'Live',
  retrying: 'Connection lost, trying again',
  'signed-out': 'Signed out',
  refused: 'Refused',
  complete: 'The stream has ended',
}

/** How the proxy stands with the build server. */
const upstreamWords: Record<LiveStatus['upstream'], string> = {
  connecting: 'Connecting',
  live: 'Live',
  polling: 'Asked again and again',
  retrying: 'Lost, trying again',
  refused: 'Refuses the proxy',
  complete: 'Nothing more will come',
}
