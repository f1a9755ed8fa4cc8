import type { PackageAddress } from '../../../protocol/package-address.ts'
import { type Artifact, packageText } from './package-words.ts'

/** Servers refuse addresses of more than about 8,000 characters; so many of them may name builds. */
const longestList = 2_000

/** Where the address of the publish page names builds: one of both is empty. */
export interface BuildsInLink {
  /** The parameter `builds`: ids with commas. */
  readonly parameter: string
  /** With its `#`; it is never sent to a server. */
  readonly hash: string
}

/**
 * How an address names these builds. Many stand behind `#`, so that a page with a thousand of them can
 * be loaded again and sent to a colleague.
 */
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
