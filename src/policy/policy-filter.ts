import type { PolicyStatus } from '../protocol/policy-result.ts'
import type { PolicyGroup } from './policy-group.ts'
import type { PolicyTexts } from './result-details.ts'

/** What a person narrows the policies of a scan to; an empty set or text lets all through. */
export interface PolicyFilter {
  readonly statuses: ReadonlySet<PolicyStatus>
  readonly kinds: ReadonlySet<string>
  /** Label name to the values that are wanted; a policy without the label is left out. */
  readonly labels: ReadonlyMap<string, ReadonlySet<string>>
  readonly text: string
  /** The key of the only policy that is wanted; empty lets all through. */
  readonly policy: string
}

/** The policies that a filter lets through, in their order, in small steps; text is found in any of its words. */
export function* filterPolicies(
  groups: readonly PolicyGroup[],
  filter: PolicyFilter,
  texts: PolicyTexts,
): Generator<undefined, readonly PolicyGroup[], undefined> {
  const words = filter.text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const wanted = [...filter.labels].filter(([, values]) => values.size > 0)
  const found: PolicyGroup[] = []
  for (const group of groups) {
    yield
    const isWanted =
      (filter.policy === '' || filter.policy === group.key) &&
      (filter.statuses.size === 0 || filter.statuses.has(group.status)) &&
      (filter.kinds.size === 0 || filter.kinds.has(group.kind)) &&
      wanted.every(([name, values]) => values.has(labelOf(group, name)))
    if (isWanted && (yield* hasWords(texts.partsOf(group), words))) found.push(group)
  }
  return found
}

/** The value of a label of a policy; empty where it has none, also of a name that every object has. */
export function labelOf({ labels }: Pick<PolicyGroup, 'labels'>, name: string): string {
  return Object.hasOwn(labels, name) ? (labels[name] ?? '') : ''
}

/** Each label of the policies with its values and how many policies have them, by name. */
export function labelCounts(
  groups: readonly PolicyGroup[],
): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const counts = new Map<string, Map<string, number>>()
  for (const { labels } of groups) {
    for (const [name, value] of Object.entries(labels)) {
      const values = counts.get(name) ?? new Map<string, number>()
      values.set(value, (values.get(value) ?? 0) + 1)
      counts.set(name, values)
    }
  }
  return new Map([...counts].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Whether each word is in one of the parts. */
function* hasWords(
  parts: Iterable<string>,
  words: readonly string[],
): Generator<undefined, boolean, undefined> {
  let missing = words
  if (missing.length === 0) return true
  for (const part of parts) {
    missing = missing.filter((word) => !part.includes(word))
    if (missing.length === 0) return true
    yield
  }
  return false
}
