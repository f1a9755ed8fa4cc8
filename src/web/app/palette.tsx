import { Box, Modal, Text, TextInput } from '@mantine/core'
import { type KeyboardEvent, type ReactElement, useId, useState } from 'react'
import { useNavigate } from 'react-router'
import { countOf } from '../../protocol/count.ts'
import { Queries } from '../data/core/queries.tsx'
import { basePath } from '../ui/base-path.ts'
import { usePreferenceStore } from '../ui/device-preferences.ts'
import { KeyHint } from '../ui/keys.tsx'
import { VisuallyHidden } from '../ui/text.tsx'
import { searchEntry, useEntries } from './palette-entries.ts'
import type { Found } from './palette-rank.ts'
import { type Entry, groupsOf } from './palette-search.ts'
import css from './palette.module.css'

/** How many places are kept as opened last. */
const keptPlaces = 12

interface Props {
  readonly onClose: () => void
  /** Opens the list of keys in its place. */
  readonly onKeys: () => void
  /** Hands over what was typed before its field was there. */
  readonly typed: () => string
}

/** Finds pages, builds, projects, packages, boards, walls, saved searches, settings and actions by a few letters. */
export function Palette(props: Props): ReactElement {
  return (
    <Queries>
      <Modal
        opened
        onClose={props.onClose}
        withCloseButton={false}
        centered={false}
        yOffset="8vh"
        size={640}
        padding={0}
        attributes={{ content: { 'aria-label': 'Command palette' } }}
        classNames={{ body: css.body ?? '' }}
      >
        <Finder {...props} />
      </Modal>
    </Queries>
  )
}

function Finder({ onClose, onKeys, typed }: Props): ReactElement {
  // What is found is found before the next key: Enter means what was typed, however quickly.
  const [text, setText] = useState('')
  const { all, recent, missing } = useEntries(text, onKeys)
  const meant = searchEntry(text, all)
  const search = meant && { entry: meant, fit: { score: 0, spans: [] } }
  const groups = groupsOf(all, text, recent)
  const options = [
    ...groups.flatMap(({ found }) => found),
    ...(search === undefined ? [] : [search]),
  ]
  const [at, setAt] = useState(0)
  const current = Math.min(at, options.length - 1)
  const open = useOpen(onClose)
  const id = useId()
  const idOf = (index: number): string => `${id}-${index}`

  function move(to: number): void {
    const next = (to + options.length) % options.length
    setAt(next)
    document.getElementById(idOf(next))?.scrollIntoView({ block: 'nearest' })
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing || options.length === 0) return
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      PageDown: Math.min(current + 8, options.length - 1),
      PageUp: Math.max(current - 8, 0),
    }
    const next = moves[event.key]
    if (next !== undefined) {
      event.preventDefault()
      move(next)
      return
    }
    const chosen = options[current]
    if (event.key !== 'Enter' || chosen === undefined) return
    event.preventDefault()
    open(chosen.entry, event.ctrlKey || event.metaKey)
  }

  const optionOf = (found: Found<Entry>): ReactElement => {
    const own = options.indexOf(found)
    // By its address: several boards may have one name.
    return (
      <Option
        key={found.entry.to?.() ?? found.entry.label}
        id={idOf(own)}
        found={found}
        isCurrent={own === current}
        onChoose={(isNewTab) => {
          open(found.entry, isNewTab)
        }}
      />
    )
  }
  return (
    <>
      <TextInput
        className={css.search}
        variant="unstyled"
        data-autofocus
        placeholder="Build, project, package, board, page or words of a search"
        aria-label="Find"
        role="combobox"
        aria-expanded={options.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={current < 0 ? undefined : idOf(current)}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onFocus={() => {
          setText(typed() + text)
        }}
        onChange={(event) => {
          setText(event.currentTarget.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
      />
      <Box
        id={`${id}-list`}
        flex={1}
        mih={0}
        py={4}
        style={{ overflow: 'auto' }}
        role="listbox"
        aria-label="Results"
      >
        {groups.map(({ kind, found }) => (
          <div key={kind} role="group" aria-labelledby={`${id}-${kind}`}>
            <Text id={`${id}-${kind}`} px={12} pt={8} pb={2} fz="xs" c="dimmed" role="presentation">
              {kind}
            </Text>
            {found.map(optionOf)}
          </div>
        ))}
        {search !== undefined && (
          <div role="group" aria-label="Search">
            {optionOf(search)}
          </div>
        )}
      </Box>
      <Box component="footer" className={css.foot} px={12} py={8} fz="xs" c="dimmed">
        {text.trim() !== '' && groups.length === 0 && <p>{nothingText(text, search)}</p>}
        {missing.map((line) => (
          <p key={line}>{line}</p>
        ))}
        <p className={css.keys}>
          <KeyHint keys="enter" /> opens, <KeyHint keys="mod+enter" /> in a new tab
        </p>
      </Box>
      <span role="status">
        <VisuallyHidden>
          {text.trim() !== '' &&
            (groups.length === 0 ? nothingText(text, search) : countOf(options.length, 'result'))}
        </VisuallyHidden>
      </span>
    </>
  )
}

/** What to do where nothing has that name. */
function nothingText(typed: string, meant: Found<Entry> | undefined): string {
  const next =
    meant === undefined
      ? 'Builds are found by their full id.'
      : meant.entry.note === 'package'
        ? 'Open its page to evaluate it.'
        : 'Search builds for it.'
  return `Nothing named “${typed.trim()}”. ${next}`
}

/** One of the choices, with the letters of its label that were typed. */
function Option({
  id,
  found: { entry, fit },
  isCurrent,
  onChoose,
}: {
  id: string
  found: Found<Entry>
  isCurrent: boolean
  onChoose: (isNewTab: boolean) => void
}): ReactElement {
  const { label, note, keys } = entry
  const ends = [0, ...fit.spans.map(([, to]) => to)]
  return (
    <div
      id={id}
      role="option"
      aria-selected={isCurrent}
      className={css.option}
      onMouseDown={(event) => {
        // The field keeps the focus.
        event.preventDefault()
      }}
      onClick={(event) => {
        onChoose(event.ctrlKey || event.metaKey)
      }}
    >
      <span className={css.label} title={label}>
        {fit.spans.map(([from, to], index) => (
          <span key={from}>
            {label.slice(ends[index], from)}
            <mark>{label.slice(from, to)}</mark>
          </span>
        ))}
        {label.slice(ends.at(-1))}
      </span>
      <span className={css.note} title={note}>
        {note}
      </span>
      {keys !== undefined && <KeyHint keys={keys} />}
    </div>
  )
}

/** Goes to a place and keeps that it was opened, or runs an action. */
function useOpen(onClose: () => void): (entry: Entry, isNewTab: boolean) => void {
  const navigate = useNavigate()
  const store = usePreferenceStore()
  return ({ label, note, to, run }, isNewTab) => {
    if (to !== undefined) {
      const place = { label, note, to: to() }
      const others = (store.get().opened ?? []).filter((other) => other.to !== place.to)
      store.change({ opened: [place, ...others].slice(0, keptPlaces) })
      if (isNewTab) window.open(basePath + place.to.slice(1), '_blank', 'noopener')
      else void navigate(place.to)
    }
    if (!isNewTab) onClose()
    run?.()
  }
}
