import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactElement, type ReactNode, useState } from 'react'
import css from './long-list.module.css'
import { useFixedRows } from './use-fixed-rows.ts'

/** A list so short that it stands there whole. */
const short = 30

/** Of so many, each item can have the height that it needs; finding them takes its time. */
const mostMeasured = 2_000

interface LongListProps {
  readonly label: string
  readonly length: number
  readonly item: (index: number) => ReactNode
  /** The usual height of an item, px; in a list of thousands that of each. */
  readonly estimate?: number
}

/** A list of any length; of a long one only what is in sight is in the document. */
export function LongList(props: LongListProps): ReactElement {
  const { label, length, item, estimate = 34 } = props
  if (length > mostMeasured) return <Fixed {...{ label, length, item, estimate }} />
  if (length > short) return <Measured {...{ label, length, item, estimate }} />
  return (
    <ul className={css.list} aria-label={label}>
      {Array.from({ length }, (_, index) => (
        <li key={index}>{item(index)}</li>
      ))}
    </ul>
  )
}

function Measured({ label, length, item, estimate }: Required<LongListProps>): ReactElement {
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null)
  const virtualizer = useVirtualizer({
    count: length,
    getScrollElement: () => scroller,
    estimateSize: () => estimate,
    overscan: 8,
  })
  return (
    <div
      className={css.scroller}
      ref={setScroller}
      role="region"
      aria-label={label}
      // Scrollable by keyboard.
      tabIndex={0}
    >
      <ul className={css.list} aria-label={label} style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => (
          <li
            key={index}
            data-index={index}
            ref={virtualizer.measureElement}
            aria-setsize={length}
            aria-posinset={index + 1}
            className={css.placed}
            style={{ transform: `translateY(${start}px)` }}
          >
            {item(index)}
          </li>
        ))}
      </ul>
    </div>
  )
}

function Fixed({ label, length, item, estimate }: Required<LongListProps>): ReactElement {
  const { setScroller, height, rows } = useFixedRows(Math.min(length, mostItems), estimate)
  return (
    <div className={css.scroller} ref={setScroller} role="region" aria-label={label} tabIndex={0}>
      <ul className={css.list} aria-label={label} style={{ height }}>
        {rows.map(({ index, top }) => (
          <li
            key={index}
            aria-setsize={length}
            aria-posinset={index + 1}
            className={css.fixed}
            style={{ height: estimate, transform: `translateY(${top}px)` }}
          >
            {item(index)}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** As many fit into the height that browsers give an element; the payload shows the rest. */
const mostItems = 250_000
