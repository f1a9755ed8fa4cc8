import { packagePath } from '../../protocol/package-address.ts'
import type { RememberedPackage } from './device-preferences.ts'

const mostPackages = 40
const mostScans = 8

/** A package that is looked at, with the scan if there is one. */
export type UsedPackage = Omit<RememberedPackage, 'scans'> & { readonly scan?: string | undefined }

/**
 * The packages of this device after one was used: it comes first, once for each digest, with its
 * scans from before. The same list where nothing changes; the oldest of 40 goes.
 */
export function withPackage(
  packages: readonly RememberedPackage[],
  { scan, ...used }: UsedPackage,
): readonly RememberedPackage[] {
  const before = packages.find((other) => isSame(other, used))
  const earlier = before?.scans ?? []
  const scans = scan === undefined ? earlier : [scan, ...earlier.filter((other) => other !== scan)]
  const isFirst = before !== undefined && packages[0] === before
  if (isFirst && scans.join('/') === earlier.join('/')) return packages
  const others = packages.filter((other) => other !== before)
  return [{ ...used, scans: scans.slice(0, mostScans) }, ...others].slice(0, mostPackages)
}

/** The packages without this one. */
export function withoutPackage(
  packages: readonly RememberedPackage[],
  forgotten: RememberedPackage,
): readonly RememberedPackage[] {
  return packages.filter((other) => !isSame(other, forgotten))
}

/** Names of scans that were used on any package, the newest first. */
export function scanNames(packages: readonly { readonly scans: readonly string[] }[]): string[] {
  return [...new Set(packages.flatMap(({ scans }) => scans))]
}

function isSame(a: Omit<RememberedPackage, 'scans'>, b: Omit<RememberedPackage, 'scans'>): boolean {
  return (
    packagePath(a) === packagePath(b) &&
    a.sha256 === b.sha256 &&
    a.repositoryUrl === b.repositoryUrl
  )
}
