import { useQuery } from '@tanstack/react-query'
import { type PackageAddress, packagePath } from '../../../protocol/package-address.ts'
import { readPackageReference } from '../../../protocol/package-reference.ts'
import type { OfferedPackage } from '../../../protocol/proxy-config.ts'
import { configQuery } from '../../data/core/proxy-config.ts'
import { useRequest } from '../../data/core/request-context.ts'
import { type RememberedPackage, usePreferences } from '../../ui/device-preferences.ts'
import { scanNames } from '../../domain/package/remembered-packages.ts'

/** A package that can be offered: one of this device, or of the configuration. */
export type KnownPackage = RememberedPackage

/**
 * What there is to offer, as the services have no lists of packages and scans
 * (docs/services.md#policy-service).
 */
export interface KnownPackages {
  /** Looked at on this device, the last one first. */
  readonly remembered: readonly KnownPackage[]
  /** Named in the configuration of the proxy. */
  readonly configured: readonly KnownPackage[]
  /** Names of scans, those used last first. */
  readonly scans: readonly string[]
}

/** The packages and names of scans that are known here. */
export function useKnownPackages(): KnownPackages {
  const { packages: remembered = [] } = usePreferences()
  const { data } = useQuery(configQuery(useRequest()))
  const configured = (data?.packages ?? []).flatMap(offered)
  return { remembered, configured, scans: scanNames([...remembered, ...configured]) }
}

/** The known packages of this address, whatever their artifact: the one used last comes first. */
export function knownOf(
  { remembered, configured }: KnownPackages,
  address: PackageAddress,
): readonly KnownPackage[] {
  const path = packagePath(address)
  return [...remembered, ...configured].filter((one) => packagePath(one.address) === path)
}

/** One whose package URL cannot be read is left out: it has no address. */
function offered({ purl, sha256, repositoryUrl, scans }: OfferedPackage): readonly KnownPackage[] {
  const read = readPackageReference(purl)
  return read.ok ? [{ address: read.reference.address, sha256, repositoryUrl, scans }] : []
}
