import type { ReactElement } from 'react'
import type { TypeCount } from '../../../facts/event-log.ts'
import { countText } from '../../../protocol/count.ts'
import css from './type-list.module.css'

/** The types of the events with how many there are of each; those that are chosen are listed. */
export function TypeList({
  counts,
  chosen,
  onToggle,
  onClear,
}: {
  counts: readonly TypeCount[]
  chosen: readonly string[]
  onToggle: (type: string) => void
  onClear: () => void
}): ReactElement {
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  // A type that an address asks for is there also when no event is of it.
  const absent = chosen.filter((type) => !counts.some((known) => known.type === type))
  const rows = [...counts, ...absent.map((type) => ({ type, count: 0, kept: 0 }))]
  return (
    <fieldset className={css.types}>
      <legend>
        {countText(total)} events
        {chosen.length > 0 && (
          <button type="button" className={css.clear} onClick={onClear}>
            Show all
          </button>
        )}
      </legend>
      {rows.map(({ type, count }) => (
        <label key={type} className={css.type}>
          <input
            type="checkbox"
            checked={chosen.includes(type)}
            onChange={() => {
              onToggle(type)
            }}
          />
          <span className={css.name}>{type}</span>
          <span className={css.count}>{countText(count)}</span>
        </label>
      ))}
    </fieldset>
  )
}
