import type { ReactElement, ReactNode } from 'react'
import type { Facts } from '../../../protocol/facts.ts'
import { durationText } from '../../ui/format.ts'
import { RelativeTime } from '../../ui/time.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { columnMeaning } from './column-meaning.ts'

/** A dash for the eye; a screen reader passes over it. */
const nothing = <span aria-hidden="true">–</span>

/** What stands of a build in a column. */
export function buildCell(name: string, facts: Facts): ReactNode {
  switch (name) {
    case 'outcome':
      return <OutcomeMark outcome={facts.outcome} />
    case 'duration':
      return typeof facts.durationMs === 'number' ? durationText(facts.durationMs) : nothing
    case 'started':
      return typeof facts.startTime === 'number' ? <RelativeTime at={facts.startTime} /> : nothing
    case 'received':
      return <RelativeTime at={facts.receivedAt} />
    default: {
      const text = columnMeaning(name).csv(facts)
      if (text === null || text === '') return nothing
      return <span title={String(text)}>{text}</span>
    }
  }
}

/** How a build ended, as colour, shape and word. */
export function OutcomeMark({ outcome }: Pick<Facts, 'outcome'>): ReactElement {
  switch (outcome) {
    case 'succeeded':
      return <StatusMark tone="good" word={outcome} />
    case 'failed':
      return <StatusMark tone="bad" word={outcome} />
    case null:
    case undefined:
      return <StatusMark tone="none" word="unknown" />
  }
}
