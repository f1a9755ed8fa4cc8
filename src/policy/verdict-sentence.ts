import { countOf, countText } from '../protocol/count.ts'
import type { ScanVerdict } from './verdict.ts'

/** The verdict in words: "Not releasable: 2 of 11 policies unsatisfied, 1 not applicable." */
export function verdictSentence({ verdict, counts }: ScanVerdict): string {
  const all = counts.satisfied + counts.unsatisfied + counts.unknown + counts['not-applicable']
  const rest = [
    ...(counts.unknown > 0 ? [`${countText(counts.unknown)} in a way not known here`] : []),
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
        ? 'Undecided: the answer could not be read to its end.'
        : sentence(
            `Undecided: ${countText(counts.satisfied)} of ${policies} satisfied, none unsatisfied`,
            rest,
          )
    case 'releasable':
      return sentence(`Releasable: ${countText(counts.satisfied)} of ${policies} satisfied`, rest)
    case 'nothing-applied':
      return all === 0
        ? 'The scan has no policies.'
        : `Nothing to judge: none of ${policies} applies to this package.`
  }
}

function sentence(start: string, rest: readonly string[]): string {
  return `${[start, ...rest].join(', ')}.`
}
