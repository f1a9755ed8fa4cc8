import { countText } from '../protocol/count.ts'
import type { PolicyStatus } from '../protocol/policy-result.ts'
import type { PolicyGroup } from './policy-group.ts'

/** What became of a policy between two runs, or between two versions of a package. */
export type PolicyChange =
  | 'newly-failing'
  | 'still-failing'
  | 'fixed'
  | 'unchanged'
  | 'changed'
  /** It was not in the run before. */
  | 'added'

/** How many attestations satisfied a policy, of those it applied to. */
export type PassedCount = Pick<PolicyGroup, 'passed' | 'evaluated'>

export interface RunDifference {
  /** By `PolicyGroup.key`, for each policy of the newer run. */
  readonly changes: ReadonlyMap<string, PolicyChange>
  /** What passed before, by `PolicyGroup.key`, where it is known and was not the same. */
  readonly passedBefore: ReadonlyMap<string, PassedCount>
  /** How it came out before, by `PolicyGroup.key`, where that was not the same. */
  readonly statusBefore: ReadonlyMap<string, PolicyStatus>
  /** How many changed otherwise, by "not applicable → satisfied". */
  readonly pairs: ReadonlyMap<string, number>
  /** Policies that the run before had and this one has not. */
  readonly gone: readonly PolicyGroup[]
}

/** Compares two runs policy by policy. A policy that is new and fails is newly failing. */
export function runDifference(
  before: readonly PolicyGroup[],
  after: readonly PolicyGroup[],
): RunDifference {
  const earlier = new Map(before.map((group) => [group.key, group]))
  const later = new Set(after.map(({ key }) => key))
  return {
    changes: new Map(after.map((group) => [group.key, change(earlier.get(group.key), group)])),
    passedBefore: new Map(after.flatMap((group) => passedBefore(earlier.get(group.key), group))),
    statusBefore: new Map(
      after.flatMap(({ key, status }) => {
        const was = earlier.get(key)?.status
        return was === undefined || was === status ? [] : [[key, was]]
      }),
    ),
    pairs: pairsOf(after, earlier),
    gone: before.filter(({ key }) => !later.has(key)),
  }
}

/** "not applicable → satisfied": how a policy came out before and after. */
export function statusChangeText(before: PolicyStatus, after: PolicyStatus): string {
  return `${before.replace('-', ' ')} → ${after.replace('-', ' ')}`
}

/** Of policies that neither began nor ceased to fail, how many changed from what to what. */
function pairsOf(
  after: readonly PolicyGroup[],
  earlier: ReadonlyMap<string, PolicyGroup>,
): ReadonlyMap<string, number> {
  const pairs = new Map<string, number>()
  for (const group of after) {
    const before = earlier.get(group.key)
    if (before === undefined || change(before, group) !== 'changed') continue
    const text = statusChangeText(before.status, group.status)
    pairs.set(text, (pairs.get(text) ?? 0) + 1)
  }
  return pairs
}

/** "Since the previous run: 1 newly failing, 2 fixed, …", or back from a later run; empty where nothing changed. */
export function differenceSentence(
  { changes, pairs, gone }: RunDifference,
  since: string,
  lead: 'Since' | 'Going back from' = 'Since',
): string {
  const count = (wanted: PolicyChange): number =>
    [...changes.values()].filter((change) => change === wanted).length
  const parts = [
    [count('newly-failing'), 'newly failing'],
    [count('fixed'), 'fixed'],
    ...[...pairs].map(([pair, number]) => [number, pair] as const),
    [count('added'), 'added'],
    [gone.length, 'no longer in the scan'],
  ] as const
  const nonzero = parts
    .filter(([number]) => number > 0)
    .map(([number, word]) => `${countText(number)} ${word}`)
  return nonzero.length === 0 ? '' : `${lead} ${since}: ${nonzero.join(', ')}.`
}

function passedBefore(
  before: PolicyGroup | undefined,
  { key, passed, evaluated }: PolicyGroup,
): readonly (readonly [string, PassedCount])[] {
  // It applied to nothing: there is no count to compare with.
  if (before === undefined || before.evaluated === 0) return []
  const isSame = before.passed === passed && before.evaluated === evaluated
  return isSame ? [] : [[key, { passed: before.passed, evaluated: before.evaluated }]]
}

function change(before: PolicyGroup | undefined, after: PolicyGroup): PolicyChange {
  const fails = after.status === 'unsatisfied'
  if (before === undefined) return fails ? 'newly-failing' : 'added'
  const failed = before.status === 'unsatisfied'
  if (fails) return failed ? 'still-failing' : 'newly-failing'
  if (failed) return after.status === 'satisfied' ? 'fixed' : 'changed'
  return before.status === after.status ? 'unchanged' : 'changed'
}
