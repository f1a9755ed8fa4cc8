import { decodedSegment } from '../protocol/package-address.ts'
import type { PolicyResult, PolicyStatus } from '../protocol/policy-result.ts'

/** All that a scan says of one policy: it is evaluated once per attestation. */
export interface PolicyGroup {
  /** Identifies the policy among the others of the scan, also in other runs. */
  readonly key: string
  readonly policyUri: string
  readonly kind: string
  readonly name: string
  readonly status: PolicyStatus
  /** Attestations that satisfied it with all results, of those it applied to; results without one aren't counted. */
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
 * Its texts and labels are those of its worst result that has any.
 */
export function groupByPolicy(results: readonly PolicyResult[]): PolicyGroup[] {
  const byKey = new Map<string, GrowingGroup>()
  for (const result of results) {
    const key = policyKey(result.policyUri)
    const group = byKey.get(key)
    if (group === undefined) byKey.set(key, createGrowingGroup(key, result))
    else group.add(result)
  }
  return Array.from(byKey.values(), (group) => group.soFar())
}

/** A policy whose results come in one by one; a result costs the same however many there are. */
export interface GrowingGroup {
  readonly add: (result: PolicyResult) => void
  /** As `groupByPolicy` has it; later results do not change what was given. */
  readonly soFar: () => PolicyGroup
}

/** The policy with this `policyKey`, of which one result is known. */
export function createGrowingGroup(key: string, first: PolicyResult): GrowingGroup {
  const { policyUri } = first
  const named = { key, policyUri, ...policyName(policyUri) }
  const results: PolicyResult[] = []
  const counts = { satisfied: 0, unsatisfied: 0, 'not-applicable': 0, unknown: 0 }
  let passed = 0
  /** Whether each attestation that it applied to has satisfied it so far. */
  const attestations = new Map<string, boolean>()
  // What a failing result says comes before what a passing one says of the same policy.
  const description = createTelling()
  const remediation = createTelling()
  const labels = new Map<string, Telling>()

  function add(result: PolicyResult): void {
    results.push(result)
    counts[result.status] += 1
    // A result without an attestation, as of missing evidence, counts for the status alone.
    if (result.attestationUri !== null && result.status !== 'not-applicable') {
      const before = attestations.get(result.attestationUri)
      const after = result.status === 'satisfied' && before !== false
      passed += Number(after) - Number(before ?? false)
      attestations.set(result.attestationUri, after)
    }
    const rank = severity.indexOf(result.status)
    if (result.description !== '') description.hear(result.description, rank)
    if (result.remediation !== '') remediation.hear(result.remediation, rank)
    for (const name in result.labels) {
      const known = labels.get(name) ?? createTelling()
      if (known.rank() === Infinity) labels.set(name, known)
      known.hear(result.labels[name] ?? '', rank)
    }
  }

  add(first)
  return {
    add,
    soFar: () => ({
      ...named,
      status: severity.find((status) => counts[status] > 0) ?? 'unknown',
      passed,
      evaluated: attestations.size,
      description: description.text(),
      remediation: remediation.text(),
      labels: Object.fromEntries([...labels].map(([name, value]) => [name, value.text()])),
      results: [...results],
    }),
  }
}

/** From worst to best. */
const severity: readonly PolicyStatus[] = ['unsatisfied', 'unknown', 'satisfied', 'not-applicable']

/** Whether a result that came out as `a` makes a policy worse that is `b`. */
export function isWorse(a: PolicyStatus, b: PolicyStatus): boolean {
  return severity.indexOf(a) < severity.indexOf(b)
}

/** What is said by the worst of those who say it, the first of them. */
interface Telling {
  readonly hear: (text: string, rank: number) => void
  readonly rank: () => number
  readonly text: () => string
}

function createTelling(): Telling {
  let best = Infinity
  let said = ''
  return {
    hear: (text, rank) => {
      if (rank >= best) return
      best = rank
      said = text
    },
    rank: () => best,
    text: () => said,
  }
}

export interface PolicyName {
  /** Such as `BuildTool`; empty where the URI has another shape (docs/services.md#policy-result). */
  readonly kind: string
  readonly name: string
}

/** Reads `/policies/<kind>/<name>`, also at the end of an absolute address (docs/services.md#policy-result). */
export function policyName(policyUri: string): PolicyName {
  const parts =
    policyUri
      .split(/[?#]/, 1)[0]
      ?.split('/')
      .filter((part) => part !== '') ?? []
  const name = decodedSegment(parts.at(-1) ?? policyUri)
  return parts.at(-3) === 'policies'
    ? { kind: decodedSegment(parts.at(-2) ?? ''), name }
    : { kind: '', name }
}

/** What two runs have in common for one policy: servers changed from paths to absolute addresses. */
export function policyKey(policyUri: string): string {
  const start = policyUri.indexOf('/policies/')
  return start === -1 ? policyUri : policyUri.slice(start)
}
