import { skipToken, useQuery } from '@tanstack/react-query'
import type { ReactElement } from 'react'
import { buildCountQuery } from '../../data/builds/build-count.ts'
import { useBuildSearches } from '../../data/builds/build-searches-context.ts'
import { searchAbilityQuery } from '../../data/publish/publish-search-ability.ts'
import { countOf } from '../../../protocol/count.ts'
import { StatusMark, type StatusTone } from '../../ui/status-mark.tsx'
import css from './query-list.module.css'

/** How many builds a query matches, counted by the build server; `query` is as that gets it. */
export function QueryCount({ query }: { query: string }): ReactElement {
  const { reader } = useBuildSearches()
  const ability = useQuery(searchAbilityQuery(reader, query))
  const count = useQuery(
    ability.data === true
      ? buildCountQuery(reader, query)
      : { queryKey: ['build-count'], queryFn: skipToken },
  )
  const { tone, words } = told(ability.data, count.data, ability.error ?? count.error)
  return (
    <span className={css.count} role="status" data-testid="query-count">
      <StatusMark tone={tone} word={words} />
    </span>
  )
}

function told(
  canSearch: boolean | undefined,
  count: number | null | undefined,
  error: Error | null,
): { readonly tone: StatusTone; readonly words: string } {
  if (error !== null) return { tone: 'bad', words: `Not counted: ${error.message}` }
  if (canSearch === false) {
    return {
      tone: 'none',
      words: 'Not counted: this build server does not search. The service may do so all the same.',
    }
  }
  if (count === undefined) return { tone: 'waiting', words: 'Counting…' }
  if (count === null) return { tone: 'waiting', words: 'Matches more than 5,000 builds.' }
  if (count === 0) return { tone: 'waiting', words: 'Matches no build.' }
  return { tone: 'info', words: `Matches ${countOf(count, 'build')}.` }
}
