import { Anchor, Button, Group, Stack, Text, TextInput, Textarea } from '@mantine/core'
import { type ReactElement, useMemo, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import * as z from 'zod/mini'
import { type LineMistake, readBoardList } from '../../../policy/board.ts'
import { countOf } from '../../../protocol/count.ts'
import { type PastedBoard, usePreferenceStore } from '../../ui/device-preferences.ts'
import { useDraftState } from '../../ui/drafts.ts'
import { Notice } from '../../ui/notice.tsx'
import css from './board.module.css'
import { pastedId, readScans, shareableAddress, useKnownHere, withPasted } from './pasted-board.ts'

/** A list of packages and the scans for them; bad lines are shown as they are typed. */
export function BoardForm({ start }: { start?: Omit<PastedBoard, 'id'> }): ReactElement {
  const store = usePreferenceStore()
  const navigate = useNavigate()
  const { artifactOf, scans: used } = useKnownHere()
  const [text, setText] = useDraftState('board.text', z.string(), start?.text ?? '')
  const [scanText, setScanText] = useDraftState(
    'board.scans',
    z.string(),
    start?.scans.join(', ') ?? '',
  )
  const [title, setTitle] = useDraftState('board.title', z.string(), start?.title ?? '')
  const [isTried, setTried] = useState(false)
  const area = useRef<HTMLTextAreaElement>(null)
  const { packages, mistakes } = useMemo(() => readBoardList(text, artifactOf), [text, artifactOf])
  const scans = readScans(scanText)
  const missing = [
    ...(packages.length === 0 ? ['at least one package'] : []),
    ...(scans.length === 0 ? ['at least one policy scan'] : []),
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
      aria-label="Paste a board"
      onSubmit={(event) => {
        event.preventDefault()
        show()
      }}
    >
      <Stack gap={12} maw={720}>
        <Textarea
          ref={area}
          label="Packages, one per line"
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          rows={8}
          styles={{ input: { fontFamily: 'var(--font-mono)' } }}
          spellCheck={false}
          value={text}
          placeholder="pkg:oci/checkout@2.4.0 sha256:4f2f…4a59 registry.example.com/shop"
          description={`A package URL, image reference, Maven coordinates or page URL, followed by the SHA-256 digest and repository unless Sightline already knows them. ${countOf(packages.length, 'package')} recognized.`}
          onChange={({ target }) => {
            setText(target.value)
          }}
        />
        <LineMistakes
          mistakes={mistakes}
          onGo={({ from, to }) => {
            area.current?.focus()
            area.current?.setSelectionRange(from, to)
          }}
        />
        <Group gap={12} align="flex-start">
          <TextInput
            flex="1 1 220px"
            label="Policy scans"
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            value={scanText}
            placeholder="release, security"
            description={
              used.length === 0
                ? 'Comma-separated names'
                : `Comma-separated names, for example ${used.slice(0, 6).join(', ')}`
            }
            onChange={({ target }) => {
              setScanText(target.value)
            }}
          />
          <TextInput
            flex="1 1 220px"
            label="Title"
            value={title}
            placeholder="Optional"
            onChange={({ target }) => {
              setTitle(target.value)
            }}
          />
        </Group>
        {isTried && missing.length > 0 && (
          <Text role="alert" c="var(--bad-ink)">
            The board needs {missing.join(' and ')}.
          </Text>
        )}
        <div>
          <Button type="submit">Show board</Button>
        </div>
      </Stack>
    </form>
  )
}

/** The wrong column, pasted, makes thousands of the same. */
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
    <section aria-label="Skipped lines">
      <Notice tone="bad">
        {countOf(mistakes.length, 'line')} can't be evaluated and{' '}
        {mistakes.length === 1 ? 'is' : 'are'} left out:
        <ul className={css.mistakes}>
          {named.map((mistake) => (
            <li key={mistake.line}>
              {onGo === undefined ? (
                `Line ${mistake.line}`
              ) : (
                <Anchor
                  component="button"
                  type="button"
                  underline="always"
                  onClick={() => {
                    onGo(mistake)
                  }}
                >
                  Line {mistake.line}
                </Anchor>
              )}
              : <code>{mistake.text.slice(0, 120)}</code> {mistake.sentence}
            </li>
          ))}
        </ul>
        {named.length < mistakes.length && (
          <Button
            variant="default"
            onClick={() => {
              setWhole(true)
            }}
          >
            {countOf(mistakes.length - named.length, 'more line')}
          </Button>
        )}
      </Notice>
    </section>
  )
}
