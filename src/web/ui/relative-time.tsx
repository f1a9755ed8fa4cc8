import type { ReactElement } from 'react'
import { agoText } from './ago.ts'
import { usePreferences } from './device-preferences.ts'
import { instantText } from './instant.ts'
import { useDerivedFromNow } from './ticker.ts'
import { Unseen } from './unseen.tsx'

/**
 * How long ago `at` was (epoch ms), kept up to date. The instant itself is in the tooltip and what a
 * screen reader says, in the zone of the viewer's choice. `skew` is what to add to this browser's
 * clock to get the clock that `at` was read from, ms.
 */
export function RelativeTime({ at, skew = 0 }: { at: number; skew?: number }): ReactElement {
  const { zone } = usePreferences()
  const ago = useDerivedFromNow((now) => agoText(now + skew - at))
  const instant = instantText(at, zone)
  return (
    <time dateTime={new Date(at).toISOString()} title={instant}>
      <span aria-hidden="true">{ago}</span>
      <Unseen>{instant}</Unseen>
    </time>
  )
}
