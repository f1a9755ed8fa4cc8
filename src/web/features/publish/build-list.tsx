import { Button } from '@mantine/core'
import { type ReactElement, useId, useRef, useState } from 'react'
import { Link } from 'react-router'
import { countOf, countText } from '../../../protocol/count.ts'
import { addedText, buildIdMistake, withBuildIds } from './build-ids.ts'
import css from './build-list.module.css'
import { ChosenBuilds } from './chosen-builds.tsx'

/** From so many on they can be removed together. */
const manyBuilds = 10

/**
 * The builds that are published of, and a field to add some by their ids. `pasted` is what stands in
 * the field: it is published of as well, so that nothing is left out without a word.
 */
export function BuildList({
  builds,
  pasted,
  mistake,
  onPasted,
  onChange,
}: {
  builds: readonly string[]
  pasted: string
  mistake: string | undefined
  onPasted: (text: string) => void
  onChange: (builds: readonly string[]) => void
}): ReactElement {
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  const [added, setAdded] = useState('')
  const wrong = builds.filter((one) => buildIdMistake(one) !== undefined)

  function add(): void {
    if (pasted.trim() === '') return
    onChange(withBuildIds(builds, pasted))
    setAdded(addedText(builds, pasted))
    onPasted('')
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
        <ChosenBuilds
          builds={builds}
          onRemove={(removed) => {
            onChange(builds.filter((one) => one !== removed))
          }}
        />
      )}
      {wrong.length > 1 && (
        <Button
          size="compact-xs"
          variant="default"
          className={css.add}
          onClick={() => {
            onChange(builds.filter((one) => buildIdMistake(one) === undefined))
          }}
        >
          Remove the {wrong.length} that are no build ids
        </Button>
      )}
      {builds.length >= manyBuilds && (
        <Button
          size="compact-xs"
          variant="default"
          className={css.add}
          onClick={() => {
            onChange([])
            field.current?.focus()
          }}
        >
          Remove all {countText(builds.length)}
        </Button>
      )}
      <div className={css.line}>
        <textarea
          ref={field}
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
            setAdded('')
            onPasted(event.currentTarget.value)
          }}
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
      <p className={css.hint} role="status" data-testid="builds-added">
        {added}
      </p>
      <p id={`${id}-hint`} className={css.hint}>
        Ids or addresses of builds. Or choose them in the <Link to="/builds">search</Link> with{' '}
        <kbd>x</kbd>, and press “Publish” there.
      </p>
    </section>
  )
}
