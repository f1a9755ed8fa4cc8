import type { RememberedPackage } from '../../ui/device-preferences.ts'
import { packageLink, packageText } from '../../domain/package/package-links.ts'
import { packagesOfBuild } from '../../domain/package/remembered-packages.ts'
import type { BuildLink } from './build-links.ts'

const mostPackages = 5

/**
 * From a build to what was attested of it: the packages of this device that it is known to stand
 * behind, or all of them, as no service can be asked for it; and to publishing.
 */
export function attestationLinks(
  buildId: string,
  packages: readonly RememberedPackage[],
): readonly BuildLink[] {
  const known = packagesOfBuild(packages, buildId).slice(0, mostPackages)
  const text = 'Attestations made from it'
  return [
    ...known.map((one) => ({
      text: `${text}: ${packageText(one.address)}`,
      to: packageLink(one.address, one),
    })),
    ...(known.length === 0 ? [{ text, to: '/packages' }] : []),
    { text: 'Publish attestations of it', to: `/publish?builds=${buildId}` },
  ]
}
