import type { ReactElement } from 'react'
import css from './query-editor.module.css'

/** Writes a query anew: in several lines, or back in one. */
export function FormatButton({
  isOneLine,
  isDisabled,
  onClick,
}: {
  isOneLine: boolean
  isDisabled: boolean
  onClick: () => void
}): ReactElement {
  const label = isOneLine ? 'Format the query in several lines' : 'Format the query in one line'
  return (
    <button
      type="button"
      className={css.format}
      aria-label={label}
      title={label}
      disabled={isDisabled}
      onClick={onClick}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={isOneLine ? 'M3 4h10M6 8h7M6 12h5' : 'M3 8h10'} />
      </svg>
    </button>
  )
}
