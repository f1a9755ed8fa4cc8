import { useQuery } from '@tanstack/react-query'
import { type ReactElement, useMemo } from 'react'
import { Link, useSearchParams } from 'react-router'
import { configQuery } from '../../data/core/proxy-config.ts'
import { useRequest } from '../../data/core/request-context.ts'
import { usePreferences } from '../../ui/device-preferences.ts'
import { countOf } from '../../../protocol/count.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import css from './board-headline.module.css'
import { BoardForm } from './board-form.tsx'
import { boardInAddress } from './pasted-board.ts'
import { PastedScreen } from './pasted-screen.tsx'

/** The boards there are, and a place to paste one; with a list in the address, that board. */
export function BoardsPage(): ReactElement {
  const [search] = useSearchParams()
  const { boards = [] } = usePreferences()
  const kept = search.get('kept')
  const list = search.get('list')
  const scans = search.get('scans')
  const title = search.get('title')
  const pasted = useMemo(
    () =>
      list === null
        ? boards.find(({ id }) => id === kept)
        : boardInAddress(new URLSearchParams({ list, scans: scans ?? '', title: title ?? '' })),
    [boards, kept, list, scans, title],
  )
  if (pasted !== undefined) return <PastedScreen pasted={pasted} isInAddress={list !== null} />
  if (kept !== null) {
    return (
      <EmptyState
        title="This board is kept on another device."
        heading="h1"
        action={<Link to="/board">All boards</Link>}
      >
        <p>
          Its list is too long for an address, so that it stays on the device where it was pasted.
          Ask for the list itself, and paste it here.
        </p>
      </EmptyState>
    )
  }
  return <AllBoards />
}

function AllBoards(): ReactElement {
  const { data } = useQuery(configQuery(useRequest()))
  const { boards: pasted = [] } = usePreferences()
  const configured = data?.boards ?? []
  return (
    <div className={css.page}>
      <h1 className={css.sentence}>
        May this release go out? Choose a board, or paste its packages.
      </h1>
      {configured.length > 0 && (
        <section aria-label="Configured boards">
          <h2 className={css.title}>Named by whoever set up Sightline</h2>
          <ul className={css.boards}>
            {configured.map(({ name, title, packages, scans }) => (
              <li key={name}>
                <Link to={`/board/${encodeURIComponent(name)}`}>{title ?? name}</Link>{' '}
                <span className={css.dim}>
                  {countOf(packages.length, 'package')}, {scans.join(', ')}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {pasted.length > 0 && (
        <section aria-label="Pasted boards">
          <h2 className={css.title}>Pasted on this device</h2>
          <ul className={css.boards}>
            {pasted.map(({ id, title, text, scans }) => (
              <li key={id}>
                <Link to={`/board?kept=${id}`}>{title}</Link>{' '}
                <span className={css.dim}>
                  {countOf(text.trim().split('\n').length, 'line')}, {scans.join(', ')}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <BoardForm />
    </div>
  )
}
