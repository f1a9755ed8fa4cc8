import { countOf, countText } from '../protocol/count.ts'
import type { CellVerdict } from './board-cell.ts'
import { failingPolicies } from './board-policies.ts'
import type { BoardRow } from './board-row.ts'

/** The answer of a board in one sentence, and what it means for whoever wants to release. */
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
  if (open === rows.length) return { text: `None of ${all} was evaluated yet.`, verdict: 'open' }
  const mayText =
    may === rows.length
      ? `All ${all}`
      : may === 0
        ? `None of ${all}`
        : `${countText(may)} of ${all}`
  const parts = [
    ...(fails > 0 ? whyNot(rows, fails) : []),
    ...(undecided > 0 ? [`${countText(undecided)} cannot be decided`] : []),
    ...(failed > 0 ? [`${countText(failed)} could not be evaluated`] : []),
    ...(open > 0 ? [`${countText(open)} ${open === 1 ? 'is' : 'are'} not evaluated yet`] : []),
  ]
  const start = `${mayText} may be released${waived > 0 ? `, ${countText(waived)} of them with waivers` : ''}`
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
