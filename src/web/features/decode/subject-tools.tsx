import { Button } from '@mantine/core'
import { type ReactElement, useRef, useState } from 'react'
import css from './subject-tools.module.css'
import { readDigest } from './compared-digest.ts'

/** What the subjects are compared with: a file of the reader's, or a digest that is named. */
export function SubjectTools({
  digest,
  onDigest,
  onFile,
}: {
  digest: string
  onDigest: (digest: string) => void
  onFile: (file: File) => void
}): ReactElement {
  const picker = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState(digest)
  const [isMistake, setMistake] = useState(false)
  return (
    <form
      className={css.tools}
      aria-label="Compare the subject"
      onSubmit={(event) => {
        event.preventDefault()
        const isFine = typed.trim() === '' || readDigest(typed) !== undefined
        setMistake(!isFine)
        if (isFine) onDigest(typed.trim())
      }}
      onDragOver={(event) => {
        event.preventDefault()
      }}
      onDrop={(event) => {
        const file = event.dataTransfer.files[0]
        if (file === undefined) return
        event.preventDefault()
        event.stopPropagation()
        onFile(file)
      }}
    >
      <span className={css.label}>Compare with</span>
      <input
        ref={picker}
        type="file"
        className={css.picker}
        aria-label="File to compare the subject with"
        tabIndex={-1}
        onChange={(event) => {
          const input = event.currentTarget
          const file = input.files?.[0]
          if (file !== undefined) onFile(file)
          input.value = ''
        }}
      />
      <Button size="compact-xs" variant="default" onClick={() => picker.current?.click()}>
        A file…
      </Button>
      <input
        className={css.field}
        value={typed}
        placeholder="or a digest: sha256:…"
        aria-label="Digest to compare the subject with"
        aria-invalid={isMistake}
        spellCheck={false}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
        }}
      />
      <Button size="compact-xs" variant="default" type="submit">
        Compare
      </Button>
      {isMistake && (
        <span role="alert" className={css.mistake}>
          This is no digest. Write sha256: and 64 digits in hex.
        </span>
      )}
    </form>
  )
}
