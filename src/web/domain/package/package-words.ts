import {
  type PackageAddress,
  packagePath,
  policyScanPath,
} from '../../../protocol/package-address.ts'
import { packageUrl, packageUrlText } from '../../../protocol/package-url.ts'

/** The package as people name it: its package URL, or its path where it cannot have one. */
export function packageText(address: PackageAddress): string {
  const { type, namespace, name, version } = address
  const read = packageUrl({ type, namespace, name, version })
  return read.ok ? packageUrlText(read.purl) : packagePath(address)
}

/** What tells the artifact of a package. */
export interface Artifact {
  readonly sha256: string
  readonly repositoryUrl: string
}

/** The link to the page of a package, or of a scan of it, which takes the artifact along. */
export function packageLink(
  address: PackageAddress,
  { sha256, repositoryUrl }: Artifact,
  scan?: string,
): string {
  const search = new URLSearchParams({ sha256, repository: repositoryUrl })
  const path = scan === undefined ? packagePath(address) : policyScanPath(address, scan)
  return `${path}?${search.toString()}`
}
