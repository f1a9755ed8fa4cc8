import type { ReactElement } from 'react'
import type { Execution } from '../../../facts/execution.ts'
import type { BuildEvents } from '../../data/build/build-events.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { usePreferences } from '../../ui/device-preferences.ts'
import { Fact } from '../../ui/page.tsx'
import { instantText } from '../../ui/format.ts'
import { exactDuration } from './exact-duration.ts'
import css from './execution-details.module.css'
import { FailureOf } from './failure-of.tsx'
import { cacheWords, outcomeWords } from './words.ts'

/** All that the events tell of one execution; `start` is when the build's first one began. */
export function ExecutionDetails({
  events,
  execution,
  start,
  onClose,
}: {
  events: BuildEvents
  execution: Execution
  start: number
  onClose: () => void
}): ReactElement {
  const { zone } = usePreferences()
  const { id, path, className, parent, startedAt, durationMs, originMs, failureId } = execution
  const { outcome, rawOutcome } = execution
  const word = outcomeWords[outcome].word
  return (
    <section className={css.details} aria-label={`Details of ${path}`}>
      <h2 className={css.path}>
        {path}
        <CopyButton text={path} what={path} />
        <button type="button" className={css.close} aria-label="Close details" onClick={onClose}>
          ✕
        </button>
      </h2>
      <dl className={css.facts}>
        <Fact name="Outcome">
          {rawOutcome === null || rawOutcome === word ? word : `${word} (${rawOutcome})`}
        </Fact>
        <Fact name="Task">{parent}</Fact>
        <Fact name="Class">{className}</Fact>
        <Fact name="Started">
          {`${exactDuration(startedAt - start)} into the build, ${instantText(startedAt, zone)}`}
        </Fact>
        <Fact name="Duration">{durationMs === null ? 'not known' : exactDuration(durationMs)}</Fact>
        <Fact name="Build cache">{cacheSentence(execution)}</Fact>
        <Fact name="Saved">
          {originMs === null || durationMs === null || originMs <= durationMs
            ? undefined
            : `${exactDuration(originMs - durationMs)}: its outputs took ${exactDuration(originMs)} where they were made`}
        </Fact>
        <Fact name="Id">
          <code>{id}</code>
        </Fact>
      </dl>
      {failureId !== null && <FailureOf events={events} id={failureId} />}
    </section>
  )
}

function cacheSentence({ cache, kind }: Execution): string | undefined {
  switch (cache.kind) {
    case 'loaded':
      return cache.from === null
        ? 'Outputs came from a build cache; which one is not told.'
        : `Outputs came from the ${cache.from} build cache.`
    case 'stored':
      return `Outputs were stored in the ${cache.to} build cache.`
    case 'missed':
      return 'Cacheable, but its outputs were in no cache, so it ran.'
    case 'up-to-date':
      return 'Outputs were still there from before.'
    case 'not-needed':
      return 'There was nothing to do.'
    case 'not-cacheable': {
      const why = [cache.reason, cache.category].filter((word) => word !== null)
      return why.length === 0 ? cacheWords[cache.kind] : why.join(' – ')
    }
    case 'unknown':
      return kind === 'test' ? undefined : 'Not told.'
  }
}
