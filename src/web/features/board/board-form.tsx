import { Button, Group, Text } from '@mantine/core'
import { type ReactElement, useMemo, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { type LineMistake, readBoardList } from '../../../policy/board.ts'
import { countOf } from '../../../protocol/count.ts'
import { type PastedBoard, usePreferenceStore } from '../../ui/device-preferences.ts'
import { StatusShape } from '../../ui/status-mark.tsx'
import css from './board.module.css'
import { pastedId, readScans, shareableAddress, useKnownHere, withPasted } from './pasted-board.ts'

/** A list of packages and the scans for them; bad lines are told as they are typed. */
export function BoardForm({ start }: { start?: Omit<PastedBoard, 'id'> }): ReactElement {
  const store = usePreferenceStore()
  const navigate = useNavigate()
  const { artifactOf, scans: used } = useKnownHere()
  const [text, setText] = useState(start?.text ?? '')
  const [scanText, setScanText] = useState(start?.scans.join(', ') ?? '')
  const [title, setTitle] = useState(start?.title ?? '')
  const [isTried, setTried] = useState(false)
  const area = useRef<HTMLTextAreaElement>(null)
  const { packages, mistakes } = useMemo(() => readBoardList(text, artifactOf), [text, artifactOf])
  const scans = readScans(scanText)
  const missing = [
    ...(packages.length === 0 ? ['a package that can be evaluated'] : []),
    ...(scans.length === 0 ? ['the name of a policy scan'] : []),
  ]

  function show(): void {
    setTried(true)
    if (missing.length > 0) return
    const board = {
      title: title.trim() || `${countOf(packages.length, 'package')}, pasted`,
      text,
      scans,
    }
    const id = pastedId(text, scans)
    store.change({ boards: withPasted(store.get().boards ?? [], { id, ...board }) })
    void navigate(shareableAddress(board) ?? `/board?kept=${id}`)
  }

  return (
    <form
      className={css.boardFormForm}
      aria-label="Paste a board"
      onSubmit={(event) => {
        event.preventDefault()
        show()
      }}
    >
      <label className={css.field}>
        <Text span fw={600}>
          Packages, one per line
        </Text>
        <textarea
          ref={area}
          rows={8}
          spellCheck={false}
          value={text}
          placeholder={'pkg:oci/checkout@2.4.0 sha256:4f2f…4a59 registry.example.com/shop'}
          onChange={({ target }) => {
            setText(target.value)
          }}
        />
        <Text span fz="xs" c="dimmed">
          A package URL, image, Maven coordinates or the address of a package’s page, then its
          sha256 and its repository where they are not known here.{' '}
          {countOf(packages.length, 'package')} read.
        </Text>
      </label>
      <LineMistakes
        mistakes={mistakes}
        onGo={({ from, to }) => {
          area.current?.focus()
          area.current?.setSelectionRange(from, to)
        }}
      />
      <Group gap={12} align="start">
        <label className={css.field}>
          <Text span fw={600}>
            Policy scans
          </Text>
          <input
            value={scanText}
            placeholder="release, security"
            onChange={({ target }) => {
              setScanText(target.value)
            }}
          />
          <Text span fz="xs" c="dimmed">
            {used.length === 0
              ? 'Names, parted by commas.'
              : `Names, parted by commas. Used here: ${used.slice(0, 6).join(', ')}.`}
          </Text>
        </label>
        <label className={css.field}>
          <Text span fw={600}>
            Title
          </Text>
          <input
            value={title}
            placeholder="may stay empty"
            onChange={({ target }) => {
              setTitle(target.value)
            }}
          />
        </label>
      </Group>
      {isTried && missing.length > 0 && (
        <Text role="alert" inherit c="var(--bad-ink)">
          The board still needs {missing.join(' and ')}.
        </Text>
      )}
      <Button type="submit">Show the board</Button>
    </form>
  )
}

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
