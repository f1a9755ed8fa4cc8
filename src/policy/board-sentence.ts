import { countOf, countText } from '../protocol/count.ts'
import type { BoardRow, CellVerdict } from './board-row.ts'
import { boardFailures, failureGroups } from './board-failures.ts'
import { severityWords } from './severity.ts'

/** The verdict of a board in one sentence, and what it means for a release. */
export interface BoardSentence {
  readonly text: string
  /** `open` while something was never evaluated and nothing fails. */
  readonly verdict: 'releasable' | 'releasable-unchecked' | 'not-releasable' | 'undecided' | 'open'
}

const mostPolicies = 2

/** "7 of 9 packages may be released; 2 fail sbom-present." Waived packages are counted, and said. */
export function boardSentence(rows: readonly BoardRow[]): BoardSentence {
  const count = (...wanted: readonly CellVerdict[]): number =>
    rows.filter(({ verdict }) => wanted.includes(verdict)).length
  const waived = count('releasable-with-waivers')
  const may = count('releasable', 'releasable-unchecked', 'nothing-applied') + waived
  const unchecked = rows.filter(isUnchecked).length
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
    ...(unchecked > 0
      ? [`in ${countText(unchecked)} of them a ${uncheckedWords(rows)} policy was not checked`]
      : []),
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
            : unchecked > 0
              ? 'releasable-unchecked'
              : 'releasable',
  }
}

/** A package that can be released without proof that weighs. */
function isUnchecked({ verdict, cells }: BoardRow): boolean {
  return (
    verdict === 'releasable-unchecked' ||
    (verdict === 'releasable-with-waivers' && cells.some((cell) => cell?.unchecked.length))
  )
}

function uncheckedWords(rows: readonly BoardRow[]): string {
  return severityWords(
    rows.filter(isUnchecked).flatMap(({ cells }) => cells.flatMap((cell) => cell?.unchecked ?? [])),
  )
}

function whyNot(rows: readonly BoardRow[], fails: number): readonly string[] {
  const policies = failureGroups(boardFailures(rows), 'policy').filter(
    ({ packages }) => packages > 0,
  )
  const named = policies
    .slice(0, mostPolicies)
    .map(
      ({ title, packages }) =>
        `${countText(packages)} ${packages === 1 ? 'fails' : 'fail'} ${title}`,
    )
  const more = policies.length - named.length
  if (named.length === 0) return [`${countText(fails)} ${fails === 1 ? 'fails' : 'fail'}`]
  const rest =
    more === 0 ? '' : ` and ${more} more ${more === 1 ? 'policy fails' : 'policies fail'}`
  return [`${named.join(', ')}${rest}`]
}
