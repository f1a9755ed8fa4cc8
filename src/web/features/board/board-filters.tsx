import type { ReactElement } from 'react'
import type { BoardAddress } from './board-address.ts'
import css from './board.module.css'

/** What of the board is looked at; all of it stands in the address. */
export function BoardFilters({
  address,
  scans,
  shown,
  all,
  onChange,
}: {
  address: BoardAddress
  scans: readonly string[]
  shown: number
  all: number
  onChange: (change: Partial<BoardAddress>) => void
}): ReactElement {
  return (
    <div role="search" className={css.filters}>
      <label className={css.choice}>
        <input
          type="checkbox"
          checked={address.onlyFailing}
          onChange={({ target }) => {
            onChange({ onlyFailing: target.checked })
          }}
        />
        Failing only
      </label>
      <input
        type="search"
        className={css.text}
        aria-label="Package or policy contains"
        placeholder="Package or policy contains …"
        value={address.text}
        onChange={({ target }) => {
          onChange({ text: target.value })
        }}
      />
      <label className={css.choice}>
        Scan
        <select
          value={address.scan}
          onChange={({ target }) => {
            onChange({ scan: target.value })
          }}
        >
          <option value="">all</option>
          {scans.map((scan) => (
            <option key={scan}>{scan}</option>
          ))}
        </select>
      </label>
      <label className={css.choice}>
        Order
        <select
          value={address.order}
          onChange={({ target }) => {
            onChange({ order: target.value === 'written' ? 'written' : 'worst' })
          }}
        >
          <option value="worst">worst first</option>
          <option value="written">as written</option>
        </select>
      </label>
      {shown < all && (
        <span className={css.dim}>
          {shown} of {all} packages shown
        </span>
      )}
    </div>
  )
}
