import { Button, Skeleton } from '@mantine/core'
import type { ReactElement } from 'react'
import type { BuildSearch, BuildSearchView } from '../../data/builds/build-search.ts'
import { countOf } from '../../../protocol/count.ts'
import { EmptyState } from '../../ui/page.tsx'
import { ProblemPanel } from '../../ui/problem.tsx'
import css from './builds-page.module.css'
import { searchFailure } from './search-failure.ts'

/** What stands in place of the list while it has no row. */
export function NothingFound({
  view,
  search,
  isFaulty,
  isNarrowed,
  onShowAll,
}: {
  view: BuildSearchView
  search: BuildSearch
  /** Whether the query of the address has errors, so that nothing was asked. */
  isFaulty: boolean
  isNarrowed: boolean
  onShowAll: () => void
}): ReactElement {
  const { state, read } = view
  const showAll = (
    <Button size="xs" variant="default" onClick={onShowAll}>
      Show all builds
    </Button>
  )
  if (isFaulty) {
    return (
      <EmptyState title="Mend the query and run it again." action={showAll}>
        <p>What is wrong, and what to write instead, is said below it.</p>
      </EmptyState>
    )
  }
  switch (state.is) {
    case 'failed':
      return (
        <ProblemPanel
          problem={searchFailure(state.problem)}
          retry={{ label: 'Try again', run: search.retry }}
        />
      )
    case 'refused':
      return (
        <EmptyState title="Change the query and run it again." action={showAll}>
          <p>What the server says of it stands above.</p>
        </EmptyState>
      )
    case 'idle':
    case 'reading':
    case 'waiting':
      return <Searching />
    case 'resting':
    case 'cancelled':
      return (
        <EmptyState
          title={`None of the ${countOf(read, 'build')} read so far matches.`}
          action={
            <Button size="xs" variant="default" onClick={search.more}>
              Read on
            </Button>
          }
        >
          <p>The server does not search by itself, and its list goes on.</p>
        </EmptyState>
      )
    case 'done':
      return isNarrowed ? (
        <EmptyState title="Ask for less, or look further back." action={showAll}>
          <p>Each part of the query leaves builds out; above, each can be taken off.</p>
        </EmptyState>
      ) : (
        <EmptyState title="No builds yet.">
          <p>Builds appear here once the build server has received some.</p>
        </EmptyState>
      )
  }
}

/** Only on a first load: later, what is here stays. */
function Searching(): ReactElement {
  return (
    <div className={css.skeletons} role="status" aria-label="Searching">
      {Array.from({ length: 12 }, (_, index) => (
        <Skeleton key={index} height={16} />
      ))}
    </div>
  )
}
