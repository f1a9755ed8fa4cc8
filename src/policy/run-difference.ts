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

/** How a run differs from one before it. */
export interface RunDifference {
  /** By `PolicyGroup.key`, for each policy of the newer run. */
  readonly changes: ReadonlyMap<string, PolicyChange>
  /** What passed before, by `PolicyGroup.key`, where it is known and was not the same. */
  readonly passedBefore: ReadonlyMap<string, PassedCount>
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
    gone: before.filter(({ key }) => !later.has(key)),
  }
}

/** "Since the previous run: 1 newly failing, 2 fixed."; empty where nothing changed. */
export function differenceSentence({ changes, gone }: RunDifference, since: string): string {
  const count = (wanted: PolicyChange): number =>
    [...changes.values()].filter((change) => change === wanted).length
  const parts = [
    [count('newly-failing'), 'newly failing'],
    [count('fixed'), 'fixed'],
    [count('changed'), 'changed'],
    [count('added'), 'added'],
    [gone.length, 'no longer in the scan'],
  ] as const
  const nonzero = parts
    .filter(([number]) => number > 0)
    .map(([number, word]) => `${number} ${word}`)
  return nonzero.length === 0 ? '' : `Since ${since}: ${nonzero.join(', ')}.`
}

function passedBefore(
  before: PolicyGroup | undefined,
  { key, passed, evaluated }: PolicyGroup,
): readonly (readonly [string, PassedCount])[] {
  // Runs that were kept long ago have no counts: they are as if nothing had been evaluated.
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
