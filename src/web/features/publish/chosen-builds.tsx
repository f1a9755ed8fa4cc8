import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactElement, useState } from 'react'
import css from './build-list.module.css'
import { BuildRow } from './build-row.tsx'

/** A list so short that it stands there whole. */
const short = 30

/** The usual height of a row, px; each is measured. */
const usualHeight = 34

interface ChosenBuildsProps {
  readonly builds: readonly string[]
  readonly onRemove: (build: string) => void
}

/** The rows of the chosen builds; of many only those in sight are drawn and asked about. */
export function ChosenBuilds({ builds, onRemove }: ChosenBuildsProps): ReactElement {
  if (builds.length > short) return <ManyBuilds builds={builds} onRemove={onRemove} />
  return (
    <ul className={css.list} aria-label="Chosen builds">
      {builds.map((build) => (
        <BuildRow
          key={build}
          id={build}
          onRemove={() => {
            onRemove(build)
          }}
        />
      ))}
    </ul>
  )
}

function ManyBuilds({ builds, onRemove }: ChosenBuildsProps): ReactElement {
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null)
  const virtualizer = useVirtualizer({
    count: builds.length,
    getScrollElement: () => scroller,
    estimateSize: () => usualHeight,
    getItemKey: (index) => builds[index] ?? index,
    overscan: 4,
  })
  return (
    <div
      ref={setScroller}
      className={css.list}
      role="region"
      aria-label="Chosen builds"
      // Scrollable by keyboard.
      tabIndex={0}
    >
      <ul
        className={css.many}
        aria-label="Chosen builds"
        style={{ height: virtualizer.getTotalSize() }}
      >
        {virtualizer.getVirtualItems().map(({ index, key, start }) => {
          const build = builds[index] ?? ''
          return (
            <BuildRow
              key={key}
              id={build}
              place={{ index, of: builds.length, top: start, measure: virtualizer.measureElement }}
              onRemove={() => {
                onRemove(build)
              }}
            />
          )
        })}
      </ul>
    </div>
  )
}
