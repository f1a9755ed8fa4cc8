import { Button, Flex, Paper, Stack, Text, TextInput } from '@mantine/core'
import { type KeyboardEvent, type ReactElement, useId, useMemo, useRef, useState } from 'react'
import {
  childrenOf,
  countOf as childCount,
  countOf as countOfFirstOpened,
  type JsonTree,
  sourceOf,
  stringOf,
} from '../../../attestation/decode/json-tree.ts'
import {
  addressOf,
  findNodes,
  pathTo,
  rowOf,
  shownTree,
  type TreeRow,
} from '../../../attestation/statement/payload-tree.ts'
import { visibleText } from '../../../attestation/decode/visible-text.ts'
import { countOf, countText } from '../../../protocol/count.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { useKeys } from '../../ui/keys.tsx'
import { useFixedRows } from './long-list.tsx'
import { Visible } from './tab-parts.tsx'
import { StrangerLink } from '../../ui/external-link.tsx'
import css from './decode.module.css'

const rowHeight = 26

/** A payload as a tree that is opened, searched and walked through; only what is in sight is there. */
export function PayloadTreeView({
  tree,
  search,
  onSearch,
}: {
  tree: JsonTree
  search: string
  onSearch: (search: string) => void
}): ReactElement {
  const id = useId()
  const [opened, setOpened] = useState<ReadonlySet<number>>(() => firstOpened(tree))
  const [current, setCurrent] = useState(0)
  const shown = useMemo(() => shownTree(tree, opened), [tree, opened])
  const found = useMemo(() => findNodes(tree, search.trim()), [tree, search])
  const foundNodes = useMemo(() => new Set(found), [found])
  const { setScroller, height, rows, page, reveal } = useFixedRows(shown.nodes.length, rowHeight)

  function lookAt(node: number): void {
    const path = pathTo(tree, node)
    const next = path.every((above) => opened.has(above)) ? opened : new Set([...opened, ...path])
    if (next !== opened) setOpened(next)
    setCurrent(node)
    const line = shownTree(tree, next).nodes.indexOf(node)
    // After the rows of the newly opened have been counted.
    requestAnimationFrame(() => {
      reveal(line)
    })
  }

  function toggle(node: number, isOpen: boolean): void {
    const next = new Set(opened)
    if (isOpen) next.add(node)
    else next.delete(node)
    setOpened(next)
  }

  function onKeyDown(event: KeyboardEvent): void {
    const line = shown.nodes.indexOf(current)
    const isContainer = childCount(tree, current) > 0
    const isOpen = isContainer && opened.has(current)
    const go = (to: number): void => {
      const node = shown.nodes[Math.min(Math.max(to, 0), shown.nodes.length - 1)]
      if (node !== undefined) lookAt(node)
    }
    const actions: Record<string, () => void> = {
      ArrowDown: () => {
        go(line + 1)
      },
      ArrowUp: () => {
        go(line - 1)
      },
      PageDown: () => {
        go(line + page - 1)
      },
      PageUp: () => {
        go(line - page + 1)
      },
      Home: () => {
        go(0)
      },
      End: () => {
        go(shown.nodes.length - 1)
      },
      ArrowRight: () => {
        if (isContainer && !isOpen) toggle(current, true)
        else if (isOpen) go(line + 1)
      },
      ArrowLeft: () => {
        if (isOpen) toggle(current, false)
        else lookAt(Math.max(0, tree.parents[current] ?? 0))
      },
      Enter: () => {
        if (isContainer) toggle(current, !isOpen)
      },
    }
    const action = actions[event.key]
    if (action === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    action()
  }

  return (
    <Stack gap={8}>
      <TreeSearch
        search={search}
        onSearch={onSearch}
        found={found}
        current={current}
        onLook={lookAt}
      />
      <div
        ref={setScroller}
        className={css.scroller}
        style={{ fontFamily: 'var(--font-mono)' }}
        role="tree"
        aria-label="Payload"
        tabIndex={0}
        aria-activedescendant={`${id}-${current}`}
        onKeyDown={onKeyDown}
      >
        <div role="none" style={{ height }}>
          {rows.map(({ index, top }) => {
            const row = rowOf(tree, shown, index)
            return (
              <TreeLine
                key={row.node}
                id={`${id}-${row.node}`}
                row={row}
                top={top}
                height={rowHeight}
                isOpen={opened.has(row.node)}
                isCurrent={row.node === current}
                isFound={foundNodes.has(row.node)}
                onLook={() => {
                  setCurrent(row.node)
                }}
                onToggle={(isOpen) => {
                  toggle(row.node, isOpen)
                }}
              />
            )
          })}
        </div>
      </div>
      <NodeDetails tree={tree} node={current} />
    </Stack>
  )
}

/** One line of a payload's tree. */
function TreeLine({
  id,
  row,
  top,
  height,
  isOpen,
  isCurrent,
  isFound,
  onLook,
  onToggle,
}: {
  id: string
  row: TreeRow
  top: number
  height: number
  isOpen: boolean
  isCurrent: boolean
  isFound: boolean
  onLook: () => void
  onToggle: (isOpen: boolean) => void
}): ReactElement {
  const isContainer = row.count > 0
  return (
    <div
      id={id}
      role="treeitem"
      aria-level={row.level + 1}
      aria-selected={isCurrent}
      {...(isContainer ? { 'aria-expanded': isOpen } : {})}
      className={css.line}
      data-found={isFound || undefined}
      style={{
        height,
        transform: `translateY(${top}px)`,
        paddingLeft: 8 + Math.min(row.level, 40) * 16,
      }}
      onClick={() => {
        onLook()
        if (isContainer) onToggle(!isOpen)
      }}
    >
      <Text span inherit display="inline-block" w={16} c="dimmed" aria-hidden="true">
        {isContainer ? (isOpen ? '▾' : '▸') : ''}
      </Text>
      {row.name !== undefined && (
        <Text span inherit c="var(--code-field)">{`${cut(row.name, 120)}: `}</Text>
      )}
      {row.value === undefined ? (
        <Text span inherit c="dimmed">
          {contained(row)}
        </Text>
      ) : (
        <span
          data-kind={row.kind}
          style={{ color: `var(--code-${row.kind === 'string' ? 'value' : 'keyword'})` }}
        >
          {row.kind === 'string' ? `"${cut(row.value, 300)}"` : cut(row.value, 300)}
        </span>
      )}
    </div>
  )
}

function contained({ kind, count }: TreeRow): string {
  if (kind === 'array') return `[ ${countOf(count, 'element')} ]`
  return `{ ${countOf(count, 'member')} }`
}

function cut(text: string, most: number): string {
  const shown = visibleText(text, most).replace(/\s*[\r\n]+\s*/g, ' ⏎ ')
  return text.length > most ? `${shown}…` : shown
}

/** As many are found at most; see findNodes. */
const mostFound = 10_000

/** Seeks in keys and values, and steps through what was found. */
function TreeSearch({
  search,
  onSearch,
  found,
  current,
  onLook,
}: {
  search: string
  onSearch: (search: string) => void
  found: Int32Array
  current: number
  onLook: (node: number) => void
}): ReactElement {
  const field = useRef<HTMLInputElement>(null)
  const [typed, setTyped] = useState(search)
  useKeys('Payload', [
    { keys: ['/'], label: 'Search the payload', run: () => field.current?.focus() },
  ])
  const place = found.indexOf(current)

  function step(by: 1 | -1): void {
    if (found.length === 0) return
    const next =
      place === -1
        ? by === 1
          ? Math.max(
              0,
              found.findIndex((node) => node > current),
            )
          : found.findLastIndex((node) => node < current)
        : place + by
    const node = found.at(next % found.length)
    if (node !== undefined) onLook(node)
  }

  return (
    <Flex
      component="form"
      wrap="wrap"
      align="center"
      gap={4}
      role="search"
      onSubmit={(event) => {
        event.preventDefault()
        if (typed !== search) onSearch(typed)
        else step(1)
      }}
    >
      <TextInput
        flex="1 1 16ch"
        maw="40ch"
        ref={field}
        type="search"

        value={typed}
        placeholder="Search keys and values"
        aria-label="Search the payload"
        spellCheck={false}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          onSearch(event.currentTarget.value)
        }}
      />
      <Button
        size="compact-xs"
        variant="default"
        aria-label="Previous match"
        onClick={() => {
          step(-1)
        }}
      >
        ↑
      </Button>
      <Button
        size="compact-xs"
        variant="default"
        aria-label="Next match"
        onClick={() => {
          step(1)
        }}
      >
        ↓
      </Button>
      <Text span inherit c="dimmed" role="status">
        {search.trim() === '' ? '' : foundText(found.length, place)}
      </Text>
    </Flex>
  )
}

function foundText(count: number, place: number): string {
  if (count === 0) return 'Nothing found.'
  const all = count >= mostFound ? `${countText(count)} or more` : countText(count)
  return place === -1 ? `${all} found` : `${countText(place + 1)} of ${all}`
}

/** The address and the whole value of the node that is looked at. */
function NodeDetails({ tree, node }: { tree: JsonTree; node: number }): ReactElement {
  const address = addressOf(tree, node)
  const value = stringOf(tree, node) ?? sourceOf(tree, node)
  return (
    <Paper withBorder px={12} py={8} bg="var(--surface-panel)">
      <Flex gap={4} align="center" fz="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        <code>{visibleText(address, 500)}</code>
        <CopyButton text={address} what="path of the value" />
      </Flex>
      <Flex
        className={css.code}
        gap={4}
        mah={180}
        style={{ overflow: 'auto', overflowWrap: 'anywhere' }}
      >
        <StrangerLink address={value}>
          <Visible text={value} most={4_000} />
        </StrangerLink>
        <CopyButton text={value} what="value" />
      </Flex>
    </Paper>
  )
}

/** About so many lines are shown at first. */
const mostLines = 60

/** The containers of a tree that are open at first: from the top, as long as it stays on a screen. */
function firstOpened(tree: JsonTree): ReadonlySet<number> {
  const opened = new Set<number>()
  let lines = 1
  let level: number[] = [0]
  while (level.length > 0) {
    const next: number[] = []
    for (const node of level) {
      const count = countOfFirstOpened(tree, node)
      if (count === 0 || (lines + count > mostLines && node !== 0)) continue
      opened.add(node)
      lines += count
      if (count <= mostLines) next.push(...childrenOf(tree, node))
    }
    level = next
  }
  return opened
}
