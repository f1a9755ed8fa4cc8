import { Checkbox } from '@mantine/core'
import { type ReactElement, useCallback, useRef, useState } from 'react'
import { countOf } from '../../protocol/count.ts'
import css from './page.module.css'

export interface RowSelection {
  readonly selected: ReadonlySet<string>
  /** Selects a row or takes that back; with `isRange` all rows from the last one on as well. */
  readonly toggle: (key: string, isRange: boolean) => void
  /** All of these, or none where all were. */
  readonly toggleAll: (keys: readonly string[]) => void
  readonly clear: () => void
}

/** A selection among rows in their order on the page; those that are gone are no longer selected. */
export function useRowSelection(order: readonly string[]): RowSelection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const last = useRef<string>(undefined)
  const selected = within(chosen, order)
  const toggle = useCallback(
    (key: string, isRange: boolean) => {
      const from = isRange ? last.current : undefined
      last.current = key
      setChosen((now) => toggledRows(within(now, order), order, { key, from }))
    },
    [order],
  )
  const toggleAll = useCallback((keys: readonly string[]) => {
    setChosen((now) => (keys.every((key) => now.has(key)) ? new Set() : new Set(keys)))
  }, [])
  const clear = useCallback(() => {
    setChosen(new Set())
  }, [])
  return { selected, toggle, toggleAll, clear }
}

/** The head of the column of checkboxes: selects all rows, and says so where they are cards. */
export function SelectAllHeading({
  selection: { selected, toggleAll },
  keys,
  noun,
}: {
  readonly selection: RowSelection
  readonly keys: readonly string[]
  /** What one row is, as in "package". */
  readonly noun: string
}): ReactElement {
  const label = `Select ${countOf(keys.length, noun)}`
  return (
    <th scope="col" className={css.select} data-screen-only>
      <Checkbox
        aria-label={label}
        label={label}
        checked={selected.size === keys.length}
        indeterminate={selected.size > 0 && selected.size < keys.length}
        onChange={() => {
          toggleAll(keys)
        }}
      />
    </th>
  )
}

function within(chosen: ReadonlySet<string>, order: readonly string[]): ReadonlySet<string> {
  if (chosen.size === 0) return chosen
  const there = order.filter((key) => chosen.has(key))
  return there.length === chosen.size ? chosen : new Set(there)
}

/** The selection after a click on a row: it and those between it and `from` become what it becomes. */
export function toggledRows(
  selected: ReadonlySet<string>,
  order: readonly string[],
  { key, from }: { readonly key: string; readonly from: string | undefined },
): ReadonlySet<string> {
  const at = order.indexOf(key)
  const start = from === undefined ? at : order.indexOf(from)
  const [first, last] = start === -1 || start > at ? [at, Math.max(start, at)] : [start, at]
  const isOn = !selected.has(key)
  const next = new Set(selected)
  for (const one of order.slice(first, last + 1)) {
    if (isOn) next.add(one)
    else next.delete(one)
  }
  return next
}

/** Whether a change of a checkbox came with the shift key: it is one of a range. */
export function isRangeEvent({ nativeEvent }: { readonly nativeEvent: Event }): boolean {
  return 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true
}
