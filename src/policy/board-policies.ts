import type { BoardRow, RowCell } from './board-row.ts'
import { policyKey, policyName } from './policy-name.ts'

/** A policy that fails somewhere on a board. */
export interface FailingPolicy {
  /** As `policyKey` gives it. */
  readonly key: string
  readonly policyUri: string
  readonly name: string
  readonly kind: string
  /** Where it fails and is not waived, then where it is. */
  readonly at: readonly { readonly row: BoardRow; readonly cell: RowCell }[]
  readonly waivedAt: readonly { readonly row: BoardRow; readonly cell: RowCell }[]
  /** How many packages fail for it, waived ones left out. */
  readonly packages: number
}

/** Which policy fails where: the one that most packages fail comes first. */
export function failingPolicies(rows: readonly BoardRow[]): readonly FailingPolicy[] {
  const found = new Map<string, { uri: string; at: Place[]; waivedAt: Place[] }>()
  for (const row of rows) {
    for (const cell of row.cells) {
      for (const { uri, status } of cell?.cell.known?.outcome.failing ?? []) {
        if (cell === undefined || status !== 'unsatisfied') continue
        const key = policyKey(uri)
        const policy = found.get(key) ?? { uri, at: [], waivedAt: [] }
        found.set(key, policy)
        ;(cell.waived.has(key) ? policy.waivedAt : policy.at).push({ row, cell })
      }
    }
  }
  return [...found]
    .map(([key, { uri, at, waivedAt }]) => ({
      key,
      policyUri: uri,
      ...policyName(uri),
      at,
      waivedAt,
      packages: new Set(at.map(({ row }) => row.row)).size,
    }))
    .sort(
      (a, b) => b.packages - a.packages || b.at.length - a.at.length || (a.key < b.key ? -1 : 1),
    )
}

interface Place {
  readonly row: BoardRow
  readonly cell: RowCell
}
