import type { ReactElement } from 'react'
import css from './status-mark.module.css'

/** What a status means to its reader; colour and shape follow from it (tokens.css). */
export type StatusTone = 'good' | 'bad' | 'waiting' | 'none' | 'info'

const shapes: Record<StatusTone, ReactElement> = {
  good: <path d="M3 8.5 6.5 12 13 4.5" />,
  bad: <path d="M4 4l8 8M12 4l-8 8" />,
  waiting: <circle cx="8" cy="8" r="5" strokeDasharray="3.2 2.2" />,
  none: <path d="M4 8h8" />,
  info: <path d="M8 7.5V12M8 4.2v.2" />,
}

/** A status told three times: by colour, by shape, and by the word beside it. */
export function StatusMark({ tone, word }: { tone: StatusTone; word: string }): ReactElement {
  return (
    <span className={css.mark} data-tone={tone}>
      <StatusShape tone={tone} />
      <span>{word}</span>
    </span>
  )
}

/** The shape alone, for where the word stands elsewhere; hidden from screen readers. */
export function StatusShape({ tone }: { tone: StatusTone }): ReactElement {
  return (
    <svg className={css.shape} data-tone={tone} viewBox="0 0 16 16" aria-hidden="true">
      {shapes[tone]}
    </svg>
  )
}
