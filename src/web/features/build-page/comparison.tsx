import { type ReactElement, useState } from 'react'
import { Link } from 'react-router'
import { changes } from '../../../facts/comparison.ts'
import { isBuildId } from '../../../protocol/build-id.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { useBuildEvents, useBuildEventsView } from '../../data/build/build-events-context.ts'
import type { BuildEvents } from '../../data/build/build-events.ts'
import { countOf } from '../../../protocol/count.ts'
import { EmptyState } from '../../ui/page.tsx'
import { type BuildAddress, toggled } from './build-address.ts'
import { ChoiceChips } from './choice-chips.tsx'
import { comparedColumns } from './compared-columns.tsx'
import { ComparedFacts } from './compared-facts.tsx'
import { comparedSentence } from './compared-sentence.ts'
import rowCss from './execution-rows.module.css'
import { PartNotice, PartProgress } from './part-notice.tsx'
import { Refusal } from './refusal.tsx'
import { useRowHeight } from './row-height.ts'
import { SearchField } from './search-field.tsx'
import tools from './timeline-tab.module.css'
import { stampOf } from './use-answer.ts'
import type { ChangeAddress } from './use-build-address.ts'
import { useBuildLoading } from './use-build-loading.ts'
import { useKnowledge } from './use-knowledge.ts'
import { useWindow } from './use-window.ts'
import { WindowedTable } from './windowed-table.tsx'
import { changeWords } from './words.ts'

interface ComparisonProps {
  readonly events: BuildEvents
  readonly facts: Facts | undefined
  readonly other: string
  readonly address: BuildAddress
  readonly onChange: ChangeAddress
}

/** This build beside another one: facts, and what was executed otherwise. */
export function Comparison(props: ComparisonProps): ReactElement {
  const { events, other } = props
  if (isBuildId(other) && other !== events.buildId) return <Sides key={other} {...props} />
  return (
    <EmptyState title="There is nothing to compare with.">
      <p>
        {other === events.buildId
          ? 'The address names the same build twice.'
          : `The address says “${other}”, but a build id has 13 lower-case letters and digits.`}
      </p>
    </EmptyState>
  )
}

/** The other build stands on the left: it is what this one is measured against. */
function Sides({ events, facts, other, address, onChange }: ComparisonProps): ReactElement {
  const left = useBuildEvents(other)
  const leftView = useBuildEventsView(left)
  const view = useBuildEventsView(events)
  useBuildLoading(left, leftView, undefined, [])
  const { facts: leftFacts } = useKnowledge(left, leftView)
  const rowHeight = useRowHeight()
  const [selected, setSelected] = useState<number>()
  const { search } = address
  const wanted = address.changes.length === 0 ? undefined : address.changes
  const stamps = [stampOf(leftView.parts.executions), stampOf(view.parts.executions)]
  const rows = useWindow(
    stamps.includes(undefined) ? undefined : [other, events.buildId, stamps, wanted, search],
    (window) =>
      left.ask({ kind: 'comparison', other: events.buildId, changes: wanted, search, ...window }),
    rowHeight,
  )
  const counts = rows.answer?.counts ?? {}

  if (leftView.parts.header.state === 'refused' && leftFacts === undefined) {
    return (
      <Refusal
        buildId={other}
        problem={leftView.parts.header.problem}
        onRetry={() => {
          left.load('header')
        }}
      />
    )
  }
  return (
    <>
      <p className={rowCss.footer}>
        {comparedSentence(leftFacts, facts)} Left: <Link to={`/builds/${other}`}>{other}</Link>,
        right: this build.
      </p>
      <ComparedFacts left={leftFacts} right={facts} />
      <PartNotice part="header" events={left} state={leftView.parts.header} />
      <PartNotice part="executions" events={left} state={leftView.parts.executions} />
      <PartNotice part="executions" events={events} state={view.parts.executions} />
      <ChoiceChips
        label="What became of executions"
        chosen={address.changes}
        choices={changes
          .filter((change) => counts[change] !== undefined || address.changes.includes(change))
          .map((value) => ({ value, ...changeWords[value], count: counts[value] ?? 0 }))}
        onToggle={(change) => {
          setSelected(undefined)
          onChange({ changes: toggled(address.changes, change) })
        }}
      />
      <div className={tools.tools}>
        <SearchField
          label="Search path"
          value={search}
          onChange={(next) => {
            onChange({ search: next }, true)
          }}
        />
      </div>
      {rows.total === 0 && !rows.isPending ? (
        <EmptyState title="No execution is like that.">
          <p>Nothing that either build did matches the search and the choices above.</p>
        </EmptyState>
      ) : (
        <WindowedTable
          label="Executions of both builds"
          columns={comparedColumns}
          rows={rows}
          rowHeight={rowHeight}
          main="path"
          nameOf={({ path, change }) => `${path}, ${changeWords[change].word}`}
          selected={selected}
          onSelect={setSelected}
        />
      )}
      <p className={rowCss.footer}>{`${countOf(rows.total, 'execution')} listed`}</p>
      <PartProgress part="executions" events={left} state={leftView.parts.executions} />
      <PartProgress part="executions" events={events} state={view.parts.executions} />
    </>
  )
}
