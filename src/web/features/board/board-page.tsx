import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useMemo } from 'react'
import { Link, useParams } from 'react-router'
import { ProblemError } from '../../../protocol/problem.ts'
import { configQuery } from '../../data/core/proxy-config.ts'
import { useRequest } from '../../data/core/request-context.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { ProblemPanel } from '../../ui/problem-panel.tsx'
import css from './board-headline.module.css'
import { BoardScreen } from './board-screen.tsx'
import { configuredBoard } from './configured-board.ts'
import { LineMistakes } from './line-mistakes.tsx'

/** A board of the configuration, by the name in its address. */
export function BoardPage(): ReactElement {
  const { name = '' } = useParams()
  const { data, error, refetch } = useQuery(configQuery(useRequest()))
  const found = data?.boards.find((board) => board.name === name)
  const read = useMemo(() => (found === undefined ? undefined : configuredBoard(found)), [found])
  if (read !== undefined) {
    return (
      <BoardScreen id={name} board={read.board}>
        <LineMistakes mistakes={read.mistakes} />
      </BoardScreen>
    )
  }
  if (data === undefined) {
    return (
      <div className={css.page}>
        <h1 className={css.sentence}>Release board {name}</h1>
        {error === null ? (
          <p role="status">Asking for the configuration.</p>
        ) : (
          <ProblemPanel
            problem={{
              title: 'The boards could not be loaded.',
              meaning: error instanceof ProblemError ? error.message : 'Try again.',
            }}
            retry={{ label: 'Try again', run: () => void refetch() }}
          />
        )}
      </div>
    )
  }
  return (
    <EmptyState
      title={`There is no board “${name}”.`}
      heading="h1"
      action={<Link to="/board">All boards</Link>}
    >
      <p>
        Boards stand in the configuration of Sightline.{' '}
        {data.boards.length === 0
          ? 'It has none yet; a list of packages can be pasted instead.'
          : `It has ${data.boards.map((board) => `“${board.name}”`).join(', ')}.`}
      </p>
    </EmptyState>
  )
}
