import type { ReactElement } from 'react'
import { countText } from '../../../protocol/count.ts'
import { StatusShape, type StatusTone } from '../../ui/status-mark.tsx'
import css from './choice-chips.module.css'

/** Something that can be chosen, with how many there are of it. */
export interface Choice<T extends string> {
  readonly value: T
  readonly word: string
  readonly tone?: StatusTone
  readonly count: number | undefined
}

/** Counts that narrow a list when they are chosen: each on its own, any of those chosen together. */
export function ChoiceChips<T extends string>({
  label,
  choices,
  chosen,
  onToggle,
}: {
  label: string
  choices: readonly Choice<T>[]
  chosen: readonly T[]
  onToggle: (value: T) => void
}): ReactElement {
  return (
    <div role="group" aria-label={label} className={css.chips}>
      {choices.map(({ value, word, tone, count }) => (
        <button
          key={value}
          type="button"
          className={css.chip}
          aria-pressed={chosen.includes(value)}
          onClick={() => {
            onToggle(value)
          }}
        >
          {tone !== undefined && <StatusShape tone={tone} />}
          {count !== undefined && <span className={css.count}>{countText(count)}</span>} {word}
        </button>
      ))}
    </div>
  )
}
