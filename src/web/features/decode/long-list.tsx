import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactElement, type ReactNode, useEffect, useState } from 'react'
import { revealRow } from '../../ui/virtual-rows.ts'
import css from './decode.module.css'

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
            style={{
              position: 'absolute',
              top: 0,
              width: '100%',
              transform: `translateY(${start}px)`,
            }}
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

/** The rows in sight of a list whose rows are all as high. */
export interface FixedRows {
  /** Told the element that scrolls, while there is one. */
  readonly setScroller: (element: HTMLElement | null) => void
  /** The height of all rows, px. */
  readonly height: number
  /** The rows to show, with where each begins, px. */
  readonly rows: readonly { readonly index: number; readonly top: number }[]
  /** How many rows there is room for. */
  readonly page: number
  /** Scrolls as little as brings a row into sight. */
  readonly reveal: (index: number) => void
}

/** Rows beyond the edges, so that scrolling meets no gap. */
const beyond = 12

/** Costs the same for a hundred rows and for a million. */
export function useFixedRows(count: number, rowHeight: number): FixedRows {
  const [scroller, setScroller] = useState<HTMLElement | null>(null)
  const [view, setView] = useState({ first: 0, page: 40 })
  useEffect(() => {
    if (scroller === null) return
    const look = (): void => {
      const first = Math.floor(scroller.scrollTop / rowHeight)
      const page = Math.ceil(scroller.clientHeight / rowHeight)
      setView((now) => (now.first === first && now.page === page ? now : { first, page }))
    }
    const resized = new ResizeObserver(look)
    resized.observe(scroller)
    scroller.addEventListener('scroll', look, { passive: true })
    return () => {
      resized.disconnect()
      scroller.removeEventListener('scroll', look)
    }
  }, [scroller, rowHeight])

  const from = Math.max(0, Math.min(view.first, count - view.page) - beyond)
  const to = Math.min(count, view.first + view.page + beyond)
  return {
    setScroller,
    height: count * rowHeight,
    rows: Array.from({ length: Math.max(0, to - from) }, (_, at) => ({
      index: from + at,
      top: (from + at) * rowHeight,
    })),
    page: view.page,
    reveal: (index) => {
      if (scroller !== null) revealRow(scroller, index, rowHeight)
    },
  }
}
