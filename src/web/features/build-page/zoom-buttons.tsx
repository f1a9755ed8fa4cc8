import { Button } from '@mantine/core'
import type { ReactElement } from 'react'
import type { Zoom } from './build-address.ts'
import { exactDuration } from './exact-duration.ts'
import css from './zoom-buttons.module.css'
import { zoomed } from './zoom.ts'

/** What stretch of time is looked at, and buttons to look closer or further. */
export function ZoomButtons({
  zoom,
  length,
  onZoom,
}: {
  zoom: Zoom | undefined
  length: number
  onZoom: (zoom: Zoom | undefined) => void
}): ReactElement {
  const buttons = [
    ['Look closer', '+', zoomed(zoom, length, 0.5)],
    ['Look from further away', '−', zoomed(zoom, length, 2)],
  ] as const
  return (
    <div className={css.zoom} role="group" aria-label="Zoom">
      {zoom !== undefined && (
        <span className={css.seen}>
          {`${exactDuration(zoom.to - zoom.from)} from ${exactDuration(zoom.from)}`}
        </span>
      )}
      {buttons.map(([label, sign, next]) => (
        <Button
          key={label}
          size="xs"
          variant="default"
          aria-label={label}
          title={label}
          onClick={() => {
            onZoom(next)
          }}
        >
          {sign}
        </Button>
      ))}
      <Button
        size="xs"
        variant="default"
        disabled={zoom === undefined}
        onClick={() => {
          onZoom(undefined)
        }}
      >
        Whole build
      </Button>
    </div>
  )
}
