import { countOf, countText } from '../../../protocol/count.ts'
import type { TestRow, TestsProgress, TestSummary } from '../../../protocol/test-insight.ts'
import type { Query } from '../../../search/tree.ts'
import type { StatusTone } from '../../ui/status-mark.tsx'

/** "Of 240 tests in 100 builds of checkout on main, 3 fail, 2 of them newly, and 5 are flaky." */
export function testsSentence(
  summary: Pick<TestSummary, 'counts'>,
  folded: number,
  scope: string,
  isFiltered = false,
): string {
  const sentence = sentenceOfAll(summary, folded, scope)
  return isFiltered ? `Filtered: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}` : sentence
}

function sentenceOfAll(
  { counts }: Pick<TestSummary, 'counts'>,
  folded: number,
  scope: string,
): string {
  const { failing, newly, flaky, all } = counts
  // Builds that were read but have no tests are not among these.
  if (folded === 0) return `No test results in builds${scope}.`
  const where = `in ${countOf(folded, 'build')}${scope}`
  if (all === 0) return `No tests ${where}.`
  const tests = countOf(all, 'test')
  if (failing === 0 && flaky === 0) return `None of ${tests} fails ${where}.`
  const fail =
    failing === 0
      ? 'none fails'
      : `${countText(failing)} ${failing === 1 ? 'fails' : 'fail'}${newlyText(failing, newly)}`
  const areFlaky =
    flaky === 0
      ? ''
      : `${failing === 0 ? ', but' : newly > 0 ? ', and' : ' and'} ${countText(flaky)} ${flaky === 1 ? 'is' : 'are'} flaky`
  return `Of ${tests} ${where}, ${fail}${areFlaky}.`
}

function newlyText(failing: number, newly: number): string {
  if (newly === 0) return ''
  return failing === 1 ? ', newly' : `, ${countText(newly)} of them newly`
}

/** The one project that a query narrows to; undefined for several. */
export function projectOf({ root, text }: Pick<Query, 'root' | 'text'>): string | undefined {
  const parts = root === undefined ? [] : termsOf(root, text)
  return parts.flatMap((part) => /^project:"?([^"*]+)"?$/i.exec(part)?.[1] ?? [])[0]
}

/** What all builds of a query have to match. */
function termsOf(root: NonNullable<Query['root']>, text: string): readonly string[] {
  return (root.type === 'and' ? root.operands : [root]).map(({ from, to }) => text.slice(from, to))
}

/** What a query narrows to, for the end of a sentence: " of checkout on main". Empty for every build. */
export function scopeText({ root, text }: Query): string {
  if (root === undefined) return ''
  const parts = termsOf(root, text)
  const project = projectOf({ root, text })
  const [branch] = parts.flatMap((part) => /^value:"Git branch=([^"*]+)"$/i.exec(part)?.[1] ?? [])
  const known = [
    ...(project === undefined ? [] : [`of ${project}`]),
    ...(branch === undefined ? [] : [`on ${branch}`]),
  ]
  if (known.length === parts.length) return ` ${known.join(' ')}`
  return known.length === 0 ? ' that match the query' : ` ${known.join(' ')} that match the query`
}

/**
 * How far the reading has come: "Read 40 of 100 builds, 12 of them cached. 7 have no test results." `isReading` is false where
 * it doesn't go on.
 */
export function progressText(progress: TestsProgress, isReading: boolean): string {
  const { read, of, kept, withoutTests, unmatched, partial, unreadable, searched, listing } =
    progress
  const all = countOf(of, 'build')
  const isLooking = isReading && listing === true
  if (listing === true && of === 0) return isLooking ? 'Looking for builds…' : ''
  const far = read < of ? `Read ${countText(read)} of ${all}` : `Read ${all}`
  const cached = kept === 0 ? '' : `, ${countText(kept)} of them cached`
  const more = [
    ...(unmatched > 0
      ? [`${countText(unmatched)} ${unmatched === 1 ? "doesn't" : "don't"} match the query`]
      : []),
    ...(withoutTests > 0
      ? [`${countText(withoutTests)} ${have(withoutTests)} no test results`]
      : []),
    ...(unreadable > 0 ? [`${countText(unreadable)} can't be read`] : []),
    ...(partial > 0 ? [`${countText(partial)} ${have(partial)} too many events to read all`] : []),
  ]
  const how =
    progress.exported === true
      ? " The build server's list of builds can't be read, so they come from its export stream."
      : searched
        ? ''
        : " The build server doesn't search, so Sightline checks each build."
  const looking = isLooking ? ' Looking for more builds…' : ''
  return `${far}${cached}.${more.length === 0 ? '' : ` ${more.join(', ')}.`}${how}${looking}`
}

function have(count: number): string {
  return count === 1 ? 'has' : 'have'
}

/** How a test stands, in marks. */
export function testMarks(
  row: TestRow,
): readonly { readonly tone: StatusTone; readonly word: string }[] {
  const { state, isNew, inARow = 0, flaky } = row
  // Before the builds that were read there may be more of a failure that isn't new.
  const times = inARow > 1 ? `, ${countText(inARow)}${isNew ? '' : ' or more'} in a row` : ''
  const flakyMark = {
    tone: 'waiting',
    word: flaky > 1 ? `Flaky ${countText(flaky)} times` : 'Flaky',
  } as const
  if (state === 'failing') {
    const word = isNew ? `Newly failing${times}` : `Failing${times}`
    return [{ tone: 'bad', word }, ...(flaky > 0 ? [flakyMark] : [])]
  }
  if (flaky > 0) return [flakyMark]
  return [
    state === 'skipped' ? { tone: 'none', word: 'Skipped' } : { tone: 'good', word: 'Passing' },
  ]
}

/** The newest runs for who can't see the strip: "Newest first: 2 failed, 28 passed." */
export function historyText({ history }: TestRow): string {
  const runs: { outcome: string; count: number }[] = []
  for (const [, outcome] of history) {
    const last = runs.at(-1)
    if (last?.outcome === outcome) last.count++
    else runs.push({ outcome, count: 1 })
  }
  const words = runs.slice(0, 6).map(({ outcome, count }) => `${countText(count)} ${outcome}`)
  return `Newest first: ${words.join(', ')}${runs.length > 6 ? ' and more' : ''}.`
}

/** Why nothing is quarantined before it is known what already is. */
export const unknownQuarantine = "Quarantined tests aren't loaded."
