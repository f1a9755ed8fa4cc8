import type { ReactElement, ReactNode } from 'react'
import css from './page.module.css'
import { StatusShape, type StatusTone } from './status-mark.tsx'

/** What keeps a page from being complete; Mantine's would be in every first load. `alert` is read out at once. */
export function Notice({
  tone = 'waiting',
  role = 'note',
  testId,
  action,
  children,
}: {
  tone?: StatusTone
  role?: 'note' | 'alert' | 'status'
  testId?: string
  /** What can be done about it. */
  action?: ReactNode
  children: ReactNode
}): ReactElement {
  return (
    <div role={role} className={css.notice} data-tone={tone} data-testid={testId}>
      <StatusShape tone={tone} />
      <div>{children}</div>
      {action}
    </div>
  )
}
