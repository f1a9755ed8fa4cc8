import { readPackageUrl } from '../../../protocol/package-url.ts'
import { predicateTypes } from './evidence.ts'
import type { BuildClaim } from './statements-of-build.ts'

/**
 * What is known of dependencies: newer releases and vulnerabilities, as an attestation about the one
 * of the resolved dependencies (`about`, its URI). `time` is epoch ms.
 */
export function insightsClaim(purls: readonly string[], about: string, time: number): BuildClaim {
  return {
    predicateType: predicateTypes.dependencyInsights,
    predicate: {
      forAttestationUri: about,
      sourcedFromUrn: 'urn:dependency-insights:embedded',
      verifiedTime: new Date(time).toISOString(),
      purls: Object.fromEntries(purls.map((purl) => [purl, insightOf(purl)])),
    },
  }
}

interface Upgrade {
  readonly version: string
  readonly publishedTime: string
  readonly vulnerabilitiesRemainingAfterUpgrade: number
}

interface Known {
  readonly licenses: readonly string[]
  readonly latestPatch?: Upgrade
  readonly latestMinor?: Upgrade
  readonly latestMajor?: Upgrade
  readonly vulnerabilities?: readonly object[]
}

function insightOf(purl: string): object {
  const read = readPackageUrl(purl)
  if (!read.ok) return { versions: {}, licenses: [], vulnerabilities: [] }
  const { name, version = '' } = read.purl
  const { licenses = [], vulnerabilities = [], ...upgrades } = known[`${name}@${version}`] ?? {}
  return { versions: { current: { version }, ...upgrades }, licenses, vulnerabilities }
}

const apache = ['Apache-2.0']
const mit = ['MIT']

/** Of the packages that the made-up builds resolve (content/dependencies.ts). */
const known: Readonly<Record<string, Known>> = {
  'jackson-databind@2.19.2': {
    licenses: apache,
    latestPatch: upgrade('2.19.4', '2025-10-29'),
    latestMinor: upgrade('2.20.1', '2025-10-30'),
  },
  'guava@33.4.8-jre': { licenses: apache, latestMinor: upgrade('33.5.0-jre', '2025-09-17') },
  'commons-lang3@3.18.0': { licenses: apache, latestMinor: upgrade('3.20.0', '2025-11-12') },
  'junit-jupiter@5.13.4': {
    licenses: ['EPL-2.0'],
    latestMinor: upgrade('5.14.1', '2025-10-31'),
    latestMajor: upgrade('6.0.1', '2025-10-31'),
  },
  'slf4j-api@2.0.17': { licenses: mit },
  'log4j-core@2.14.1': {
    licenses: apache,
    latestMinor: upgrade('2.25.2', '2025-09-18'),
    vulnerabilities: [
      {
        id: 'GHSA-jfh8-c2jp-5v3q',
        summary: 'Remote code injection in Log4j',
        severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H' }],
      },
    ],
  },
  'ktor-server-core@3.2.3': { licenses: apache, latestMinor: upgrade('3.3.2', '2025-11-05') },
  'kotlin-stdlib@2.2.10': { licenses: apache, latestPatch: upgrade('2.2.21', '2025-10-23') },
  'kotlinx-coroutines-core@1.10.2': { licenses: apache },
  'react-query@5.85.5': { licenses: mit, latestMinor: upgrade('5.90.7', '2025-11-05') },
  'react@19.1.1': { licenses: mit, latestMinor: upgrade('19.2.0', '2025-10-01') },
  'react-dom@19.1.1': { licenses: mit, latestMinor: upgrade('19.2.0', '2025-10-01') },
  'typescript@5.9.2': { licenses: apache, latestPatch: upgrade('5.9.3', '2025-09-30') },
  'vite@7.1.3': { licenses: mit, latestMinor: upgrade('7.2.2', '2025-11-07') },
  'numpy@2.3.2': { licenses: ['BSD-3-Clause'], latestPatch: upgrade('2.3.4', '2025-10-15') },
  'pandas@2.3.2': { licenses: ['BSD-3-Clause'], latestPatch: upgrade('2.3.3', '2025-09-29') },
  'scikit-learn@1.7.1': { licenses: ['BSD-3-Clause'], latestPatch: upgrade('1.7.2', '2025-09-09') },
  'requests@2.32.5': { licenses: apache },
}

function upgrade(version: string, day: string): Upgrade {
  return {
    version,
    publishedTime: `${day}T00:00:00.000Z`,
    vulnerabilitiesRemainingAfterUpgrade: 0,
  }
}
