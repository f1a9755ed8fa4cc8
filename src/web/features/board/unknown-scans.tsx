import type { ReactElement } from 'react'
import type { BoardPlace } from '../../../policy/board.ts'
import type { BoardCell } from '../../../policy/board-cell.ts'
import { StatusShape } from '../../ui/status-mark.tsx'
import css from './board-headline.module.css'
import { useKnownHere } from './known-artifacts.ts'

/** Which scans the service does not have, and which names worked here before. */
export function UnknownScans({
  places,
  cells,
}: {
  places: readonly BoardPlace[]
  cells: ReadonlyMap<string, BoardCell>
}): ReactElement | null {
  const { scans } = useKnownHere()
  const unknown = new Set<string>()
  const worked = new Set<string>()
  for (const { key, scan } of places) {
    const cell = cells.get(key)
    if (cell?.fault?.problem.status === 404) unknown.add(scan)
    if (cell?.known !== undefined) worked.add(scan)
  }
  const missing = [...unknown].filter((scan) => !worked.has(scan))
  if (missing.length === 0) return null
  const names = [...new Set([...worked, ...scans])].filter((scan) => !unknown.has(scan)).slice(0, 8)
  return (
    <p className={css.notice} role="alert">
      <StatusShape tone="bad" />
      <span>
        The service has no policy scan {missing.map((scan) => `“${scan}”`).join(', ')}.{' '}
        {names.length === 0
          ? 'No other name was used here yet: ask whoever defines the policies.'
          : `These names worked here before or are configured: ${names.join(', ')}.`}
      </span>
    </p>
  )
}
