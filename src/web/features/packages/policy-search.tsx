import { type ReactElement, type RefObject, useState } from 'react'
import css from './scan-filters.module.css'

/** A search as it is typed; the address, which everything else follows, comes a moment later. */
export function PolicySearch({
  field,
  text,
  isSearching,
  onSearch,
}: {
  field: RefObject<HTMLInputElement | null>
  text: string
  /** What is shown is not yet what was searched for. */
  isSearching: boolean
  onSearch: (text: string) => void
}): ReactElement {
  const [typed, setTyped] = useState(text)
  const [before, setBefore] = useState(text)
  /** Typed here, and not yet in the address. */
  const [underWay, setUnderWay] = useState<readonly string[]>([])
  if (text !== before) {
    setBefore(text)
    const at = underWay.indexOf(text)
    setUnderWay(at === -1 ? [] : underWay.slice(at + 1))
    // What was not typed here is a step back, or a link.
    if (at === -1) setTyped(text)
  }
  return (
    <span className={css.field}>
      <input
        ref={field}
        type="search"
        className={css.search}
        aria-label="Search the policies"
        placeholder="Search policies and details"
        spellCheck={false}
        value={typed}
        onChange={(event) => {
          const { value } = event.currentTarget
          setTyped(value)
          setUnderWay([...underWay, value])
          onSearch(value)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur()
        }}
      />
      {isSearching && <span className={css.searching}>Searching…</span>}
    </span>
  )
}
