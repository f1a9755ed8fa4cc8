import type { PolicyFilter } from '../../../policy/policy-filter.ts'
import type { PolicyStatus } from '../../../protocol/policy-result.ts'
import {
  choicesParam,
  flagParam,
  listParam,
  type SearchParam,
  searchState,
  textParam,
} from '../../data/core/search-state.ts'

export const statuses = [
  'unsatisfied',
  'unknown',
  'satisfied',
  'not-applicable',
] as const satisfies readonly PolicyStatus[]

/** What policies are put together by: how they came out, what changed, their kind, or a label. */
export type Grouping = 'status' | 'change' | 'kind' | `label:${string}`

/** What is looked at of a scan, as its address says it; an empty list narrows nothing. */
export interface ScanAddress {
  readonly statuses: readonly PolicyStatus[]
  readonly kinds: readonly string[]
  /** Label and value; several values of one label widen, several labels narrow. */
  readonly labels: readonly (readonly [name: string, value: string])[]
  readonly text: string
  /** The key of the only policy that is shown, as in a link to it; empty for all. */
  readonly policy: string
  /** Only policies that are waived. */
  readonly isWaived: boolean
  readonly by: Grouping
  /** The version of the package that it is compared with, and its artifact. */
  readonly other:
    | { readonly version: string; readonly sha256: string; readonly repositoryUrl: string }
    | undefined
  /** The day of the release that it is judged for, as it was written; empty for today. */
  readonly asOf: string
}

/** What policies are grouped by; their status by default. */
export const groupingParam: SearchParam<Grouping> = {
  names: ['by'],
  read: (search) => {
    const text = search.get('by') ?? ''
    if (text === 'kind' || text === 'change') return text
    return text.startsWith('label:') && text.length > 6 ? `label:${text.slice(6)}` : 'status'
  },
  write: (by) => (by === 'status' ? [] : [['by', by]]),
}

const labelsParam: SearchParam<ScanAddress['labels']> = {
  names: ['label'],
  read: (search) => search.getAll('label').flatMap(readLabel),
  write: (labels) => labels.map(([name, value]) => ['label', `${escaped(name)}=${value}`]),
}

const otherParam: SearchParam<ScanAddress['other']> = {
  names: ['with', 'with-sha256', 'with-repository'],
  read: (search) => {
    const version = search.get('with') ?? ''
    const sha256 = search.get('with-sha256') ?? ''
    const repositoryUrl = search.get('with-repository') ?? ''
    return version === '' || sha256 === '' ? undefined : { version, sha256, repositoryUrl }
  },
  write: (other) =>
    other === undefined
      ? []
      : [
          ['with', other.version],
          ['with-sha256', other.sha256],
          ['with-repository', other.repositoryUrl],
        ],
}

/** The address of a scan: what cannot be read narrows nothing, and other parameters are kept. */
export const scanAddress = searchState<ScanAddress>({
  statuses: choicesParam('status', statuses),
  kinds: listParam('kind'),
  labels: labelsParam,
  text: textParam('q'),
  policy: textParam('policy'),
  isWaived: flagParam('waived'),
  by: groupingParam,
  other: otherParam,
  asOf: textParam('asOf'),
})

/** The part of it that narrows the policies. */
export function policyFilter({ statuses, kinds, labels, text, policy }: ScanAddress): PolicyFilter {
  const byName = new Map<string, Set<string>>()
  for (const [name, value] of labels) {
    byName.set(name, (byName.get(name) ?? new Set<string>()).add(value))
  }
  return { statuses: new Set(statuses), kinds: new Set(kinds), labels: byName, text, policy }
}

/** What an address narrows nothing with. */
export const allPolicies = {
  statuses: [],
  kinds: [],
  labels: [],
  text: '',
  policy: '',
  isWaived: false,
} as const satisfies Partial<ScanAddress>

/** Whether it narrows anything. */
export function isNarrowed({
  statuses,
  kinds,
  labels,
  text,
  policy,
  isWaived,
}: ScanAddress): boolean {
  return (
    isWaived ||
    policy !== '' ||
    statuses.length + kinds.length + labels.length > 0 ||
    text.trim() !== ''
  )
}

/** The address with a value of a label chosen, or no more. */
export function toggledLabel(address: ScanAddress, name: string, value: string): ScanAddress {
  const others = address.labels.filter((label) => label[0] !== name || label[1] !== value)
  const labels =
    others.length < address.labels.length ? others : [...others, [name, value] as const]
  return { ...address, labels }
}

function readLabel(text: string): readonly (readonly [string, string])[] {
  const equals = text.indexOf('=')
  if (equals < 1) return []
  const name = text.slice(0, equals).replaceAll('%3D', '=').replaceAll('%25', '%')
  return [[name, text.slice(equals + 1)]]
}

/** Names of labels hold anything, also what parts them from their value here. */
function escaped(name: string): string {
  return name.replaceAll('%', '%25').replaceAll('=', '%3D')
}
