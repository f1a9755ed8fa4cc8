import type { ReactElement, ReactNode } from 'react'
import type { FeedRow } from '../../data/live/feed-snapshot.ts'
import { durationText } from '../../ui/format.ts'
import { RelativeTime } from '../../ui/time.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { outcomeOf } from './facets.ts'

/** A column of the feed; its name is also its class in build-table.module.css. */
interface BuildColumn {
  readonly name: string
  readonly heading: string
  /** `skew` is what to add to this browser's clock to get the one that stamps builds, ms. */
  readonly cell: (row: FeedRow, skew: number) => ReactNode
}

/** What is known of a build at a glance, in the order of reading; the build's id comes last. */
export const buildColumns: readonly BuildColumn[] = [
  { name: 'outcome', heading: 'Outcome', cell: (row) => <OutcomeMark row={row} /> },
  {
    name: 'project',
    heading: 'Project',
    cell: ({ facts }) => facts?.project ?? (facts === undefined ? 'facts on their way' : nothing),
  },
  {
    name: 'requested',
    heading: 'Requested',
    cell: ({ facts }) => textOf(facts?.requested?.join(' ')),
  },
  { name: 'branch', heading: 'Branch', cell: (row) => textOf(branchOf(row)) },
  { name: 'user', heading: 'User and host', cell: (row) => textOf(userAndHostOf(row)) },
  { name: 'tags', heading: 'Tags', cell: ({ facts }) => textOf(facts?.tags?.join(' ')) },
  {
    name: 'duration',
    heading: 'Duration',
    cell: ({ facts }) => {
      const duration = facts?.durationMs ?? undefined
      return duration === undefined ? nothing : durationText(duration)
    },
  },
  {
    name: 'tool',
    heading: 'Tool',
    cell: ({ build }) => textOf(`${build.toolType} ${build.toolVersion}`),
  },
  {
    name: 'agent',
    heading: 'Agent',
    cell: ({ build }) => textOf(build.agentVersion),
  },
  {
    name: 'received',
    heading: 'Received',
    cell: ({ build }, skew) => <RelativeTime at={build.timestamp} skew={skew} />,
  },
]

/** The outcome of a row as colour, shape and word. */
export function OutcomeMark({ row }: { row: FeedRow }): ReactElement {
  const outcome = outcomeOf(row)
  switch (outcome) {
    case 'succeeded':
      return <StatusMark tone="good" word={outcome} />
    case 'failed':
      return <StatusMark tone="bad" word={outcome} />
    case 'unknown':
      return <StatusMark tone={row.facts === undefined ? 'waiting' : 'none'} word={outcome} />
  }
}

/** The branch that was built, as the custom value "Git branch" says it. */
export function branchOf({ facts }: FeedRow): string | undefined {
  return facts?.values?.find(({ name }) => name.toLowerCase() === 'git branch')?.value
}

/** "alice@agent-12", or what of it is known. */
export function userAndHostOf({ facts }: FeedRow): string | undefined {
  const known = [facts?.user, facts?.hostname].filter((part) => (part ?? '') !== '')
  return known.length === 0 ? undefined : known.join('@')
}

/** A dash for the eye; a screen reader passes over it. */
const nothing = <span aria-hidden="true">–</span>

function textOf(text: string | undefined): ReactNode {
  return text === undefined || text === '' ? nothing : <span title={text}>{text}</span>
}
