import { Button } from '@mantine/core'
import { type ReactElement, useId, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { usePreferences } from '../../ui/device-preferences.ts'
import type { QueryAssistance } from '../../ui/query-editor/query-assistance.ts'
import { useTicker } from '../../ui/ticker.ts'
import css from './query-list.module.css'
import { QueryRow } from './query-row.tsx'

/** The queries whose builds are published of; what they match is for the service to say. */
export function QueryList({
  queries,
  timeZone,
  mistake,
  onChange,
  onKeep,
}: {
  queries: readonly string[]
  timeZone: string
  mistake: string | undefined
  onChange: (queries: readonly string[]) => void
  onKeep: (queries: readonly string[]) => void
}): ReactElement {
  const id = useId()
  const list = useRef<HTMLOListElement>(null)
  const add = useRef<HTMLButtonElement>(null)
  const assistance = useAssistance(timeZone)
  // Rows keep their editor, with its undo history, when one before them goes.
  const [keys, setKeys] = useState<readonly number[]>([])
  if (keys.length !== queries.length)
    setKeys(queries.map((_, index) => keys[index] ?? next(keys) + index))

  return (
    <section className={css.section} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} className={css.title}>
        Queries
      </h2>
      {mistake !== undefined && (
        <p className={css.mistake} role="alert">
          {mistake}
        </p>
      )}
      {queries.length > 0 && (
        <ol ref={list} className={css.list}>
          {queries.map((text, index) => (
            <QueryRow
              key={keys[index] ?? -index}
              text={text}
              label={`Query ${index + 1}`}
              assistance={assistance}
              onChange={(changed) => {
                onChange(queries.with(index, changed))
              }}
              onKeep={() => {
                onKeep(queries)
              }}
              onRemove={() => {
                add.current?.focus({ preventScroll: true })
                setKeys(keys.filter((_, at) => at !== index))
                onKeep(queries.filter((_, at) => at !== index))
              }}
            />
          ))}
        </ol>
      )}
      <Button
        ref={add}
        size="xs"
        variant="default"
        className={css.button}
        onClick={() => {
          // Whoever adds one writes it next.
          flushSync(() => {
            onChange([...queries, ''])
          })
          const row = list.current?.lastElementChild
          row?.querySelector<HTMLElement>('[role="textbox"], textarea')?.focus()
        }}
      >
        Add a query
      </Button>
      <p className={css.hint}>
        The service searches when it publishes: builds that have come until then are published of,
        too.
      </p>
    </section>
  )
}

function useAssistance(timeZone: string): QueryAssistance {
  const { pastQueries } = usePreferences()
  const ticker = useTicker()
  return useMemo(
    () => ({ timeZone, now: ticker.now, values: () => [], history: pastQueries }),
    [timeZone, ticker, pastQueries],
  )
}

function next(keys: readonly number[]): number {
  return Math.max(0, ...keys) + 1
}
