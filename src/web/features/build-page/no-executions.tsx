import { Skeleton } from '@mantine/core'
import type { ReactElement } from 'react'
import type { Facts } from '../../../protocol/facts.ts'
import type { PartState } from '../../data/build/build-events.ts'
import { EmptyState } from '../../ui/page.tsx'
import css from './no-executions.module.css'

/** The tools whose events are known here. */
const knownTools = ['gradle', 'maven']

/** In place of a list of executions, or of tests, while there are none. */
export function NoExecutions({
  part,
  facts,
}: {
  part: PartState
  facts: Facts | undefined
}): ReactElement {
  if (part.state === 'idle' || part.state === 'loading') {
    return (
      <div className={css.skeletons} role="status" aria-label="Reading what the build did">
        {Array.from({ length: 8 }, (_, index) => (
          <Skeleton key={index} height={14} />
        ))}
      </div>
    )
  }
  if (part.state !== 'complete') {
    return (
      <EmptyState title="Nothing of what the build did has come yet.">
        <p>It appears here as soon as its events can be read.</p>
      </EmptyState>
    )
  }
  if (facts !== undefined && !knownTools.includes(facts.buildTool)) {
    return (
      <EmptyState title={`Sightline does not know the events of ${facts.buildTool} builds.`}>
        <p>
          What the server says of the build as a whole stands beside this; its events, if it has
          any, are under “Events” just as they came.
        </p>
      </EmptyState>
    )
  }
  return (
    <EmptyState title="This build executed nothing.">
      <p>Its events tell of no task, goal or test: it may have ended before the first one.</p>
    </EmptyState>
  )
}
