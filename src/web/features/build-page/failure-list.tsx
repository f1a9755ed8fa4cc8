import { type ReactElement, useState } from 'react'
import { type Failure, stackText } from '../../../facts/failures.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { countOf } from '../../../protocol/count.ts'
import { StatusShape } from '../../ui/status-mark.tsx'
import css from './failure-list.module.css'

/** More than these are behind a button: the first failures are most often the cause of the rest. */
const shownAtFirst = 3

/** Why a build failed. */
export function FailureList({
  failures,
  facts,
}: {
  failures: readonly Failure[]
  facts: Facts | undefined
}): ReactElement | null {
  const [isAll, setAll] = useState(false)
  if (failures.length === 0) {
    // Only once the events have said that it failed and have told nothing of why.
    return facts?.outcome === 'failed' && facts.startTime !== undefined ? (
      <section className={css.list} aria-label="Why it failed">
        <p className={css.silent}>The build failed; its events do not say why.</p>
      </section>
    ) : null
  }
  const shown = isAll ? failures : failures.slice(0, shownAtFirst)
  return (
    <section className={css.list} aria-label="Why it failed">
      {shown.map((failure) => (
        <FailureCard key={failure.id} failure={failure} />
      ))}
      {shown.length < failures.length && (
        <button
          type="button"
          className={css.more}
          onClick={() => {
            setAll(true)
          }}
        >
          {`Show ${countOf(failures.length - shown.length, 'more failure')}`}
        </button>
      )}
    </section>
  )
}

/** One failure: where, what the innermost cause says, and the whole text on demand. */
export function FailureCard({
  failure,
  name,
}: {
  failure: Failure
  /** What failed, where that is known better than the failure says. */
  name?: string | undefined
}): ReactElement {
  const { path, exceptions } = failure
  const messages = distinctMessages(failure)
  const cause = exceptions.at(-1)
  return (
    <article className={css.failure}>
      <h2 className={css.title}>
        <StatusShape tone="bad" />
        {name ?? path ?? cause?.className ?? 'Failure'}
        {(name ?? path) !== null && <span className={css.class}>{cause?.className}</span>}
        <CopyButton text={stackText(failure)} what="the whole failure text" />
      </h2>
      {messages.map((message) => (
        <pre key={message} className={css.message}>
          {message}
        </pre>
      ))}
      <details className={css.stack}>
        <summary>{`Stack trace, ${countOf(exceptions.length, 'exception')}`}</summary>
        <pre>{stackText(failure)}</pre>
      </details>
    </article>
  )
}

/** What its exceptions say, each message once, without those that only repeat a cause. */
function distinctMessages({ exceptions }: Failure): readonly string[] {
  const messages = exceptions.map(({ message }) => message?.trim() ?? '')
  const distinct = [...new Set(messages)].filter((message) => message !== '')
  return distinct.filter(
    (message) => !distinct.some((other) => other !== message && other.includes(message)),
  )
}
