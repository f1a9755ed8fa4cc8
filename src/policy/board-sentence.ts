import { countOf, countText } from '../protocol/count.ts'
import type { BoardRow, CellVerdict } from './board-row.ts'
import { boardFailures, failureGroups } from './board-failures.ts'
import { severityWords } from './severity.ts'

/** The verdict of a board: what keeps it from being released in one short sentence, and what that means. */
export interface BoardSentence {
  readonly text: string
  /** What else is to be said, in sentences; may be empty. */
  readonly more: string
  /** `open` while something was never evaluated and nothing fails. */
  readonly verdict: 'releasable' | 'releasable-unchecked' | 'not-releasable' | 'undecided' | 'open'
}

/** So many policies are named, and so many reasons stand in the first sentence. */
const most = 2

/**
 * "2 of 9 packages can't be released: 2 fail sbom-present." What is waived or was not checked is counted, and
 * said: where something else keeps the board from being released, in `more`.
 */
export function boardSentence(rows: readonly BoardRow[]): BoardSentence {
  const count = (...wanted: readonly CellVerdict[]): number =>
    rows.filter(({ verdict }) => wanted.includes(verdict)).length
  const waived = count('releasable-with-waivers')
  const may = count('releasable', 'releasable-unchecked') + waived
  const unchecked = rows.filter(isUnchecked).length
  const nothing = count('nothing-applied')
  const fails = count('not-releasable')
  const failed = count('failed')
  const undecided = count('undecided')
  const open = count('open')
  const isOne = rows.length === 1
  const all = countOf(rows.length, 'package')
  const evaluated = rows.some(isPartlyEvaluated) ? 'fully evaluated' : 'evaluated'
  if (rows.length === 0) return { text: 'The board has no packages.', more: '', verdict: 'open' }
  if (open === rows.length)
    return {
      text: `${isOne ? 'The package has not' : `None of ${all} has`} been ${evaluated} yet.`,
      more: '',
      verdict: 'open',
    }
  const inSome = isOne ? '' : `in ${countText(unchecked)} `
  const withWaivers = waived === 0 ? '' : `${isOne ? '' : `, ${countText(waived)}`} with waivers`
  const but =
    unchecked === 0
      ? ''
      : `, but ${inSome}a ${uncheckedWords(rows)}-severity policy was not checked`
  const released = (who: string): string => `${who} can be released${withWaivers}${but}.`
  const reasons = [
    ...(fails > 0 ? whyNot(rows, fails) : []),
    ...(undecided > 0
      ? [isOne ? 'its results are inconclusive' : `${countText(undecided)} inconclusive`]
      : []),
    ...(failed > 0 ? [`${isOne ? 'it' : countText(failed)} couldn't be evaluated`] : []),
    ...(nothing > 0 ? [`nothing was checked ${nowhere(rows, nothing)}`] : []),
  ]
  const rest = reasons.slice(most).join(', ')
  // What nobody has evaluated yet neither can nor can't be released.
  const cannot = rows.length - may - open
  const who = isOne
    ? "The package can't"
    : cannot === rows.length
      ? `None of ${all} can`
      : `${countText(cannot)} of ${all} can't`
  const some = may > 0 ? [released(countText(may))] : []
  return {
    ...(may === rows.length
      ? { text: released(isOne ? 'The package' : `All ${all}`), more: '' }
      : cannot === 0
        ? {
            text: `${countText(open)} of ${all} ${open === 1 ? 'has' : 'have'} not been ${evaluated} yet.`,
            more: some.join(' '),
          }
        : {
            text: `${who} be released: ${reasons.slice(0, most).join(', ')}.`,
            more: [
              ...(rest === '' ? [] : [`${rest.charAt(0).toUpperCase()}${rest.slice(1)}.`]),
              ...(open === 0 ? [] : [`${countText(open)} not ${evaluated} yet.`]),
              ...some,
            ].join(' '),
          }),
    verdict:
      fails > 0
        ? 'not-releasable'
        : undecided + failed + nothing > 0
          ? 'undecided'
          : open > 0
            ? 'open'
            : unchecked > 0
              ? 'releasable-unchecked'
              : 'releasable',
  }
}

/** All that `boardSentence` says, for what has no room for two lines. */
export function boardText(rows: readonly BoardRow[]): string {
  const { text, more } = boardSentence(rows)
  return more === '' ? text : `${text} ${more}`
}

/** In which scans nothing was checked, of packages that nothing else is said of: "in 2 (prod)". */
function nowhere(rows: readonly BoardRow[], packages: number): string {
  const cells = rows.flatMap((row) => (row.verdict === 'nothing-applied' ? row.cells : []))
  const scans = new Set(
    cells.flatMap((cell) => (cell?.verdict === 'nothing-applied' ? cell.place.scan : [])),
  )
  const [first = ''] = scans
  const which = scans.size > 1 ? countOf(scans.size, 'scan') : first
  return rows.length === 1 ? `in ${which}` : `in ${countText(packages)} (${which})`
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
  const worst = policies.slice(0, most)
  const more = policies.length - worst.length
  if (rows.length === 1) {
    const others = more === 0 ? [] : [countOf(more, 'more policy', 'more policies')]
    const what = [...worst.map(({ title }) => title), ...others]
    return [what.length === 0 ? 'it fails' : `it fails ${new Intl.ListFormat('en').format(what)}`]
  }
  if (worst.length === 0) return [`${countText(fails)} ${fails === 1 ? 'fails' : 'fail'}`]
  // A package may fail several: what counts packages here would be taken for parts of their sum.
  const named = worst.map(({ title, packages }, index) =>
    policies.length === 1
      ? `${countText(packages)} ${packages === 1 ? 'fails' : 'fail'} ${title}`
      : `${title} ${index === 0 ? 'fails ' : ''}in ${countText(packages)}`,
  )
  const rest = more === 0 ? [] : [countOf(more, 'more policy fails', 'more policies fail')]
  return [...named, ...rest]
}
