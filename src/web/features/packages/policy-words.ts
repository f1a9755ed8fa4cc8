import type { PolicyChange } from '../../../policy/run-difference.ts'
import type { PolicyStatus } from '../../../protocol/policy-result.ts'
import { shortText } from '../../../protocol/untrusted-text.ts'
import type { StatusTone } from '../../ui/status-mark.tsx'

/** How a policy came out, in words. */
export const statusWords: Readonly<Record<PolicyStatus, string>> = {
  unsatisfied: 'unsatisfied',
  unknown: 'unknown',
  satisfied: 'satisfied',
  'not-applicable': 'not applicable',
}

/** And what that means for whoever wants to release. */
export const statusTones: Readonly<Record<PolicyStatus, StatusTone>> = {
  unsatisfied: 'bad',
  unknown: 'waiting',
  satisfied: 'good',
  'not-applicable': 'none',
}

/** What became of a policy, in words. */
export const changeWords: Readonly<Record<PolicyChange, string>> = {
  'newly-failing': 'newly failing',
  'still-failing': 'still failing',
  fixed: 'fixed',
  changed: 'changed',
  added: 'new',
  unchanged: 'unchanged',
}

/** A status that this client does not know, in the word of the service: a line has room for a word. */
export function unknownWord(statusText: string): string {
  return shortText(statusText, 25) || 'no status'
}

/**
 * Names of labels as people read them: `policy.example.com/enforcement-point` is "enforcement point".
 * Two labels that would be called the same keep their whole names.
 */
export function labelWords(names: Iterable<string>): ReadonlyMap<string, string> {
  const all = [...new Set(names)]
  const short = all.map((name) => shortText(shortName(name), longestWord))
  const times = new Map<string, number>()
  for (const word of short) times.set(word, (times.get(word) ?? 0) + 1)
  return new Map(
    all.map((name, index) => {
      const word = short[index] ?? name
      return [name, times.get(word) === 1 ? word : name]
    }),
  )
}

/** In characters, with the mark of a cut; nobody reads on in the middle of a line. */
const longestWord = 61

/** Without the domain in front, and without separators. */
function shortName(name: string): string {
  const slash = name.indexOf('/')
  const domain = name.slice(0, slash)
  const rest = domain.includes('.') ? name.slice(slash + 1) : name
  return rest.replace(/[/_-]+/g, ' ').trim() || name
}

/** A label and its values, each with how many policies have it. */
export type CountedLabel = readonly [name: string, values: ReadonlyMap<string, number>]

/**
 * The labels that are offered to filter and group by, in their order: those in use, and `most` of the
 * others, which the most policies have. A service may have thousands, and nobody looks through them.
 */
export function offeredLabels(
  labels: readonly CountedLabel[],
  inUse: ReadonlySet<string>,
  most: number,
): readonly CountedLabel[] {
  if (labels.length <= most) return labels
  const others = labels.filter(([name]) => !inUse.has(name))
  const often = [...others].sort((a, b) => policiesOf(b) - policiesOf(a)).slice(0, most)
  const offered = new Set([...inUse, ...often.map(([name]) => name)])
  return labels.filter(([name]) => offered.has(name))
}

function policiesOf([, values]: CountedLabel): number {
  let sum = 0
  for (const count of values.values()) sum += count
  return sum
}

/** As a label begins: "enforcement point" is "Enforcement point". */
export function capitalized(words: string): string {
  return words.replace(/^./, (first) => first.toUpperCase())
}
