import type { ReactElement } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { BuildAnswers } from '../../data/build/build-event-messages.ts'
import type { BuildEvents } from '../../data/build/build-events.ts'
import { countOf } from '../../../protocol/count.ts'
import { readAddress, writeAddress } from './build-address.ts'
import css from './failure-list.module.css'
import { FailureOf } from './failure-of.tsx'

/** The first tests that failed, with what they say: most often they are why the build failed. */
export function FailedTests({
  events,
  failed,
}: {
  events: BuildEvents
  failed: BuildAnswers['tests'] | undefined
}): ReactElement | null {
  const [search] = useSearchParams()
  if (failed === undefined || failed.total === 0) return null
  const all = writeAddress(
    { ...readAddress(search), tab: 'tests', cases: ['failed'], search: '' },
    search,
  )
  return (
    <section className={css.list} aria-label="Failed tests">
      {failed.rows.flatMap(({ className, name, runs }) => {
        const run = runs.find(({ failureId }) => failureId !== null)
        const path = [className, name].filter((word) => word !== null).join(' ')
        return run?.failureId
          ? [<FailureOf key={run.id} events={events} id={run.failureId} name={path} />]
          : []
      })}
      {failed.total > failed.rows.length && (
        <Link to={{ search: all.toString() }}>{`All ${countOf(failed.total, 'failed test')}`}</Link>
      )}
    </section>
  )
}
