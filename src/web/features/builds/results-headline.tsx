import type { ReactElement } from 'react'
import { Link } from 'react-router'
import { durationText } from '../../ui/format.ts'
import css from './builds-page.module.css'
import type { Standings } from './standings.ts'

/** The answer in a sentence or two; the slowest build is behind it. */
export function ResultsHeadline({
  sentence,
  slowest,
}: {
  sentence: string
  slowest: Standings['slowest']
}): ReactElement {
  return (
    <h1 className={css.headline}>
      {sentence}
      {slowest !== undefined && (
        <span className={css.aside}>
          {' Slowest: '}
          <Link to={`/builds/${slowest.buildId}`}>
            {[durationText(slowest.durationMs), slowest.project].filter(Boolean).join(', ')}
          </Link>
          .
        </span>
      )}
    </h1>
  )
}
