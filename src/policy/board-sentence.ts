import { countOf, countText } from '../protocol/count.ts'
import type { BoardRow, CellVerdict, RowCell } from './board-row.ts'
import { policyKey, policyName } from './policy-group.ts'

/** The verdict of a board in one sentence, and what it means for a release. */
export interface BoardSentence {
  readonly text: string
  /** `open` while something was never evaluated and nothing fails. */
  readonly verdict: 'releasable' | 'not-releasable' | 'undecided' | 'open'
}

const mostPolicies = 2

/** "7 of 9 packages may be released; 2 fail sbom-present." Waived packages are counted, and said. */
export function boardSentence(rows: readonly BoardRow[]): BoardSentence {
  const count = (...wanted: readonly CellVerdict[]): number =>
    rows.filter(({ verdict }) => wanted.includes(verdict)).length
  const waived = count('releasable-with-waivers')
  const may = count('releasable', 'nothing-applied') + waived
  const fails = count('not-releasable')
  const failed = count('failed')
  const undecided = count('undecided')
  const open = count('open')
  const all = countOf(rows.length, 'package')
  if (rows.length === 0) return { text: 'The board has no packages.', verdict: 'open' }
  if (open === rows.length)
    return { text: `None of ${all} has been evaluated yet.`, verdict: 'open' }
  const mayText =
    may === rows.length
      ? `All ${all}`
      : may === 0
        ? `None of ${all}`
        : `${countText(may)} of ${all}`
  const parts = [
    ...(fails > 0 ? whyNot(rows, fails) : []),
    ...(undecided > 0 ? [`${countText(undecided)} inconclusive`] : []),
    ...(failed > 0 ? [`${countText(failed)} couldn't be evaluated`] : []),
    ...(open > 0 ? [`${countText(open)} ${open === 1 ? 'is' : 'are'} not evaluated yet`] : []),
  ]
  const start = `${mayText} can be released${waived > 0 ? `, ${countText(waived)} of them with waivers` : ''}`
  return {
    text: `${[start, ...parts].join('; ')}.`,
    verdict:
      fails > 0
        ? 'not-releasable'
        : undecided + failed > 0
          ? 'undecided'
          : open > 0
            ? 'open'
            : 'releasable',
  }
}

function whyNot(rows: readonly BoardRow[], fails: number): readonly string[] {
  const policies = failingPolicies(rows).filter(({ packages }) => packages > 0)
  const named = policies
    .slice(0, mostPolicies)
    .map(
      ({ name, packages }) => `${countText(packages)} ${packages === 1 ? 'fails' : 'fail'} ${name}`,
    )
  const more = policies.length - named.length
  if (named.length === 0) return [`${countText(fails)} ${fails === 1 ? 'fails' : 'fail'}`]
  const rest =
    more === 0 ? '' : ` and ${more} more ${more === 1 ? 'policy fails' : 'policies fail'}`
  return [`${named.join(', ')}${rest}`]
}

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
