import type { PolicyResult, PolicyStatus } from '../protocol/policy-result.ts'
import { policyKey, policyName } from './policy-name.ts'

/** All that a scan says of one policy: it is evaluated once per attestation. */
export interface PolicyGroup {
  /** Tells the policy apart from the others of the scan, also in other runs. */
  readonly key: string
  readonly policyUri: string
  readonly kind: string
  readonly name: string
  readonly status: PolicyStatus
  /** Attestations that satisfied it, of those it applied to. */
  readonly passed: number
  readonly evaluated: number
  readonly description: string
  readonly remediation: string
  readonly labels: Readonly<Record<string, string>>
  readonly results: readonly PolicyResult[]
}

/**
 * Groups results by their policy, in the order in which policies first came. A policy is as bad as
 * its worst result: unsatisfied, then unknown, then satisfied; not applicable only if nothing else.
 */
export function groupByPolicy(results: readonly PolicyResult[]): PolicyGroup[] {
  const byKey = new Map<string, PolicyResult[]>()
  for (const result of results) {
    const key = policyKey(result.policyUri)
    const group = byKey.get(key)
    if (group === undefined) byKey.set(key, [result])
    else group.push(result)
  }
  return [...byKey].map(([key, group]) => policyGroup(key, group))
}

/** From worst to best. */
const severity: readonly PolicyStatus[] = ['unsatisfied', 'unknown', 'satisfied', 'not-applicable']

function policyGroup(key: string, results: readonly PolicyResult[]): PolicyGroup {
  const policyUri = results[0]?.policyUri ?? key
  const status = severity.find((one) => results.some((result) => result.status === one))
  const applied = results.filter((result) => result.status !== 'not-applicable')
  // What a failing result says comes before what a passing one says of the same policy.
  const telling = [...results].sort(
    (a, b) => severity.indexOf(a.status) - severity.indexOf(b.status),
  )
  return {
    key,
    policyUri,
    ...policyName(policyUri),
    status: status ?? 'unknown',
    passed: applied.filter((result) => result.status === 'satisfied').length,
    evaluated: applied.length,
    description: firstText(telling.map((result) => result.description)),
    remediation: firstText(telling.map((result) => result.remediation)),
    labels: Object.fromEntries(
      [...telling].reverse().flatMap(({ labels }) => Object.entries(labels)),
    ),
    results,
  }
}

function firstText(texts: readonly string[]): string {
  return texts.find((text) => text !== '') ?? ''
}
