import { createHash } from 'node:crypto'
import type { PackageAddress } from '../../../protocol/package-address.ts'
import { packageUrl, packageUrlText } from '../../../protocol/package-url.ts'
import type { OfferedPackage, ReleaseBoard } from '../../../protocol/proxy-config.ts'
import { parse } from '../../../search/parse.ts'
import type { StoredBuild } from '../../store/build-rows.ts'
import { findBuilds } from '../find-builds.ts'
import { publish, type Publishing } from './publish.ts'
import { claimedBuilds } from './select-builds.ts'

/** A package of the made-up company: what a scan of it needs. */
export interface SeededPackage {
  readonly address: PackageAddress
  readonly sha256: string
  readonly repositoryUrl: string
  /** Whose builds made it; undefined where nobody knows, so that its provenance is missing. */
  readonly project: string | undefined
}

/** Good and bad ones: a vulnerable dependency, repositories that nobody approved, no provenance. */
export const seededPackages: readonly SeededPackage[] = [
  image('checkout', '2.4.0', 'checkout'),
  image('checkout', '2.3.0', undefined),
  // Its builds fail since this morning (content/story.ts), so that nothing vouches for it.
  image('checkout', '2.5.0', undefined),
  maven('com.acme.payments', 'payments', '3.1.0', 'payments'),
  maven('com.acme.logistics', 'warehouse', '1.8.2', 'warehouse'),
  maven('com.acme.shop', 'catalog-service', '5.0.1', 'catalog-service'),
  npm('@acme', 'design-system', '7.2.0', 'design-system'),
  image('shop-android', '11.0.0', 'shop-android'),
  image('recommendations', '0.9.4', 'recommendations'),
  maven('com.acme.identity', 'identity-server', '4.2.0', 'identity'),
  npm('@acme', 'storefront', '12.3.0', 'storefront-web'),
  image('search-index', '9.1.0', 'search-index'),
]

/**
 * Publishes the seeded packages from the newest builds that succeeded; one whose project has no
 * such build yet is left out. `origin` is where builds have pages.
 */
export async function seedPackages(publishing: Publishing, origin: string): Promise<void> {
  const { database } = publishing
  for (const { address, sha256, repositoryUrl, project } of seededPackages) {
    const newest = project === undefined ? [] : await newestOf(publishing, project)
    if (project !== undefined && newest.length === 0) continue
    const builds = await claimedBuilds(database, newest, origin)
    const buildScan = { ids: [], queries: [] }
    const request = { sha256, repositoryUrl, buildScan, hasBothLists: false }
    for await (const { result } of publish(publishing, address, request, 'release', builds)) {
      if (result.status === 'FAILED') return
    }
  }
}

/** The seeded packages as people are offered them. */
export function offeredPackages(): OfferedPackage[] {
  return seededPackages.flatMap(({ address, sha256, repositoryUrl }) => {
    const built = packageUrl(address)
    if (!built.ok) return []
    return [{ purl: packageUrlText(built.purl), sha256, repositoryUrl, scans: ['release'] }]
  })
}

/** All of them on one board, with the scans that usual-policies.ts has. */
export function offeredBoard(): ReleaseBoard {
  return {
    name: 'release',
    title: 'Next release',
    packages: offeredPackages().map((offered) => ({ ...offered, scans: [] })),
    scans: ['build', 'release', 'production'],
    require: [],
  }
}

/** The newest build of a project that succeeded on CI, if there is one. */
async function newestOf(
  { database, clock }: Publishing,
  project: string,
): Promise<readonly StoredBuild[]> {
  const query = parse(`project:${project} buildOutcome:succeeded tag:CI`)
  const { builds } = await findBuilds(
    database,
    { newestFirst: true },
    { query, now: clock.now() },
    { max: 1, isTimeOver: () => false, signal: new AbortController().signal },
  )
  return builds
}

function image(name: string, version: string, project: string | undefined): SeededPackage {
  return seeded({ type: 'oci', name, version }, 'registry.acme.example/shop', project)
}

function maven(namespace: string, name: string, version: string, project: string): SeededPackage {
  const address = { type: 'maven', namespace, name, version }
  return seeded(address, 'artifacts.acme.example/maven-release', project)
}

function npm(namespace: string, name: string, version: string, project: string): SeededPackage {
  const address = { type: 'npm', namespace, name, version }
  return seeded(address, 'artifacts.acme.example/npm-release', project)
}

function seeded(
  address: PackageAddress,
  repositoryUrl: string,
  project: string | undefined,
): SeededPackage {
  const text = Object.values(address).join(' ')
  const sha256 = createHash('sha256').update(text).digest('hex')
  return { address, sha256, repositoryUrl, project }
}
