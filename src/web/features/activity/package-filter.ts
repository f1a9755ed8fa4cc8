import { packagePath } from '../../../protocol/package-address.ts'
import { readPackageReference } from '../../../protocol/package-reference.ts'

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
