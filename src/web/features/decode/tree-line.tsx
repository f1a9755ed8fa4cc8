import type { ReactElement } from 'react'
import type { TreeRow } from '../../../attestation/payload-tree.ts'
import { visibleText } from '../../../attestation/visible-text.ts'
import { countOf } from '../../../protocol/count.ts'
import css from './payload-tree-view.module.css'

/** One line of a payload's tree. */
export function TreeLine({
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
      <span className={css.arrow} aria-hidden="true">
        {isContainer ? (isOpen ? '▾' : '▸') : ''}
      </span>
      {row.name !== undefined && <span className={css.key}>{`${cut(row.name, 120)}: `}</span>}
      {row.value === undefined ? (
        <span className={css.count}>{contained(row)}</span>
      ) : (
        <span className={css.text} data-kind={row.kind}>
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
  const shown = visibleText(text.slice(0, most)).replace(/\s*[\r\n]+\s*/g, ' ⏎ ')
  return text.length > most ? `${shown}…` : shown
}
