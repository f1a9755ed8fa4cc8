import type { ReactElement } from 'react'
import { StatusMark, type StatusTone } from '../../ui/status-mark.tsx'
import css from './match-mark.module.css'
import type { RowMatch } from './row-match.ts'

/** Why a row is listed that is not known to match the query that is followed. */
export function MatchMark({ match }: { match: RowMatch | undefined }): ReactElement | null {
  if (match === undefined || match === 'yes') return null
  const { tone, word } = marks[match]
  return (
    <span className={css.mark}>
      <StatusMark tone={tone} word={word} />
    </span>
  )
}

const marks: Record<
  Exclude<RowMatch, 'yes'>,
  { readonly tone: StatusTone; readonly word: string }
> = {
  waiting: { tone: 'waiting', word: 'not known yet' },
  untold: { tone: 'none', word: 'cannot be told here' },
  // Only while the list is held still: it leaves when the list goes on.
  no: { tone: 'none', word: 'does not match' },
}
