import { type PackageAddress, policyScanPath } from '../../../protocol/package-address.ts'
import type { Artifact } from './package-words.ts'

/** The page of one recorded run of a scan: a permalink. */
export function runLink(address: PackageAddress, scan: string, id: string): string {
  return `${policyScanPath(address, scan)}/runs/${encodeURIComponent(id)}`
}

/** The page of all recorded runs of a scan; an artifact is taken along, to evaluate it from there. */
export function runsLink(address: PackageAddress, scan: string, artifact?: Artifact): string {
  const path = `${policyScanPath(address, scan)}/runs`
  if (artifact === undefined) return path
  const { sha256, repositoryUrl } = artifact
  return `${path}?${new URLSearchParams({ sha256, repository: repositoryUrl }).toString()}`
}
