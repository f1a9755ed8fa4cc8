import type { EvaluationSummary } from '../../../protocol/evaluation.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import { readPackageReference } from '../../../protocol/package-reference.ts'
import {
  choiceParam,
  type SearchParam,
  searchState,
  textParam,
} from '../../data/core/search-state.ts'

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

/** The address of the page; what cannot be read there narrows nothing. */
export const activityAddress = searchState<ActivityAddress>({
  show: choiceParam('show', ['evaluations', 'actions']),
  package: trimmedParam('package'),
  scan: trimmedParam('scan'),
  by: trimmedParam('by'),
  verdict: choiceParam('verdict', ['', ...verdicts]),
})

function trimmedParam(name: string): SearchParam<string> {
  return { ...textParam(name), write: (text) => [[name, text.trim()]] }
}

/** Which packages somebody narrows a list to: a path for the proxy, or what is wrong with the text. */
export type PackageFilter =
  { readonly ok: true; readonly path: string } | { readonly ok: false; readonly mistake: string }

/**
 * Reads a package as people name it; without a version all of its versions are meant. An empty text
 * narrows nothing.
 */
export function readPackageFilter(text: string): PackageFilter {
  const named = text.trim()
  if (named === '') return { ok: true, path: '' }
  const read = readPackageReference(named)
  if (read.ok) return { ok: true, path: packagePath(read.reference.address) }
  const all = readPackageReference(/^pkg:/i.test(named) ? `${named}@*` : `${named}:*`)
  return all.ok
    ? { ok: true, path: packagePath(all.reference.address) }
    : { ok: false, mistake: read.mistake }
}
