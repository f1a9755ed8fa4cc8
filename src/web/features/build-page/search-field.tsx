import { type ReactElement, type RefObject, useEffect, useState } from 'react'
import css from './search-field.module.css'

/** Waits so long after a key before it searches, ms. */
const patience = 150

/** A search as it is typed; the address follows a moment later. */
export function SearchField({
  label,
  value,
  onChange,
  field,
}: {
  label: string
  value: string
  onChange: (value: string) => void
  field?: RefObject<HTMLInputElement | null>
}): ReactElement {
  const [typed, setTyped] = useState(value)
  const [before, setBefore] = useState(value)
  if (value !== before) {
    // The address changed by itself: a step back, or a link.
    setBefore(value)
    setTyped(value)
  }
  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(() => {
      onChange(typed)
    }, patience)
    return () => {
      clearTimeout(timer)
    }
  }, [typed, value, onChange])
  return (
    <input
      ref={field}
      type="search"
      className={css.field}
      value={typed}
      placeholder={label}
      aria-label={label}
      spellCheck={false}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.currentTarget.blur()
      }}
    />
  )
}
