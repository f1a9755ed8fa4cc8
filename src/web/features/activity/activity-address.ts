import type { EvaluationSummary } from '../../../protocol/evaluation.ts'

/** What is looked at of all that happened, as the address of the page says it; empty narrows nothing. */
export interface ActivityAddress {
  readonly show: 'evaluations' | 'actions'
  /** As it was typed. */
  readonly package: string
  readonly scan: string
  readonly by: string
  readonly verdict: EvaluationSummary['verdict'] | ''
}

export const verdicts = [
  'releasable',
  'not-releasable',
  'undecided',
  'nothing-applied',
] as const satisfies readonly EvaluationSummary['verdict'][]

/** Reads it; what cannot be read is as if not said. */
export function readActivityAddress(search: URLSearchParams): ActivityAddress {
  return {
    show: search.get('show') === 'actions' ? 'actions' : 'evaluations',
    package: search.get('package') ?? '',
    scan: search.get('scan') ?? '',
    by: search.get('by') ?? '',
    verdict: verdicts.find((one) => one === search.get('verdict')) ?? '',
  }
}

/** Writes it; what narrows nothing is left out. */
export function writeActivityAddress(address: ActivityAddress): URLSearchParams {
  const search = new URLSearchParams()
  if (address.show === 'actions') search.set('show', 'actions')
  for (const name of ['package', 'scan', 'by', 'verdict'] as const) {
    const value = address[name].trim()
    if (value !== '') search.set(name, value)
  }
  return search
}
