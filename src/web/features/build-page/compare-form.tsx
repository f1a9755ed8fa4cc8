import { Button } from '@mantine/core'
import { type ReactElement, useState } from 'react'
import { isBuildId } from '../../../protocol/build-id.ts'
import css from './build-headline.module.css'

/** Asks which build to compare with: the one before it where that is known, or any by its id. */
export function CompareForm({
  buildId,
  compare,
  previous,
  onCompare,
}: {
  buildId: string
  compare: string | undefined
  previous: string | undefined
  onCompare: (other: string | undefined) => void
}): ReactElement {
  const [typed, setTyped] = useState('')
  const [mistake, setMistake] = useState<string>()

  if (compare !== undefined) {
    return (
      <Button
        className={css.compare}
        size="xs"
        variant="default"
        onClick={() => {
          onCompare(undefined)
        }}
      >
        End comparison
      </Button>
    )
  }

  function submit(): void {
    const other = typed.trim().toLowerCase()
    if (!isBuildId(other)) setMistake('A build id has 13 letters and digits.')
    else if (other === buildId) setMistake('This is the build that you look at.')
    else onCompare(other)
  }

  return (
    <form
      className={css.compare}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      {previous !== undefined && (
        <Button
          size="xs"
          variant="default"
          onClick={() => {
            onCompare(previous)
          }}
        >
          Compare with the build before
        </Button>
      )}
      <input
        className={css.input}
        value={typed}
        placeholder="Compare with build id"
        aria-label="Compare with build id"
        aria-invalid={mistake !== undefined}
        aria-describedby="compare-mistake"
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          setMistake(undefined)
        }}
      />
      <Button size="xs" variant="default" type="submit">
        Compare
      </Button>
      <span id="compare-mistake" role="status" className={css.mistake}>
        {mistake}
      </span>
    </form>
  )
}
