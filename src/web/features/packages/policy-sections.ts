import type { PolicyGroup } from '../../../policy/policy-group.ts'
import type { PolicyChange } from '../../../policy/run-difference.ts'
import { byWeight, changeWords, labelWords, statusWords } from './policy-words.ts'
import { type Grouping, statuses } from './scan-address.ts'

/** Policies that are shown together. */
export interface PolicySection {
  readonly key: string
  readonly title: string
  readonly groups: readonly PolicyGroup[]
}

/** Puts policies together; within a section the failing ones come first. Empty sections are left out. */
export function policySections(
  groups: readonly PolicyGroup[],
  by: Grouping,
  changes: ReadonlyMap<string, PolicyChange> | undefined,
): readonly PolicySection[] {
  const sorted = [...groups].sort((a, b) => rank(a) - rank(b))
  if (by === 'status') {
    return sections(sorted, statuses, ({ status }) => [status, statusWords[status]])
  }
  if (by === 'kind') {
    return sections(sorted, [], ({ kind }) => [kind, kind || 'Unknown kind'])
  }
  if (by === 'change') {
    return sections(sorted, changeOrder, ({ key }) => {
      const change = changes?.get(key)
      return change === undefined ? ['', 'Not compared'] : [change, changeWords[change]]
    })
  }
  const label = by.slice('label:'.length)
  const word = labelWords(groups.flatMap(({ labels }) => Object.keys(labels))).get(label) ?? label
  const values = [...new Set(groups.map(({ labels }) => labels[label] ?? ''))]
  const order = values.filter((value) => value !== '').sort(byWeight)
  return sections(sorted, order, ({ labels }) => {
    const value = labels[label] ?? ''
    return [value, value === '' ? `Without ${word}` : `${word}: ${value}`]
  })
}

const changeOrder: readonly PolicyChange[] = [
  'newly-failing',
  'still-failing',
  'fixed',
  'changed',
  'added',
  'unchanged',
]

function sections(
  groups: readonly PolicyGroup[],
  order: readonly string[],
  sectionOf: (group: PolicyGroup) => readonly [key: string, title: string],
): readonly PolicySection[] {
  const found = new Map<string, { readonly title: string; readonly groups: PolicyGroup[] }>()
  for (const group of groups) {
    const [key, title] = sectionOf(group)
    const section = found.get(key) ?? { title, groups: [] }
    section.groups.push(group)
    found.set(key, section)
  }
  // Each policy may have a value of its own.
  const places = new Map(order.map((key, index) => [key, index]))
  const place = (key: string): number => places.get(key) ?? order.length
  return [...found]
    .map(([key, section]) => ({ key, ...section }))
    .sort((a, b) => place(a.key) - place(b.key))
}

function rank({ status }: PolicyGroup): number {
  return statuses.indexOf(status)
}
