import { Button } from '@mantine/core'
import { type ReactElement, useRef, useState } from 'react'
import { countText } from '../../../protocol/count.ts'
import { useKeys } from '../../ui/key-registry.ts'
import css from './payload-tree-view.module.css'

/** As many are found at most; see findNodes. */
const mostFound = 10_000

/** Seeks in keys and values, and steps through what was found. */
export function TreeSearch({
  search,
  onSearch,
  found,
  current,
  onLook,
}: {
  search: string
  onSearch: (search: string) => void
  found: Int32Array
  current: number
  onLook: (node: number) => void
}): ReactElement {
  const field = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState(search)
  useKeys('Payload', [
    { keys: ['/'], label: 'Search the payload', run: () => field.current?.focus() },
  ])
  const place = found.indexOf(current)

  function step(by: 1 | -1): void {
    if (found.length === 0) return
    const next =
      place === -1
        ? by === 1
          ? Math.max(
              0,
              found.findIndex((node) => node > current),
            )
          : found.findLastIndex((node) => node < current)
        : place + by
    const node = found.at(next % found.length)
    if (node !== undefined) onLook(node)
  }

  return (
    <form
      className={css.search}
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        if (typed !== search) onSearch(typed)
        else step(1)
      }}
    >
      <input
        ref={field}
        type="search"
        className={css.field}
        value={typed}
        placeholder="Search keys and values"
        aria-label="Search the payload"
        spellCheck={false}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          onSearch(event.currentTarget.value)
        }}
      />
      <Button
        size="compact-xs"
        variant="default"
        aria-label="Previous match"
        onClick={() => {
          step(-1)
        }}
      >
        ↑
      </Button>
      <Button
        size="compact-xs"
        variant="default"
        aria-label="Next match"
        onClick={() => {
          step(1)
        }}
      >
        ↓
      </Button>
      <span className={css.found} role="status">
        {search.trim() === '' ? '' : foundText(found.length, place)}
      </span>
    </form>
  )
}

function foundText(count: number, place: number): string {
  if (count === 0) return 'Nothing found.'
  const all = count >= mostFound ? `${countText(count)} or more` : countText(count)
  return place === -1 ? `${all} found` : `${countText(place + 1)} of ${all}`
}
