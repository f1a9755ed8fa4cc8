import type { ReactElement } from 'react'
import { useBuildEventsView } from '../../data/build/build-events-context.ts'
import type { BuildEvents } from '../../data/build/build-events.ts'
import { FailureCard } from './failure-list.tsx'
import { stampOf, useAnswer } from './use-answer.ts'

/** Why one execution failed, if the events tell; `name` is what it is called. */
export function FailureOf({
  events,
  id,
  name,
}: {
  events: BuildEvents
  id: string
  name?: string
}): ReactElement | null {
  const view = useBuildEventsView(events)
  const { data } = useAnswer(events, { kind: 'failure', id }, stampOf(view.parts.header))
  if (data === undefined) return null
  if (data === null) return <p>{name} failed; its exception is not among the events.</p>
  return <FailureCard failure={data} name={name} />
}
