import { Skeleton } from '@mantine/core'
import type { ReactElement } from 'react'
import type { PartState } from '../../data/build/build-events.ts'
import { EmptyState } from '../../ui/page.tsx'
import css from './no-executions.module.css'

/** In place of the raw events while there are none. */
export function NoEvents({ part }: { part: PartState }): ReactElement {
  if (part.state === 'idle' || part.state === 'loading') {
    return (
      <div className={css.skeletons} role="status" aria-label="Reading all events">
        {Array.from({ length: 8 }, (_, index) => (
          <Skeleton key={index} height={14} />
        ))}
      </div>
    )
  }
  return (
    <EmptyState
      title={part.state === 'complete' ? 'This build has no events.' : 'No event has come yet.'}
    >
      <p>
        {part.state === 'complete'
          ? 'The server announced the build and sent nothing else of it.'
          : 'Events appear here as soon as they can be read.'}
      </p>
    </EmptyState>
  )
}
