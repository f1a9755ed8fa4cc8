import {
  type PackageAddress,
  packagePath,
  policyScanPath,
} from '../../../protocol/package-address.ts'
import { packageText } from '../../../protocol/package-reference.ts'

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

/** Servers refuse addresses of more than about 8,000 characters; so many of them may name builds. */
const longestList = 2_000

/** Where the address of the publish page names builds: one of both is empty. */
export interface BuildsInLink {
  /** The parameter `builds`: ids with commas. */
  readonly parameter: string
  /** With its `#`; it is never sent to a server. */
  readonly hash: string
}

/** How an address names these builds: many stand behind `#`, so that it can be loaded again and sent. */
export function buildsInLink(builds: readonly string[]): BuildsInLink {
  const list = builds.join(',')
  return list.length > longestList
    ? { parameter: '', hash: `#builds=${builds.map(encodeURIComponent).join(',')}` }
    : { parameter: list, hash: '' }
}

/** The publish page with this package filled in; the builds are still to be chosen. */
export function publishPackageLink(
  address: PackageAddress,
  { sha256, repositoryUrl }: Artifact,
): string {
  const named = { package: packageText(address), sha256, repository: repositoryUrl }
  return `/publish?${new URLSearchParams(named).toString()}`
}

/** The publish page with these builds chosen. */
export function publishLink(builds: readonly string[]): string {
  const { parameter, hash } = buildsInLink(builds)
  const search = parameter === '' ? '' : `?${new URLSearchParams({ builds: parameter }).toString()}`
  return `/publish${search}${hash}`
}

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
