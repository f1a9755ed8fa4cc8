import { packagePath } from '../../../protocol/package-address.ts'
import type { RememberedPackage } from '../../ui/device-preferences.ts'

const mostPackages = 40
const mostScans = 8
/** Of builds that stand behind a package. */
export const mostBuilds = 100

/** A package that is looked at, with the scan if there is one, and the builds that stand behind it. */
export type UsedPackage = Omit<RememberedPackage, 'scans'> & { readonly scan?: string | undefined }

/**
 * The packages of this device after one was used: it comes first, once for each digest, with its
 * scans and builds from before. The same list where nothing changes; the oldest of 40 goes.
 */
export function withPackage(
  packages: readonly RememberedPackage[],
  { scan, builds = [], ...used }: UsedPackage,
): readonly RememberedPackage[] {
  const before = packages.find((other) => isSame(other, used))
  const earlier = before?.scans ?? []
  const scans = scan === undefined ? earlier : [scan, ...earlier.filter((other) => other !== scan)]
  const known = before?.builds ?? []
  const isNews = builds.some((id) => !known.includes(id))
  const behind = isNews ? [...new Set([...builds, ...known])].slice(0, mostBuilds) : known
  const isFirst = before !== undefined && packages[0] === before
  if (isFirst && !isNews && scans.join('/') === earlier.join('/')) return packages
  const others = packages.filter((other) => other !== before)
  const first = {
    ...used,
    scans: scans.slice(0, mostScans),
    ...(behind.length === 0 ? {} : { builds: behind }),
  }
  return [first, ...others].slice(0, mostPackages)
}

/** The packages without this one. */
export function withoutPackage(
  packages: readonly RememberedPackage[],
  forgotten: RememberedPackage,
): readonly RememberedPackage[] {
  return packages.filter((other) => !isSame(other, forgotten))
}

/** The packages of this device that a build is known to stand behind, the one used last first. */
export function packagesOfBuild(
  packages: readonly RememberedPackage[],
  buildId: string,
): readonly RememberedPackage[] {
  return packages.filter(({ builds }) => builds?.includes(buildId))
}

/** Names of scans that were used on any package, the newest first. */
export function scanNames(packages: readonly { readonly scans: readonly string[] }[]): string[] {
  return [...new Set(packages.flatMap(({ scans }) => scans))]
}

function isSame(a: Omit<RememberedPackage, 'scans'>, b: Omit<RememberedPackage, 'scans'>): boolean {
  return (
    packagePath(a.address) === packagePath(b.address) &&
    a.sha256 === b.sha256 &&
    a.repositoryUrl === b.repositoryUrl
  )
}
