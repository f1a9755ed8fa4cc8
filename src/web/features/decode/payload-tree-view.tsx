import { type KeyboardEvent, type ReactElement, useId, useMemo, useState } from 'react'
import type { JsonTree } from '../../../attestation/json-tree.ts'
import { countOf as childCount } from '../../../attestation/json-tree.ts'
import { findNodes, pathTo, rowOf, shownTree } from '../../../attestation/payload-tree.ts'
import { firstOpened } from './first-opened.ts'
import { NodeDetails } from './node-details.tsx'
import css from './payload-tree-view.module.css'
import { TreeSearch } from './tree-search.tsx'
import { TreeLine } from './tree-line.tsx'
import { useFixedRows } from './use-fixed-rows.ts'

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
    <div className={css.view}>
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
        role="tree"
        aria-label="Payload"
        tabIndex={0}
        aria-activedescendant={`${id}-${current}`}
        onKeyDown={onKeyDown}
      >
        <div role="none" className={css.canvas} style={{ height: height }}>
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
    </div>
  )
}
