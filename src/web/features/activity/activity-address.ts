import type { EvaluationSummary } from '../../../protocol/evaluation.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import { readPackageReference } from '../../../protocol/package-reference.ts'

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
