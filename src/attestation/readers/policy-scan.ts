import {
  fact,
  keyAt,
  listOf,
  noneOf,
  partAt,
  scalarOf,
  shortJson,
  told,
  type Fact,
  type Part,
} from '../facts.ts'
import { childrenOf, kindOf } from '../json-tree.ts'
import type { PredicateReader } from '../predicate-reader.ts'
import { serviceTypes } from './service-types.ts'

export const policyScan: PredicateReader = {
  name: 'Policy scan',
  types: [...serviceTypes('policyscan/v1'), ...serviceTypes('policy-scan/v1')],
  proves: 'These policies were evaluated for the package, each with the result given here.',
  keys: ['sourcedFromUri', 'entries', 'evaluatedPolicies'],
  read: (predicate) => ({
    rows: [
      ...statusCounts(partAt(predicate, 'entries')),
      ...noneOf(predicate, 'Results', 'entries'),
      ...fact(predicate, 'Sourced from', 'uri', 'sourcedFromUri'),
    ],
    lists: [
      ...listOf(partAt(predicate, 'entries'), 'Results', (entry) => ({
        value: scalarOf(partAt(entry, 'policyUri')) ?? '(policy not said)',
        kind: 'text',
        remark: undefined,
        details: [
          told('Status', statusOf(entry)),
          ...fact(entry, 'Attestation', 'uri', 'attestationUri'),
          ...detailFacts(partAt(entry, 'details')),
        ],
      })),
      ...listOf(partAt(predicate, 'evaluatedPolicies'), 'Evaluated policies', (policy) => ({
        value: keyAt(policy),
        kind: 'text',
        remark: undefined,
        details: [told('Policy', shortJson(policy))],
      })),
    ],
  }),
}

/** The three statuses there are; whatever else stands there is unknown, never passed. */
const statuses = ['satisfied', 'unsatisfied', 'not-applicable']

function statusOf(entry: Part): string {
  const status = scalarOf(partAt(entry, 'status')) ?? ''
  const known = statuses.find((name) => name === status.toLowerCase())
  return known ?? `unknown (${status === '' ? 'not said' : status})`
}

function statusCounts(entries: Part): Fact[] {
  const counts = new Map<string, number>()
  if (kindOf(entries.tree, entries.node) !== 'array') return []
  for (const node of childrenOf(entries.tree, entries.node)) {
    const status = statusOf({ tree: entries.tree, node })
    const name = statuses.includes(status) ? status : 'unknown'
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...statuses, 'unknown'].flatMap((name) => {
    const count = counts.get(name)
    return count === undefined ? [] : [told(`Policies ${name}`, String(count))]
  })
}

function detailFacts(details: Part): Fact[] {
  const kind = kindOf(details.tree, details.node)
  return kind === undefined || kind === 'null' ? [] : [told('Details', shortJson(details))]
}
