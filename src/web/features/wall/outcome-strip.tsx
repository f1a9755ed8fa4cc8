import type { ReactElement } from 'react'
import type { Outcome } from '../../../facts/tile-state.ts'
import { countText } from '../../../protocol/count.ts'
import css from './wall-tile.module.css'

const places = 20

/**
 * The last outcomes, the newest on the right: failures are full bars, successes half as high, so that
 * the shape tells them apart. Two paths, however many there are.
 */
export function OutcomeStrip({ strip }: { strip: readonly Outcome[] }): ReactElement {
  const failed = strip.filter(({ outcome }) => outcome === 'failed').length
  const label = `Last ${countText(strip.length)}: ${countText(failed)} failed`
  return (
    <svg
      className={css.strip}
      viewBox={`0 0 ${places * 10 - 2} 20`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path className={css.stripGood} d={bars(strip, 'succeeded')} />
      <path className={css.stripBad} d={bars(strip, 'failed')} />
    </svg>
  )
}

function bars(strip: readonly Outcome[], wanted: Outcome['outcome']): string {
  const top = wanted === 'failed' ? 0 : 10
  return strip
    .map(({ outcome }, index) => {
      const x = (places - strip.length + index) * 10
      return outcome === wanted ? `M${x} ${top}h8V20h-8z` : ''
    })
    .join('')
}
