import { Button } from '@mantine/core'
import type { ReactElement } from 'react'
import type { BuildPart } from '../../data/build-event-messages.ts'
import type { BuildEvents, PartState } from '../../data/build-events.ts'
import { StatusShape } from '../../ui/status-mark.tsx'
import { useNow } from '../../ui/ticker.ts'
import { type PartSentence, partSentence } from './part-sentence.ts'
import css from './part-notice.module.css'

/** How the reading of a part stands, as long as there is something to say or to do about it. */
export function PartNotice({
  part,
  events,
  state,
}: {
  part: BuildPart
  events: BuildEvents
  state: PartState
}): ReactElement | null {
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
