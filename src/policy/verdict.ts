import { countOf, countText } from '../protocol/count.ts'
import type { EvaluationSummary, UncheckedPolicy } from '../protocol/evaluation.ts'
import type { PolicyStatus } from '../protocol/policy-result.ts'
import type { PolicyGroup } from './policy-group.ts'
import { isHigh, severityWords, uncheckedPolicies, uncheckedText } from './severity.ts'

/**
 * Whether a package may be released by a scan. `undecided` where no policy failed but one came out
 * in a way that this client does not know; `nothing-applied` where no policy said anything, which the
 * gate lets pass only with `--allow-empty`.
 */
export type Verdict = 'releasable' | 'not-releasable' | 'undecided' | 'nothing-applied'

/** What has more policies is never taken for a pass; of very many the first are counted, and one more. */
export const mostPolicies = 100_000

/** How many policies there are, however they came out. */
export function policyCount(counts: ScanVerdict['counts']): number {
  return counts.satisfied + counts.unsatisfied + counts.unknown + counts['not-applicable']
}

export interface ScanVerdict {
  readonly verdict: Verdict
  readonly counts: Readonly<Record<PolicyStatus, number>>
  /**
   * Policies of a high severity that were not applicable: proof that is missing. They change no
   * verdict, and no verdict that has any is shown like one that has none.
   */
  readonly unchecked: readonly UncheckedPolicy[]
}

/**
 * The verdict over the policies of a scan. `unreadable` parts of the answer and an answer that broke
 * off (`complete: false`) may hide a failure: they never leave a package releasable.
 */
export function scanVerdict(
  groups: readonly Pick<PolicyGroup, 'status' | 'policyUri' | 'labels'>[],
  { unreadable, complete }: { readonly unreadable: number; readonly complete: boolean },
): ScanVerdict {
  const counts = { satisfied: 0, unsatisfied: 0, 'not-applicable': 0, unknown: 0 }
  for (const { status } of groups) counts[status] += 1
  return {
    verdict: verdictOf(counts, unreadable === 0 && complete),
    counts,
    unchecked: weighingOf(uncheckedPolicies(groups)),
  }
}

/** The verdict of a recorded run; what an older release recorded says nothing of proof that is missing. */
export function verdictOfRun({
  verdict,
  counts,
  reasons,
}: Pick<EvaluationSummary, 'verdict' | 'counts' | 'reasons'>): ScanVerdict {
  return { verdict, counts, unchecked: weighingOf(reasons?.notApplicable ?? []) }
}

/** Those of the policies that were not applicable whose severity makes that weigh. */
function weighingOf(unchecked: readonly UncheckedPolicy[]): readonly UncheckedPolicy[] {
  return unchecked.filter(({ severity }) => isHigh(severity))
}

function verdictOf(counts: Readonly<Record<PolicyStatus, number>>, isWhole: boolean): Verdict {
  if (counts.unsatisfied > 0) return 'not-releasable'
  if (counts.unknown > 0 || !isWhole || policyCount(counts) > mostPolicies) return 'undecided'
  return counts.satisfied > 0 ? 'releasable' : 'nothing-applied'
}

/**
 * The verdict in words: "Not releasable: 2 of 11 policies unsatisfied, 1 not applicable.", "Releasable,
 * but 1 high-severity policy was not checked: 10 of 11 policies satisfied, 1 not applicable."
 */
export function verdictSentence({ verdict, counts, unchecked }: ScanVerdict): string {
  const all = policyCount(counts)
  const rest = [
    ...(counts.unknown > 0 ? [`${countText(counts.unknown)} with an unknown status`] : []),
    ...(counts['not-applicable'] > 0
      ? [`${countText(counts['not-applicable'])} not applicable${weightText(verdict, unchecked)}`]
      : []),
  ]
  const isTooMany = all > mostPolicies
  const policies = isTooMany
    ? `more than ${countText(mostPolicies)} policies`
    : countOf(all, 'policy', 'policies')
  switch (verdict) {
    case 'not-releasable':
      return sentence(
        `Not releasable: ${countText(counts.unsatisfied)} of ${policies} unsatisfied`,
        rest,
      )
    case 'undecided':
      if (all === 0) return 'Inconclusive: there is no complete response.'
      return isTooMany
        ? `Inconclusive: none of ${policies} is unsatisfied, but so many never count as passed.`
        : sentence(
            `Inconclusive: ${countText(counts.satisfied)} of ${policies} satisfied, none unsatisfied`,
            rest,
          )
    case 'releasable':
      return sentence(
        `Releasable${butUnchecked(unchecked)}: ${countText(counts.satisfied)} of ${policies} satisfied`,
        rest,
      )
    case 'nothing-applied':
      return all === 0
        ? 'The scan has no policies.'
        : sentence(
            all === 1
              ? "Nothing to evaluate: the scan's only policy doesn't apply to this package"
              : `Nothing to evaluate: none of ${policies} applies to this package`,
            unchecked.length === 0 ? [] : [`and ${uncheckedText(unchecked)}`],
          )
  }
}

/** ", but 1 high-severity policy was not checked"; empty where none weighs. */
export function butUnchecked(unchecked: readonly UncheckedPolicy[]): string {
  return unchecked.length === 0 ? '' : `, but ${uncheckedText(unchecked)}`
}

/** How many of those that were not applicable weigh, where the sentence does not begin with it. */
function weightText(verdict: Verdict, unchecked: readonly UncheckedPolicy[]): string {
  if (unchecked.length === 0 || verdict === 'releasable') return ''
  return ` (${countText(unchecked.length)} ${severityWords(unchecked)} not checked)`
}

function sentence(start: string, rest: readonly string[]): string {
  return `${[start, ...rest].join(', ')}.`
}
