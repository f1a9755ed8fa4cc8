import { countOf, countText } from '../protocol/count.ts'
import type { PolicyStatus } from '../protocol/policy-result.ts'
import type { PolicyGroup } from './policy-group.ts'

/**
 * Whether a package may be released by a scan. `undecided` where no policy failed but one came out
 * in a way that this client does not know; `nothing-applied` where no policy said anything, which a
 * pipeline lets pass but a person should see.
 */
export type Verdict = 'releasable' | 'not-releasable' | 'undecided' | 'nothing-applied'

/** What a scan says as a whole: policies by how they came out. */
export interface ScanVerdict {
  readonly verdict: Verdict
  readonly counts: Readonly<Record<PolicyStatus, number>>
}

/**
 * The verdict over the policies of a scan. `unreadable` parts of the answer and an answer that broke
 * off (`complete: false`) may hide a failure: they never leave a package releasable.
 */
export function scanVerdict(
  groups: readonly Pick<PolicyGroup, 'status'>[],
  { unreadable, complete }: { readonly unreadable: number; readonly complete: boolean },
): ScanVerdict {
  const counts = { satisfied: 0, unsatisfied: 0, 'not-applicable': 0, unknown: 0 }
  for (const { status } of groups) counts[status] += 1
  return { verdict: verdictOf(counts, unreadable === 0 && complete), counts }
}

function verdictOf(counts: Readonly<Record<PolicyStatus, number>>, isWhole: boolean): Verdict {
  if (counts.unsatisfied > 0) return 'not-releasable'
  if (counts.unknown > 0 || !isWhole) return 'undecided'
  return counts.satisfied > 0 ? 'releasable' : 'nothing-applied'
}

/** The verdict in words: "Not releasable: 2 of 11 policies unsatisfied, 1 not applicable." */
export function verdictSentence({ verdict, counts }: ScanVerdict): string {
  const all = counts.satisfied + counts.unsatisfied + counts.unknown + counts['not-applicable']
  const rest = [
    ...(counts.unknown > 0 ? [`${countText(counts.unknown)} with an unknown status`] : []),
    ...(counts['not-applicable'] > 0
      ? [`${countText(counts['not-applicable'])} not applicable`]
      : []),
  ]
  const policies = countOf(all, 'policy', 'policies')
  switch (verdict) {
    case 'not-releasable':
      return sentence(
        `Not releasable: ${countText(counts.unsatisfied)} of ${policies} unsatisfied`,
        rest,
      )
    case 'undecided':
      return all === 0
        ? "Inconclusive: the response couldn't be read to its end."
        : sentence(
            `Inconclusive: ${countText(counts.satisfied)} of ${policies} satisfied, none unsatisfied`,
            rest,
          )
    case 'releasable':
      return sentence(`Releasable: ${countText(counts.satisfied)} of ${policies} satisfied`, rest)
    case 'nothing-applied':
      return all === 0
        ? 'The scan has no policies.'
        : `Nothing to evaluate: none of ${policies} applies to this package.`
  }
}

function sentence(start: string, rest: readonly string[]): string {
  return `${[start, ...rest].join(', ')}.`
}
