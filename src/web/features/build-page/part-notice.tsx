import { Button } from '@mantine/core'
import type { ReactElement } from 'react'
import type { BuildPart } from '../../data/build/build-event-messages.ts'
import type { BuildEvents, PartState } from '../../data/build/build-events.ts'
import { StatusShape } from '../../ui/status-mark.tsx'
import { useNow } from '../../ui/time.tsx'
import { type PartSentence, partSentence } from './part-sentence.ts'
import css from './part-notice.module.css'

/** What there is to say or to do about the reading of a part, but for how far it has come. */
export function PartNotice(props: PartNoticeProps): ReactElement | null {
  return props.state.state === 'loading' ? null : <Notice {...props} />
}

/** How far the reading of a part has come: below what is read, where nothing jumps when it is over. */
export function PartProgress(props: PartNoticeProps): ReactElement | null {
  return props.state.state === 'loading' ? <Notice {...props} /> : null
}

interface PartNoticeProps {
  readonly part: BuildPart
  readonly events: BuildEvents
  readonly state: PartState
}

function Notice({ part, events, state }: PartNoticeProps): ReactElement | null {
  const now = useNow()
  const sentence = partSentence(part, state, now)
  if (sentence === undefined) return null
  return (
    <div className={css.notice} data-tone={sentence.tone}>
      <StatusShape tone={sentence.tone} />
      {/* What counts up is not announced each time: a screen reader hears the first words of it. */}
      <span role={sentence.tone === 'info' ? undefined : 'status'}>{sentence.text}</span>
      {sentence.action !== undefined && (
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => {
            act(sentence.action)
          }}
        >
          {actionWords[sentence.action]}
        </Button>
      )}
    </div>
  )

  function act(action: PartSentence['action']): void {
    if (action === 'cancel') events.cancel(part)
    else if (part === 'log') events.loadLog(events.getSnapshot().logTypes)
    else events.load(part)
  }
}

const actionWords = { cancel: 'Cancel', 'go-on': 'Go on from there', again: 'Try again' }
