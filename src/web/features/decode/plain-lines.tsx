import type { ReactElement, ReactNode } from 'react'
import css from './plain-lines.module.css'
import { useFixedRows } from './use-fixed-rows.ts'

const rowHeight = 20

/** As many rows fit into the height that browsers give an element. */
export const mostRows = 800_000

/** Rows of text of any number, of which only those in sight are in the document. */
export function PlainLines({
  label,
  count,
  row,
}: {
  label: string
  count: number
  row: (index: number) => ReactNode
}): ReactElement {
  const { setScroller, height, rows } = useFixedRows(Math.min(count, mostRows), rowHeight)
  return (
    <div ref={setScroller} className={css.scroller} role="region" aria-label={label} tabIndex={0}>
      <div className={css.canvas} style={{ height: height }}>
        {rows.map(({ index, top }) => (
          <div key={index} className={css.row} style={{ transform: `translateY(${top}px)` }}>
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  )
}
