import { Button } from '@mantine/core'
import type { ReactElement } from 'react'
import type { PolicyScanView } from '../../data/scans/policy-scan.ts'
import { StatusShape } from '../../ui/status-mark.tsx'
import { caveatsOf } from './report-of.ts'
import css from './scan-notices.module.css'

/** What keeps the answer from being whole, and why it takes so long. */
export function ScanNotices({
  view,
  onRun,
}: {
  view: PolicyScanView
  onRun: () => void
}): ReactElement | null {
  const { state } = view
  const caveats = caveatsOf(view)
  if (state.is === 'waiting') {
    return (
      <p className={css.notice} data-testid="scan-notice">
        <StatusShape tone="waiting" />
        <span>
          {state.reason} It most often clears within seconds: Sightline asks again by itself.
        </span>
      </p>
    )
  }
  if (caveats.length === 0) return null
  return (
    <div className={css.notice} role="alert" data-testid="scan-notice">
      <StatusShape tone="waiting" />
      <div>
        {caveats.map((caveat) => (
          <p key={caveat}>{caveat}</p>
        ))}
      </div>
      {view.endedAt !== undefined && (
        <Button size="xs" variant="default" onClick={onRun}>
          Evaluate again
        </Button>
      )}
    </div>
  )
}
