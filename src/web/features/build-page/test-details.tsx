import type { ReactElement } from 'react'
import type { TestCase } from '../../../facts/test-cases.ts'
import type { BuildEvents } from '../../data/build/build-events.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { countOf } from '../../../protocol/count.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { exactDuration } from './exact-duration.ts'
import css from './execution-details.module.css'
import { FailureOf } from './failure-of.tsx'
import { caseWords, outcomeWords } from './words.ts'

/** A test case with each of its runs, and why those failed that did. */
export function TestDetails({
  events,
  test,
  onClose,
}: {
  events: BuildEvents
  test: TestCase
  onClose: () => void
}): ReactElement {
  const { className, name, task, outcome, runs } = test
  const path = [className, name].filter((word) => word !== null).join(' ')
  return (
    <section className={css.details} aria-label={`Details of ${path}`}>
      <h2 className={css.path}>
        {path}
        <CopyButton text={path} what={path} />
        <button type="button" className={css.close} aria-label="Close details" onClick={onClose}>
          ✕
        </button>
      </h2>
      <p className={css.line}>
        <StatusMark {...caseWords[outcome]} />
        {outcome === 'flaky' && ': it failed and passed in the same build'}
        {task !== null && ` · run by ${task}`}
        {` · ${countOf(runs.length, 'run')}`}
      </p>
      {runs.map((run) => (
        <div key={run.id} className={css.run}>
          <StatusMark {...outcomeWords[run.outcome]} />
          <span>{run.durationMs === null ? '' : exactDuration(run.durationMs)}</span>
          {run.failureId !== null && <FailureOf events={events} id={run.failureId} />}
        </div>
      ))}
    </section>
  )
}
