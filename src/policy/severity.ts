import type { BoardOutcome } from '../protocol/board-run.ts'
import type { RequiredPolicy, RunReasons, UncheckedPolicy } from '../protocol/evaluation.ts'
import type { PolicyStatus } from '../protocol/policy-result.ts'
import { cutText } from '../protocol/untrusted-text.ts'
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

/** The label that says how bad it is: its name isn't fixed (docs/services.md#policy-result). */
export function severityLabel(names: Iterable<string>): string | undefined {
  return [...names].find(isSeverityLabel)
}

function isSeverityLabel(name: string): boolean {
  return /(?:^|[/._-])severity$/i.test(name)
}

/** What the label of a policy says of its severity, the worst of several; empty where it has none. */
export function severityOf(labels: Readonly<Record<string, string>>): string {
  const said = Object.keys(labels).flatMap((name) =>
    isSeverityLabel(name) ? [cutText((labels[name] ?? '').trim(), 40)] : [],
  )
  return said.sort(byWeight)[0] ?? ''
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

/** "1 high-severity policy was not checked", "2 critical or high-severity policies were not checked"; empty for none. */
export function uncheckedText(unchecked: readonly UncheckedPolicy[]): string {
  if (unchecked.length === 0) return ''
  return unchecked.length === 1
    ? `1 ${severityWords(unchecked)}-severity policy was not checked`
    : `${unchecked.length} ${severityWords(unchecked)}-severity policies were not checked`
}

/** "high", "critical or high": each severity once, the worst first. */
export function severityWords(policies: readonly UncheckedPolicy[]): string {
  const words = new Set(policies.map(({ severity }) => severity.toLowerCase()))
  return [...words].sort(byWeight).join(' or ')
}

export interface MissingPolicy extends UncheckedPolicy {
  /** No scan of the package has it: `uri` is what the requirement says. */
  readonly isAbsent?: true
}

export interface EvidenceGaps {
  /** Policies that are required to have been applicable. */
  readonly missing: readonly MissingPolicy[]
  /** Others, of a severity that makes it weigh. */
  readonly unchecked: readonly UncheckedPolicy[]
}

/** Which policies a run had, as far as they are kept (`RunReasons`). */
export type RunPolicies = Pick<
  BoardOutcome,
  'counts' | 'unreadable' | 'ended' | 'notApplicable' | 'satisfied' | 'required'
> & { readonly failing: readonly { readonly uri: string }[] }

/** What of a requirement no scan of a package has. */
export interface AbsentPolicies {
  readonly names: readonly string[]
  /** Whether there may be more: not all policies of the runs are kept. */
  readonly isUnknown: boolean
}

/**
 * Which policies, required by name, no scan of a package has on its board, or in a single scan that one;
 * undefined for a scan without a run. Where one has none, or none that is whole, the package doesn't pass anyway.
 */
export function absentPolicies(
  require: readonly string[],
  scans: readonly (RunPolicies | undefined)[],
): AbsentPolicies {
  const names = requiredNames(require)
  if (names.length === 0 || !scans.every(isWhole)) return { names: [], isUnknown: false }
  const known = new Set(
    scans.flatMap(({ failing, notApplicable = [], satisfied = [], required = [] }) => [
      ...[...failing, ...notApplicable].flatMap(({ uri }) => namesOf(uri)),
      ...satisfied.flatMap(namesOf),
      ...required.flatMap(({ name, is }) => (is === 'absent' ? [] : [name])),
    ]),
  )
  const lacking = names.filter((one) => !known.has(policyKey(one)))
  const isSure = (one: string): boolean =>
    scans.every((run) => areAllKept(run) || settled(run).has(policyKey(one)))
  return { names: lacking.filter(isSure), isUnknown: !lacking.every(isSure) }
}

/** Whether what is kept of a run is all that there was. */
function areAllKept({ counts, failing, notApplicable = [], satisfied = [] }: RunPolicies): boolean {
  return (
    failing.length >= counts.unsatisfied + counts.unknown &&
    notApplicable.length >= counts['not-applicable'] &&
    satisfied.length >= counts.satisfied
  )
}

/** What is required by name, and doesn't stand for many. */
function requiredNames(require: readonly string[]): readonly string[] {
  return require.filter((one) => !isWord(one, 'high', 'all'))
}

/** The requirements of which a run says how they came out, as `policyKey` has them. */
function settled({ required = [] }: Pick<RunPolicies, 'required'>): ReadonlySet<string> {
  return new Set(required.map(({ name }) => name))
}

/** What a run keeps of the policies that are required by name, however many there are; nothing where none is. */
export function requiredIn(
  policies: Iterable<{ readonly policyUri: string; readonly status: PolicyStatus }>,
  require: readonly string[],
): Pick<RunReasons, 'required'> {
  const found = new Map<string, RequiredPolicy['is']>(
    requiredNames(require).map((one) => [policyKey(one), 'absent']),
  )
  if (found.size === 0) return {}
  for (const { policyUri, status } of policies) {
    for (const name of namesOf(policyUri)) {
      if (!found.has(name) || found.get(name) === 'not-applicable') continue
      found.set(name, status === 'not-applicable' ? status : 'checked')
    }
  }
  return { required: Array.from(found, ([name, is]) => ({ name, is })) }
}

function isWhole(run: RunPolicies | undefined): run is RunPolicies {
  return run?.unreadable === 0 && (run.ended ?? 'complete') === 'complete'
}

/** What a run lacks of `require` (`requiredOf`) but what is `absent`; `isUnknown` where not all of it is kept. */
export function evidenceGaps(
  {
    notApplicable = [],
    counts,
    required = [],
  }: Pick<RunPolicies, 'notApplicable' | 'counts' | 'required'>,
  require: readonly string[],
  absent: AbsentPolicies,
): EvidenceGaps & { readonly isUnknown: boolean } {
  const lacking = requiredOf(notApplicable, require)
  const listed = new Set(lacking.flatMap(({ uri }) => namesOf(uri)))
  const names = new Set(require.map(policyKey))
  const further = required.filter(
    ({ name, is }) => is === 'not-applicable' && names.has(name) && !listed.has(name),
  )
  const known = settled({ required })
  const open = require.filter((one) => isWord(one, 'high', 'all') || !known.has(policyKey(one)))
  return {
    missing: [
      ...lacking,
      ...further.map(({ name }) => ({ uri: name, severity: '' })),
      ...absent.names.map((uri) => ({ uri, severity: '', isAbsent: true as const })),
    ],
    unchecked: notApplicable.filter((one) => isHigh(one.severity) && !lacking.includes(one)),
    isUnknown: absent.isUnknown || mayLack(notApplicable, counts['not-applicable'], open),
  }
}

/** What to do where a run may lack more than is kept of it. */
export const mayLackText =
  "It isn't known whether all required policies were checked. Evaluate again."

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
  return last === undefined || isHigh(last.severity) || require.some((one) => !isWord(one, 'high'))
}

/** Those required: `high` means every policy that severe or worse, `all` every one, else a name, `Kind/Name` or URI. */
export function requiredOf(
  unchecked: readonly UncheckedPolicy[],
  require: readonly string[],
): readonly UncheckedPolicy[] {
  if (require.length === 0) return []
  const names = new Set(require.map(policyKey))
  const isAll = require.some((one) => isWord(one, 'all'))
  const isForHigh = require.some((one) => isWord(one, 'high'))
  return unchecked.filter(
    ({ uri, severity }) =>
      isAll || (isForHigh && isHigh(severity)) || namesOf(uri).some((name) => names.has(name)),
  )
}

/** By what a policy is required. */
function namesOf(uri: string): readonly string[] {
  const { kind, name } = policyName(uri)
  return [name, `${kind}/${name}`, policyKey(uri)]
}

/** Whether it stands for these policies, in any case, and is no name. */
function isWord(required: string, ...words: readonly string[]): boolean {
  return words.includes(required.toLowerCase())
}

/**
 * Why something can hardly be the name of a policy, nor its `Kind/Name` or URI: the end of a sentence that
 * begins with what requires it; undefined for what can.
 */
export function requirementMistake(required: string): string | undefined {
  if (required.includes(',')) return `“${required}”: list each policy by itself.`
  if (isWord(required, ...weights) && !isWord(required, 'high')) {
    return `“${required}”, which is taken for the name of a policy. Of severities, use high.`
  }
  return required.split('/').length > 2 && !required.includes('/policies/')
    ? `“${required}”, which can't be the name of a policy. Use its name, or Kind/Name.`
    : undefined
}
