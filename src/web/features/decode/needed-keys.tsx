import type { ReactElement } from 'react'
import css from './needed-keys.module.css'
import { mostNeeded } from './view-address.ts'

/** How many different trusted keys must have signed; a choice that the address keeps. */
export function NeededKeys({
  needed,
  onNeeded,
}: {
  needed: number
  onNeeded: (needed: number) => void
}): ReactElement {
  return (
    <label className={css.choice}>
      Trusted keys needed
      <select
        className={css.select}
        value={needed}
        onChange={({ currentTarget: { value } }) => {
          onNeeded(Number(value))
        }}
      >
        {Array.from({ length: mostNeeded }, (_, at) => (
          <option key={at} value={at + 1}>
            {at + 1}
          </option>
        ))}
      </select>
    </label>
  )
}
