import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useDeferredValue, useMemo } from 'react'
import { PolicyServiceScope } from '../../domain/package/policy-service-scope.tsx'
import { Link, useParams } from 'react-router'
import { configuredBoard } from '../../../policy/configured-board.ts'
import { problemWords } from '../../data/core/problem-words.ts'
import { configQuery } from '../../data/core/server-config.ts'
import { EmptyState, PageHeader } from '../../ui/page.tsx'
import { ProblemPanel } from '../../ui/problem.tsx'
import { BoardDeliveries } from './board-deliveries.tsx'
import { LineMistakes } from './board-form.tsx'
import { BoardScreen } from './board-screen.tsx'
import pageCss from '../../ui/page.module.css'
import { useServices } from '../../data/core/services.ts'

/** A board of the configuration, by the name in its address. */
export function BoardPage(): ReactElement {
  return (
    <PolicyServiceScope>
      <ConfiguredBoard />
    </PolicyServiceScope>
  )
}

function ConfiguredBoard(): ReactElement {
  const { name = '' } = useParams()
  const { data, error, refetch } = useQuery(configQuery(useServices().request))
  const found = data?.boards.find((board) => board.name === name)
  // A large board takes long to draw for the first time, too: what is on the screen stays usable.
  const drawn = useDeferredValue(found)
  const read = useMemo(() => (drawn === undefined ? undefined : configuredBoard(drawn)), [drawn])
  const notes = useMemo(
    () =>
      drawn !== undefined &&
      read !== undefined && (
        <>
          <LineMistakes mistakes={read.mistakes} />
          <BoardDeliveries board={drawn.name} />
        </>
      ),
    [drawn, read],
  )
  if (drawn !== undefined && read !== undefined) {
    return (
      <BoardScreen id={drawn.name} board={read.board}>
        {notes}
      </BoardScreen>
    )
  }
  if (data === undefined || found !== undefined) {
    return (
      <div className={pageCss.page}>
        <PageHeader sentence={`Release board ${name}`} />
        {error === null ? (
          <p role="status">Loading boards…</p>
        ) : (
          <ProblemPanel
            problem={problemWords(error, {
              action: 'load',
              noun: 'the boards',
              server: 'Sightline server',
            })}
            retry={{ label: 'Try again', run: () => void refetch() }}
          />
        )}
      </div>
    )
  }
  return (
    <EmptyState
      title={`Board “${name}” not found.`}
      heading="h1"
      action={<Link to="/board">All boards</Link>}
    >
      <p>
        Boards are configured by your administrator.{' '}
        {data.boards.length === 0
          ? 'No boards are configured. Paste a list of packages instead.'
          : `There are ${data.boards.map((board) => `“${board.name}”`).join(', ')}.`}
      </p>
    </EmptyState>
  )
}
