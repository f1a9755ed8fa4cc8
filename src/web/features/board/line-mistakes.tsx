import { type ReactElement, useState } from 'react'
import type { LineMistake } from '../../../policy/board-list.ts'
import { countOf } from '../../../protocol/count.ts'
import { StatusShape } from '../../ui/status-mark.tsx'
import css from './board-headline.module.css'

/** Whoever pasted the wrong column has thousands of the same. */
const namedAtFirst = 20

/** The lines that were left out, each with what is wrong; `onGo` leads to the place in the text. */
export function LineMistakes({
  mistakes,
  onGo,
}: {
  mistakes: readonly LineMistake[]
  onGo?: (mistake: LineMistake) => void
}): ReactElement | null {
  const [isWhole, setWhole] = useState(false)
  if (mistakes.length === 0) return null
  const named = isWhole ? mistakes : mistakes.slice(0, namedAtFirst)
  return (
    <section className={css.mistakes} aria-label="Lines that are left out">
      <p>
        <StatusShape tone="bad" /> {countOf(mistakes.length, 'line')} cannot be evaluated and{' '}
        {mistakes.length === 1 ? 'is' : 'are'} left out:
      </p>
      <ul>
        {named.map((mistake) => (
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
      {named.length < mistakes.length && (
        <button
          type="button"
          className={css.go}
          onClick={() => {
            setWhole(true)
          }}
        >
          {countOf(mistakes.length - named.length, 'more line')}
        </button>
      )}
    </section>
  )
}
