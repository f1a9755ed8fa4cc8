import type { ReactElement } from 'react'
import css from './choice-switch.module.css'

/** One of a few ways to look at the same. */
export function ChoiceSwitch<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string
  value: T
  options: readonly (readonly [T, string])[]
  onChange: (value: T) => void
}): ReactElement {
  return (
    <div role="group" aria-label={label} className={css.switch}>
      {options.map(([option, word]) => (
        <button
          key={option}
          type="button"
          aria-pressed={option === value}
          onClick={() => {
            onChange(option)
          }}
        >
          {word}
        </button>
      ))}
    </div>
  )
}
