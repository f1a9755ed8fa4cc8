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

/**
 * "7 of 9 packages can be released; 2 fail sbom-present." What is waived or was not checked at all is
 * counted, and said.
 */
export function boardSentence(rows: readonly BoardRow[]): BoardSentence {
  const count = (...wanted: readonly CellVerdict[]): number =>
    rows.filter(({ verdict }) => wanted.includes(verdict)).length
  const waived = count('releasable-with-waivers')
  const may = count('releasable', 'releasable-unchecked', 'nothing-applied') + waived
  const unchecked = rows.filter(isUnchecked).length
  const nothing = count('nothing-applied')
  const fails = count('not-releasable')
  const failed = count('failed')
  const undecided = count('undecided')
  const open = count('open')
  const isOne = rows.length === 1
  const all = countOf(rows.length, 'package')
  const evaluated = rows.some(isPartlyEvaluated) ? 'fully evaluated' : 'evaluated'
  if (rows.length === 0) return { text: 'The board has no packages.', verdict: 'open' }
  if (open === rows.length)
    return {
      text: `${isOne ? 'The package has not' : `None of ${all} has`} been ${evaluated} yet.`,
      verdict: 'open',
    }
  const mayText = isOne
    ? `The package ${may === 1 ? 'can' : "can't"}`
    : may === rows.length
      ? `All ${all} can`
      : may === 0
        ? `None of ${all} can`
        : `${countText(may)} of ${all} can`
  const waivedText =
    waived === 0 ? '' : isOne ? ' with waivers' : `, ${countText(waived)} of them with waivers`
  const inSome = (packages: number): string => (isOne ? '' : `in ${countText(packages)} of them `)
  const parts = [
    ...(unchecked > 0
      ? [`${inSome(unchecked)}a ${uncheckedWords(rows)} policy was not checked`]
      : []),
    ...(nothing > 0 ? [`${inSome(nothing)}nothing was checked`] : []),
    ...(fails > 0 ? whyNot(rows, fails) : []),
    ...(undecided > 0
      ? [isOne ? 'its results are inconclusive' : `${countText(undecided)} inconclusive`]
      : []),
    ...(failed > 0 ? [`${isOne ? 'it' : countText(failed)} couldn't be evaluated`] : []),
    ...(open > 0 ? [`${countText(open)} ${open === 1 ? 'is' : 'are'} not ${evaluated} yet`] : []),
  ]
  return {
    text: `${[`${mayText} be released${waivedText}`, ...parts].join('; ')}.`,
    verdict:
      fails > 0
        ? 'not-releasable'
        : undecided + failed > 0
          ? 'undecided'
          : open > 0
            ? 'open'
            : unchecked + nothing > 0
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

/** Of several scans, one has a result and another has none. */
function isPartlyEvaluated({ verdict, cells }: BoardRow): boolean {
  return verdict === 'open' && cells.some((one) => one?.cell.known !== undefined)
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
  const worst = policies.slice(0, mostPolicies)
  const more = policies.length - worst.length
  if (rows.length === 1) {
    const others = more === 0 ? [] : [countOf(more, 'more policy', 'more policies')]
    const what = [...worst.map(({ title }) => title), ...others]
    return [what.length === 0 ? 'it fails' : `it fails ${new Intl.ListFormat('en').format(what)}`]
  }
  if (worst.length === 0) return [`${countText(fails)} ${fails === 1 ? 'fails' : 'fail'}`]
  const named = worst.map(
    ({ title, packages }) => `${countText(packages)} ${packages === 1 ? 'fails' : 'fail'} ${title}`,
  )
  const rest =
    more === 0 ? '' : ` and ${more} more ${more === 1 ? 'policy fails' : 'policies fail'}`
  return [`${named.join(', ')}${rest}`]
}
