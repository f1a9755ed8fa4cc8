import { Group, Text, TextInput } from '@mantine/core'
import { type ReactElement, type RefObject, useEffect, useState } from 'react'
import { countText } from '../../../protocol/count.ts'
import { StatusShape, type StatusTone } from '../../ui/status-mark.tsx'
import css from './build-page.module.css'

/** Waits so long after a key before it searches, ms. */
const patience = 150

/** A search as it is typed; the address follows a moment later. */
export function SearchField({
  label,
  value,
  onChange,
  field,
}: {
  label: string
  value: string
  onChange: (value: string) => void
  field?: RefObject<HTMLInputElement | null>
}): ReactElement {
  const [typed, setTyped] = useState(value)
  const [before, setBefore] = useState(value)
  if (value !== before) {
    // The address changed by itself: a step back, or a link.
    setBefore(value)
    setTyped(value)
  }
  useEffect(() => {
    if (typed === value) return
    const timer = setTimeout(() => {
      onChange(typed)
    }, patience)
    return () => {
      clearTimeout(timer)
    }
  }, [typed, value, onChange])
  return (
    <TextInput
      ref={field}
      type="search"
      flex="1 1 16ch"
      maw="34ch"
      value={typed}
      placeholder={label}
      aria-label={label}
      spellCheck={false}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') event.currentTarget.blur()
      }}
    />
  )
}

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
    // Its height is kept while nothing is counted yet.
    <Group role="group" aria-label={label} gap={4} mih="var(--control-height)">
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
          {count !== undefined && (
            <Text span inherit fw={600}>
              {countText(count)}
            </Text>
          )}{' '}
          {word}
        </button>
      ))}
    </Group>
  )
}
