import { Anchor, Box, Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { type ReactElement, useMemo, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import * as z from 'zod/mini'
import { useQuery } from '@tanstack/react-query'
import {
  type Board,
  type KnownArtifact,
  type LineMistake,
  pastedBoardId,
  readBoardList,
} from '../../../policy/board.ts'
import { countOf } from '../../../protocol/count.ts'
import {
  type PastedBoard,
  usePreferences,
  usePreferenceStore,
} from '../../ui/device-preferences.ts'
import { useDraftState } from '../../ui/drafts.ts'
import { Notice } from '../../ui/notice.tsx'
import { packagePath } from '../../../protocol/package-address.ts'
import { readPackageReference } from '../../../protocol/package-reference.ts'
import { shortText } from '../../../protocol/untrusted-text.ts'
import { configQuery } from '../../data/core/server-config.ts'
import { scanNames } from '../../domain/package/remembered-packages.ts'
import { useServices } from '../../data/core/services.ts'

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
  const { boards = [] } = usePreferences()
  const id = pastedBoardId(text, scans)
  const pushedOut = boards.some((one) => one.id === id) ? undefined : boards[mostKept - 1]
  const missing = [
    ...(packages.length === 0 ? ['at least one package'] : []),
    ...(scans.length === 0 ? ['at least one policy scan'] : []),
  ]

  function show(): void {
    setTried(true)
    if (missing.length > 0) return
    const board = {
      title: title.trim() || pastedTitle(packages.length),
      text,
      scans,
    }
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
        {pushedOut !== undefined && (
          <Text c="dimmed">
            {`This browser keeps ${mostKept} boards. Showing this one removes the oldest, “${pushedOut.title}”.`}
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
        <Box
          component="ul"
          mah={240}
          m={0}
          pl={24}
          style={{ overflow: 'auto', overflowWrap: 'anywhere' }}
        >
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
              : <code>{shortText(mistake.text, 120)}</code> {mistake.sentence}
            </li>
          ))}
        </Box>
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

/** What somebody pasted, read. */
interface ReadBoard {
  /** What its results are kept under on this device. */
  readonly id: string
  readonly board: Board
  readonly mistakes: readonly LineMistake[]
}

function pastedTitle(packages: number): string {
  return `${countOf(packages, 'package')}, pasted`
}

/** Servers and proxies take addresses of about 8,000 characters; this leaves room for filters. */
const longestAddress = 6000
export const mostKept = 20

/** Reads a pasted board, which is named by how much it has where it has no title; `known` knows packages that a line only names. */
export function readPastedBoard(
  { title, text, scans }: Omit<PastedBoard, 'id'>,
  known: KnownArtifact,
): ReadBoard {
  const { packages, mistakes } = readBoardList(text, known)
  const named = title.trim() || pastedTitle(packages.length)
  return { id: pastedBoardId(text, scans), board: { title: named, packages, scans }, mistakes }
}

/**
 * The address of a pasted board: with the whole list in it where it is short enough to be sent to a
 * colleague, else undefined.
 */
export function shareableAddress({
  title,
  text,
  scans,
}: Omit<PastedBoard, 'id'>): string | undefined {
  const search = new URLSearchParams({ list: text, scans: scans.join(',') })
  if (title !== '') search.set('title', title)
  const address = `/board?${search.toString()}`
  return address.length <= longestAddress ? address : undefined
}

/** The board of an address that holds its list; undefined where it holds none. */
export function boardInAddress(search: URLSearchParams): Omit<PastedBoard, 'id'> | undefined {
  const text = search.get('list')
  if (text === null) return undefined
  return { title: search.get('title') ?? '', text, scans: readScans(search.get('scans') ?? '') }
}

/** Names of scans, parted by commas or spaces; each once. */
export function readScans(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,;]+/).filter((name) => name !== ''))]
}

/** The boards of this device with this one first; the oldest of 20 goes. */
function withPasted(boards: readonly PastedBoard[], board: PastedBoard): readonly PastedBoard[] {
  return [board, ...boards.filter(({ id }) => id !== board.id)].slice(0, mostKept)
}

/** What is known here beside the board itself. */
interface KnownHere {
  readonly artifactOf: KnownArtifact
  /** Names of scans that were used here or stand in the configuration, those used last first. */
  readonly scans: readonly string[]
}

/** Digests and repositories of packages that were looked at here or are configured. */
export function useKnownHere(): KnownHere {
  const { packages: remembered } = usePreferences()
  const { data } = useQuery(configQuery(useServices().request))
  return useMemo(() => {
    const configured = [
      ...(data?.packages ?? []),
      ...(data?.boards ?? []).flatMap((b) => b.packages),
    ]
    const byPath = new Map<string, { sha256: string; repositoryUrl: string }>()
    for (const { purl, sha256, repositoryUrl } of configured) {
      const read = readPackageReference(purl)
      if (read.ok) byPath.set(packagePath(read.reference.address), { sha256, repositoryUrl })
    }
    for (const { address, sha256, repositoryUrl } of [...(remembered ?? [])].reverse()) {
      byPath.set(packagePath(address), { sha256, repositoryUrl })
    }
    return {
      artifactOf: (address) => byPath.get(packagePath(address)),
      scans: scanNames([...(remembered ?? []), ...configured, ...(data?.boards ?? [])]),
    }
  }, [data, remembered])
}
