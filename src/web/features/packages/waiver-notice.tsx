import type { ReactElement } from 'react'
import { StatusShape } from '../../ui/status-mark.tsx'
import css from './scan-notices.module.css'

/** Where waivers cannot be read: what that means for the verdict. Nothing else is kept from anybody. */
export function WaiverNotice({
  fault,
  isKnown,
}: {
  fault: string | undefined
  isKnown: boolean
}): ReactElement | null {
  if (fault === undefined) return null
  return (
    <p className={css.notice} data-testid="waiver-notice">
      <StatusShape tone="waiting" />
      <span>
        {isKnown
          ? 'Waivers are shown as they were read last, and may have changed since: '
          : 'Waivers are not counted here, as they cannot be read: '}
        {fault}
      </span>
    </p>
  )
}
