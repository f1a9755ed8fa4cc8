import type { UncheckedPolicy } from '../protocol/evaluation.ts'
import { type PolicyGroup, policyKey, policyName } from './policy-group.ts'

const weights = [
  'blocker',
  'critical',
  'high',
  'major',
  'medium',
  'moderate',
  'minor',
  'low',
  'info',
]
const heaviest: ReadonlySet<string> = new Set(['blocker', 'critical', 'high'])

/**
 * The label that says how bad it is, by its name: there is no fixed one
 * (docs/services.md#policy-result).
 */
export function severityLabel(names: Iterable<string>): string | undefined {
  return [...names].find((name) => /(?:^|[/._-])severity$/i.test(name))
}

/** What the label of a policy says of its severity; empty where it has none. */
export function severityOf(labels: Readonly<Record<string, string>>): string {
  const name = severityLabel(Object.keys(labels))
  return name === undefined ? '' : (labels[name] ?? '').slice(0, 40)
}

/** Values in the order of their weight where they are words for severity, else by name. */
export function byWeight(a: string, b: string): number {
  return weight(a) - weight(b) || (a < b ? -1 : a > b ? 1 : 0)
}

function weight(value: string): number {
  const at = weights.indexOf(value.toLowerCase())
  return at === -1 ? weights.length : at
}

/** Whether proof that is missing weighs in the verdict: high, critical, blocker. */
export function isHigh(severity: string): boolean {
  return heaviest.has(severity.toLowerCase())
}

/** The policies of a scan that were not applicable, the most severe first. */
export function uncheckedPolicies(
  groups: readonly Pick<PolicyGroup, 'status' | 'policyUri' | 'labels'>[],
): readonly UncheckedPolicy[] {
  return groups
    .filter(({ status }) => status === 'not-applicable')
    .map(({ policyUri, labels }) => ({ uri: policyUri, severity: severityOf(labels) }))
    .sort((a, b) => byWeight(a.severity, b.severity))
}

/** "1 high policy was not checked", "2 critical or high policies were not checked"; empty for none. */
export function uncheckedText(unchecked: readonly UncheckedPolicy[]): string {
  if (unchecked.length === 0) return ''
  return unchecked.length === 1
    ? `1 ${severityWords(unchecked)} policy was not checked`
    : `${unchecked.length} ${severityWords(unchecked)} policies were not checked`
}

/** "high", "critical or high": each severity once, the worst first. */
export function severityWords(policies: readonly UncheckedPolicy[]): string {
  const words = new Set(policies.map(({ severity }) => severity.toLowerCase()))
  return [...words].sort(byWeight).join(' or ')
}

/** Evidence that wasn't there when a scan ran. */
export interface EvidenceGaps {
  /** Policies that are required to have been applicable. */
  readonly missing: readonly UncheckedPolicy[]
  /** Others, of a severity that makes it weigh. */
  readonly unchecked: readonly UncheckedPolicy[]
}

/** What is missing of the policies that weren't applicable; `require` as in `requiredOf`. */
export function evidenceGaps(
  notApplicable: readonly UncheckedPolicy[],
  require: readonly string[],
): EvidenceGaps {
  const missing = requiredOf(notApplicable, require)
  return {
    missing,
    unchecked: notApplicable.filter((one) => isHigh(one.severity) && !missing.includes(one)),
  }
}

/**
 * Whether a required policy may be among those that weren't applicable and aren't listed: of very many the
 * first are, the most severe first, and an older release listed none. `all` is how many there are.
 */
export function mayLack(
  listed: readonly UncheckedPolicy[],
  all: number,
  require: readonly string[],
): boolean {
  if (require.length === 0 || listed.length >= all) return false
  const last = listed.at(-1)
  return last === undefined || isHigh(last.severity) || require.some((one) => one !== 'high')
}

/**
 * Those that are required: `high` in the list stands for every policy of that severity or worse, `all`
 * for every one, anything else for the policy of that name or URI.
 */
export function requiredOf(
  unchecked: readonly UncheckedPolicy[],
  require: readonly string[],
): readonly UncheckedPolicy[] {
  if (require.length === 0) return []
  const names = new Set(require)
  return unchecked.filter(
    ({ uri, severity }) =>
      names.has('all') ||
      (names.has('high') && isHigh(severity)) ||
      names.has(policyName(uri).name) ||
      names.has(policyKey(uri)),
  )
}
