import type { ReactElement } from 'react'
import type { Waiver } from '../../../protocol/waiver.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { instantText } from '../../ui/format.ts'
import { StatusShape } from '../../ui/status-mark.tsx'
import { useDerivedFromNow } from '../../ui/time.tsx'
import css from './waiver.module.css'
import { expiryText } from './waiver-draft.ts'

/** "waived until 4 Dec by alice: reason", to stand beside a status that stays what it is. */
export function WaiverMark({ waiver }: { waiver: Waiver }): ReactElement {
  const { zone } = usePreferences()
  const { person, by, reason, expiresAt } = waiver
  const until = useDerivedFromNow((now) => expiryText(expiresAt, zone, now))
  return (
    <span
      className={css.mark}
      data-waiver={waiver.id}
      title={`Until ${instantText(expiresAt, zone)}, granted by ${by}`}
    >
      <StatusShape tone="waiting" />
      <span>
        waived until {until} by {person}: {reason}
      </span>
    </span>
  )
}
