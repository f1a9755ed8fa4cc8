import { Button } from '@mantine/core'
import { type ReactElement, useId, useState } from 'react'
import { Link } from 'react-router'
import { countOf } from '../../ui/count.ts'
import { buildIdMistake, readBuildIds } from './build-ids.ts'
import css from './build-list.module.css'
import { BuildRow } from './build-row.tsx'

/** The builds that are published of, and a field to add some by their ids. */
export function BuildList({
  builds,
  mistake,
  onChange,
}: {
  builds: readonly string[]
  mistake: string | undefined
  onChange: (builds: readonly string[]) => void
}): ReactElement {
  const [pasted, setPasted] = useState('')
  const id = useId()
  const wrong = builds.filter((one) => buildIdMistake(one) !== undefined)

  function add(): void {
    if (pasted.trim() === '') return
    onChange([...new Set([...builds, ...readBuildIds(pasted)])])
    setPasted('')
  }

  return (
    <section className={css.section} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} className={css.title}>
        {builds.length === 0
          ? 'Builds'
          : `Builds: ${countOf(builds.length - wrong.length, 'build')} chosen`}
      </h2>
      {mistake !== undefined && (
        <p className={css.mistake} role="alert">
          {mistake}
        </p>
      )}
      {builds.length > 0 && (
        <ul className={css.list}>
          {builds.map((build) => (
            <BuildRow
              key={build}
              id={build}
              onRemove={() => {
                onChange(builds.filter((other) => other !== build))
              }}
            />
          ))}
        </ul>
      )}
      {wrong.length > 1 && (
        <Button
          size="compact-xs"
          variant="default"
          className={css.add}
          onClick={() => {
            onChange(builds.filter((one) => !wrong.includes(one)))
          }}
        >
          Remove the {wrong.length} that are no build ids
        </Button>
      )}
      <div className={css.line}>
        <textarea
          className={css.input}
          name="builds"
          rows={2}
          value={pasted}
          aria-label="Add builds by id"
          aria-describedby={`${id}-hint`}
          placeholder="k3j7x2m4q7a4c, one a line or separated by commas"
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => {
            setPasted(event.currentTarget.value)
          }}
          // What was typed and not added would be left out without a word.
          onBlur={add}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey) return
            event.preventDefault()
            add()
          }}
        />
        <Button
          size="xs"
          variant="default"
          className={css.add}
          disabled={pasted.trim() === ''}
          onClick={add}
        >
          Add builds
        </Button>
      </div>
      <p id={`${id}-hint`} className={css.hint}>
        Ids or addresses of builds. Or choose them in the <Link to="/builds">search</Link> with{' '}
        <kbd>x</kbd>, and press “Publish” there.
      </p>
    </section>
  )
}
