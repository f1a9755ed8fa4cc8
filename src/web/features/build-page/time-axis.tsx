import type { ReactElement } from 'react'
import css from './lane-strip.module.css'
import { timeTicks } from './time-ticks.ts'

/** Marks of time since the build's first execution, ms. */
export function TimeAxis({ from, to }: { from: number; to: number }): ReactElement {
  const length = Math.max(to - from, 1)
  return (
    <div className={css.axis} aria-hidden="true">
      {timeTicks(from, to, 6).map(({ at, label }) => {
        const place = ((at - from) / length) * 100
        return place > 97 ? null : (
          <span key={at} style={{ left: `${place}%` }}>
            {label}
          </span>
        )
      })}
    </div>
  )
}
