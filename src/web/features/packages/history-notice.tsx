import type { ReactElement } from 'react'
import { StatusShape } from '../../ui/status-mark.tsx'
import css from './scan-notices.module.css'

/** That an evaluation was not recorded, and why; nothing waits for it. */
export function HistoryNotice({ fault }: { fault: string | undefined }): ReactElement | null {
  return fault === undefined ? null : (
    <p className={css.notice} data-testid="history-notice">
      <StatusShape tone="waiting" />
      <span>{fault} The answer itself is whole, and nothing waits for its record.</span>
    </p>
  )
}
