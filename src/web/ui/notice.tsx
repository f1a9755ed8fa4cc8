import { Alert, Group } from '@mantine/core'
import type { ReactElement, ReactNode } from 'react'
import { StatusShape } from './status-mark.tsx'

/** What keeps a page from being complete; `alert` where it is to be read out at once. */
export function Notice({
  tone = 'waiting',
  role = 'note',
  testId,
  action,
  children,
}: {
  tone?: 'waiting' | 'bad'
  role?: 'note' | 'alert' | 'status'
  testId?: string
  /** What can be done about it. */
  action?: ReactNode
  children: ReactNode
}): ReactElement {
  return (
    <Alert role={role} color={tone} p="xs" icon={<StatusShape tone={tone} />} data-testid={testId}>
      <Group gap={8} justify="space-between" style={{ overflowWrap: 'anywhere' }}>
        <div>{children}</div>
        {action}
      </Group>
    </Alert>
  )
}
