import type { ReactElement, ReactNode } from 'react'
import type { Facts } from '../../../protocol/facts.ts'
import { quoteValue } from '../../../search/values/text.ts'
import { BuildPanelFrame } from '../../domain/build-table/build-panel-frame.tsx'
import { durationText } from '../../ui/format.ts'
import { Fact } from '../../ui/page.tsx'
import { RelativeTime } from '../../ui/time.tsx'
import { failureKind, OutcomeMark } from './columns.tsx'
import css from './builds.module.css'

/** All that is known of one build, beside the list; its values narrow the search. */
export function BuildDetails({
  facts,
  onNarrow,
  onClose,
}: {
  facts: Facts
  /** Told a term of the search language that the build meets. */
  onNarrow: (term: string) => void
  onClose: () => void
}): ReactElement {
  const { buildId } = facts
  const value = (field: string, text: string | null | undefined): ReactNode =>
    text === undefined || text === null || text === '' ? undefined : (
      <Term text={text} term={`${field}:${quoteValue(text)}`} onNarrow={onNarrow} />
    )
  return (
    <BuildPanelFrame buildId={buildId} className={css.panel} onClose={onClose}>
      <dl className={css.facts}>
        <Fact name="Outcome">
          <OutcomeMark outcome={facts.outcome} />
          {failureKind(facts) !== null && ` (${failureKind(facts) ?? ''})`}
        </Fact>
        <Fact name="Project">{value('project', facts.project)}</Fact>
        <Fact name="Requested">
          {facts.requested !== undefined && <code>{facts.requested.join(' ')}</code>}
        </Fact>
        <Fact name="Duration">
          {typeof facts.durationMs === 'number' && durationText(facts.durationMs)}
        </Fact>
        <Fact name="Started">
          {typeof facts.startTime === 'number' && <RelativeTime at={facts.startTime} />}
        </Fact>
        <Fact name="Received">
          <RelativeTime at={facts.receivedAt} />
        </Fact>
        <Fact name="User">{value('user', facts.user)}</Fact>
        <Fact name="Host">{value('hostname', facts.hostname)}</Fact>
        <Fact name="Tool">
          {value('buildTool', facts.buildTool)} {facts.buildToolVersion}
        </Fact>
        <Fact name="Agent">{facts.agentVersion}</Fact>
        <Fact name="Tags">
          {facts.tags !== undefined && facts.tags.length > 0 && (
            <ul className={css.tags}>
              {[...new Set(facts.tags)].map((tag) => (
                <li key={tag}>{value('tag', tag)}</li>
              ))}
            </ul>
          )}
        </Fact>
        {(facts.values ?? []).map((each, index) => (
          // Names may repeat.
          <Fact key={`${index} ${each.name}`} name={each.name}>
            <Term
              text={each.value === '' ? '(empty)' : each.value}
              term={`value:${quoteValue(`${each.name}=${each.value}`)}`}
              onNarrow={onNarrow}
            />
          </Fact>
        ))}
      </dl>
    </BuildPanelFrame>
  )
}

function Term({
  text,
  term,
  onNarrow,
}: {
  text: string
  term: string
  onNarrow: (term: string) => void
}): ReactElement {
  return (
    <button
      type="button"
      className={css.term}
      title={`Narrow to ${term}`}
      onClick={() => {
        onNarrow(term)
      }}
    >
      {text}
    </button>
  )
}
