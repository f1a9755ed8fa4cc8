import type { ReactElement } from 'react'
import type { LoggedEvent } from '../../../facts/event-log.ts'
import { prettyJson } from '../../../facts/pretty-json.ts'
import { CopyButton } from '../../ui/copy.tsx'
import css from './event-details.module.css'

/** One event as JSON, with every digit of its numbers. */
export function EventDetails({
  event,
  onClose,
}: {
  event: LoggedEvent
  onClose: () => void
}): ReactElement {
  const { type, sequence, index, text } = event
  const name = `${type}, number ${sequence ?? index + 1}`
  return (
    <section className={css.details} aria-label={name}>
      <h2 className={css.title}>
        {name}
        <CopyButton text={text} what="this event as it came" />
        <button type="button" className={css.close} aria-label="Close details" onClick={onClose}>
          ✕
        </button>
      </h2>
      {/* It scrolls, so the keyboard must reach it. */}
      <pre tabIndex={0} aria-label={`JSON of ${name}`}>
        {prettyJson(text)}
      </pre>
    </section>
  )
}
