import type { ReactElement } from 'react'
import type { LineMistake } from '../../../policy/board-list.ts'
import { countOf } from '../../ui/count.ts'
import { StatusShape } from '../../ui/status-mark.tsx'
import css from './board-headline.module.css'

/** The lines that were left out, each with what is wrong; `onGo` leads to the place in the text. */
export function LineMistakes({
  mistakes,
  onGo,
}: {
  mistakes: readonly LineMistake[]
  onGo?: (mistake: LineMistake) => void
}): ReactElement | null {
  if (mistakes.length === 0) return null
  return (
    <section className={css.mistakes} aria-label="Lines that are left out">
      <p>
        <StatusShape tone="bad" /> {countOf(mistakes.length, 'line')} cannot be evaluated and{' '}
        {mistakes.length === 1 ? 'is' : 'are'} left out:
      </p>
      <ul>
        {mistakes.map((mistake) => (
          <li key={mistake.line}>
            {onGo === undefined ? (
              `Line ${mistake.line}`
            ) : (
              <button
                type="button"
                className={css.go}
                onClick={() => {
                  onGo(mistake)
                }}
              >
                Line {mistake.line}
              </button>
            )}
            : <code>{mistake.text.slice(0, 120)}</code> {mistake.sentence}
          </li>
        ))}
      </ul>
    </section>
  )
}
