import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { useParams, useSearchParams } from 'react-router'
import type { PolicyGroup } from '../../../policy/policy-group.ts'
import {
  type PackageAddress,
  packagePath,
  policyScanPath,
} from '../../../protocol/package-address.ts'
import { readPackageReference } from '../../../protocol/package-reference.ts'
import type { OfferedPackage, ProxyConfig } from '../../../protocol/proxy-config.ts'
import { configQuery } from '../../data/core/server-config.ts'
import type { PolicyScanQuestion, PolicyScanView } from '../../data/scans/policy-scan.ts'
import { buildOfSource } from '../../domain/build-table/source-links.tsx'
import { mostBuilds, scanNames, withPackage } from '../../domain/package/remembered-packages.ts'
import { withRun } from '../../domain/run/remembered-runs.ts'
import {
  type RememberedPackage,
  usePreferences,
  usePreferenceStore,
} from '../../ui/device-preferences.ts'
import { useServices } from '../../data/core/services.ts'

/** A package that can be offered: one of this device, or of the configuration. */
export type KnownPackage = RememberedPackage

/**
 * What there is to offer, as the services have no lists of packages and scans
 * (docs/services.md#policy-service).
 */
export interface KnownPackages {
  /** Looked at on this device, the last one first. */
  readonly remembered: readonly KnownPackage[]
  /** Named in the configuration of the proxy, by themselves or on a board. */
  readonly configured: readonly KnownPackage[]
  /** Names of scans, those used last first. */
  readonly scans: readonly string[]
  /** Whether the configuration has been read. */
  readonly isKnown: boolean
}

/** The packages and names of scans that are known here. */
export function useKnownPackages(): KnownPackages {
  const { packages: remembered = [] } = usePreferences()
  const { data } = useQuery(configQuery(useServices().request))
  const configured = useMemo(() => (data === undefined ? [] : configuredPackages(data)), [data])
  const scans = scanNames([...remembered, ...configured, ...(data?.boards ?? [])])
  return { remembered, configured, scans, isKnown: data !== undefined }
}

/** The known packages of this address, whatever their artifact: the one used last comes first. */
export function knownOf(
  { remembered, configured }: KnownPackages,
  address: PackageAddress,
): readonly KnownPackage[] {
  const path = packagePath(address)
  return [...remembered, ...configured].filter((one) => packagePath(one.address) === path)
}

/**
 * The packages of a configuration, each once: those that are named by themselves, then those of its
 * boards, with the scans of all places that name them.
 */
export function configuredPackages({
  packages,
  boards,
}: Pick<ProxyConfig, 'packages' | 'boards'>): readonly KnownPackage[] {
  const onBoards = boards.flatMap((board) =>
    board.packages.map((one) => ({
      ...one,
      scans: one.scans.length === 0 ? board.scans : one.scans,
    })),
  )
  const found = new Map<string, KnownPackage>()
  for (const one of [...packages, ...onBoards].flatMap(offered)) {
    const key = `${packagePath(one.address)} ${one.sha256} ${one.repositoryUrl}`
    const before = found.get(key)?.scans ?? []
    found.set(key, { ...one, scans: [...new Set([...before, ...one.scans])] })
  }
  return [...found.values()]
}

/** One whose package URL cannot be read is left out: it has no address. */
function offered({ purl, sha256, repositoryUrl, scans }: OfferedPackage): readonly KnownPackage[] {
  const read = readPackageReference(purl)
  return read.ok ? [{ address: read.reference.address, sha256, repositoryUrl, scans }] : []
}

/**
 * Keeps on this device which package and scan were evaluated, and how a whole run came out. What the
 * service refused is not kept: it may have been a mistake.
 */
export function useRemembering(question: PolicyScanQuestion, view: PolicyScanView): void {
  const store = usePreferenceStore()
  const { address, scan, sha256, repositoryUrl } = question
  const { state, groups, unreadable, endedAt } = view
  const path = policyScanPath(address, scan)
  useEffect(() => {
    if (endedAt === undefined || state.is === 'refused') return
    const { packages = [], policyRuns = [] } = store.get()
    const used = withPackage(packages, {
      address,
      sha256,
      repositoryUrl,
      scan,
      builds: buildsOf(groups),
    })
    const isWhole = state.is === 'done' && unreadable === 0 && groups.length > 0
    const runs = isWhole
      ? withRun(policyRuns, { path, sha256, repositoryUrl, at: endedAt, groups })
      : policyRuns
    if (used === packages && runs === policyRuns) return
    store.change({ packages: used, policyRuns: runs })
  }, [store, address, scan, sha256, repositoryUrl, path, state, groups, unreadable, endedAt])
}

/** The builds that the evidence was made from, as many as are kept: there may be any number of results. */
function buildsOf(groups: readonly PolicyGroup[]): readonly string[] {
  const seen = new Set<string | null>()
  const builds = new Set<string>()
  for (const { results } of groups) {
    for (const { sourcedFromUri: uri } of results) {
      if (seen.has(uri)) continue
      seen.add(uri)
      const build = uri === null ? undefined : buildOfSource(uri)
      if (build !== undefined) builds.add(build)
      if (builds.size === mostBuilds) return [...builds]
    }
  }
  return [...builds]
}

/** What the address of a page says of a package; an empty text is not said. */
export interface AddressedPackage {
  readonly address: PackageAddress
  readonly scan: string
  readonly sha256: string
  readonly repositoryUrl: string
}

/** The package that the page's own address names. */
export function useAddressedPackage(): AddressedPackage {
  const { type = '', namespace, name = '', version = '', scan = '' } = useParams()
  const [search] = useSearchParams()
  return {
    address: { type, ...(namespace === undefined ? {} : { namespace }), name, version },
    scan,
    sha256: search.get('sha256') ?? '',
    repositoryUrl: search.get('repository') ?? '',
  }
}
