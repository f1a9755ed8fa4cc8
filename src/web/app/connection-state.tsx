import { Popover } from '@mantine/core'
import { type ReactElement, type ReactNode, useState } from 'react'
import { connectionSentence, type ConnectionTone } from '../data/live/connection-sentence.ts'
import { countOf } from '../../protocol/count.ts'
import { usePreferences } from '../ui/device-preferences.ts'
import { timeOfDayText } from '../ui/format.ts'
import { RelativeTime, useNow } from '../ui/time.tsx'
import { StatusShape, type StatusTone } from '../ui/status-mark.tsx'
import { VisuallyHidden } from '../ui/text.tsx'
import css from './connection-state.module.css'
import { connectionWords, upstreamWords } from './connection-words.ts'
import { useServices } from '../data/core/services.ts'
import { useStore } from '../data/core/store.ts'

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
