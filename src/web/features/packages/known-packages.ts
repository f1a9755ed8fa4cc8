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
  /** Whether the configuration has been read, whether it still may be, or why it can't be: a sentence. */
  readonly isKnown: boolean
  readonly isLoading: boolean
  readonly fault: string | undefined
  readonly retry: () => void
  /** The boards of the configuration. */
  readonly boards: ProxyConfig['boards']
}

/** The packages and names of scans that are known here. */
export function useKnownPackages(): KnownPackages {
  const { packages: remembered = [] } = usePreferences()
  const { data, error, isPending, refetch } = useQuery(configQuery(useServices().request))
  const configured = useMemo(() => (data === undefined ? [] : configuredPackages(data)), [data])
  const boards = data?.boards ?? noBoards
  const scans = scanNames([...remembered, ...configured, ...boards])
  return {
    remembered,
    configured,
    scans,
    isKnown: data !== undefined,
    isLoading: isPending,
    fault: data === undefined ? error?.message : undefined,
    retry: () => void refetch(),
    boards,
  }
}

const noBoards: ProxyConfig['boards'] = []

/**
 * The artifacts of this address that are known, each once with the scans of all places that name it: the one used last
 * comes first.
 */
export function knownOf(
  { remembered, configured }: Pick<KnownPackages, 'remembered' | 'configured'>,
  address: PackageAddress,
): readonly KnownPackage[] {
  const path = packagePath(address)
  return eachOnce([...remembered, ...configured].filter((one) => packagePath(one.address) === path))
}

function eachOnce(packages: readonly KnownPackage[]): readonly KnownPackage[] {
  const found = new Map<string, KnownPackage>()
  for (const one of packages) {
    const key = `${packagePath(one.address)} ${one.sha256} ${one.repositoryUrl}`
    const before = found.get(key) ?? one
    found.set(key, { ...before, scans: [...new Set([...before.scans, ...one.scans])] })
  }
  return [...found.values()]
}

/**
 * Which of the artifacts of a package an address means: the one that it names, or the one used last where it names
 * none; undefined where it names another one.
 */
export function artifactOf<Artifact extends Pick<KnownPackage, 'sha256' | 'repositoryUrl'>>(
  artifacts: readonly Artifact[],
  { sha256, repositoryUrl }: Pick<AddressedPackage, 'sha256' | 'repositoryUrl'>,
): Artifact | undefined {
  return artifacts.find(
    (one) =>
      (sha256 === '' || one.sha256.toLowerCase() === sha256.toLowerCase()) &&
      (repositoryUrl === '' || one.repositoryUrl === repositoryUrl),
  )
}

/** What the boards that have an artifact require of it (`requiredOf` in policy/severity.ts). */
export function requiredOfArtifact(
  boards: ProxyConfig['boards'],
  { address, sha256, repositoryUrl }: KnownPackage,
): readonly string[] {
  const path = packagePath(address)
  const holds = ({ packages }: ProxyConfig['boards'][number]): boolean =>
    packages
      .flatMap(offered)
      .some(
        (one) =>
          packagePath(one.address) === path &&
          one.sha256 === sha256 &&
          one.repositoryUrl === repositoryUrl,
      )
  return [...new Set(boards.flatMap((board) => (holds(board) ? board.require : [])))]
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
  return eachOnce([...packages, ...onBoards].flatMap(offered))
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
