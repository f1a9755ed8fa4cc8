import type { Attributes } from '../../../protocol/build-data.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { readPackageUrl } from '../../../protocol/package-url.ts'
import { dependenciesOf } from '../content/company.ts'
import { predicateTypes } from './evidence.ts'

/** What is said of one build: a predicate and its type. */
export interface BuildClaim {
  readonly predicateType: string
  readonly predicate: Readonly<Record<string, unknown>>
}

/** A build as claims are made from it. */
export interface ClaimedBuild {
  readonly facts: Facts
  readonly attributes: Attributes | null
  /** The address of its page at the build-data server. */
  readonly buildScanUri: string
}

/**
 * What the attestations of a build say: its build tool, Java toolchains where it ran on a JVM, what
 * it resolved and from where, and how it came about (SLSA provenance v1). Fields are those of the
 * real service (docs/attestations.md#predicate-types).
 */
export function claimsOfBuild(build: ClaimedBuild): BuildClaim[] {
  const { facts, buildScanUri } = build
  const { purls, repositories } = dependenciesOf(facts.project ?? '')
  const toolchains = toolchainsOf(build)
  return [
    {
      predicateType: predicateTypes.buildTool,
      predicate: {
        buildId: facts.buildId,
        buildScanUri,
        toolType: facts.buildTool,
        toolVersion: facts.buildToolVersion,
        agentVersion: facts.agentVersion,
      },
    },
    ...(toolchains.length === 0
      ? []
      : [
          {
            predicateType: predicateTypes.javaToolchains,
            predicate: { buildScanUri, toolchains },
          },
        ]),
    {
      predicateType: predicateTypes.resolvedDependencies,
      predicate: { buildScanUri, purls },
    },
    {
      predicateType: predicateTypes.resolvedDependenciesRepositories,
      predicate: { buildScanUri, uris: repositories },
    },
    { predicateType: predicateTypes.provenance, predicate: provenance(build, purls) },
  ]
}

/** Where an artifact was published, and by whom; schemes are left out. */
export function publishClaim(repositoryUrl: string, time: number, user: string): BuildClaim {
  return {
    predicateType: predicateTypes.publishRepositories,
    predicate: {
      uris: [repositoryUrl.replace(/^https?:\/\//, '')],
      timePublished: new Date(time).toISOString(),
      sourcedFrom: `urn:basic-identity:${user}`,
    },
  }
}

interface Toolchain {
  readonly vendor: string
  readonly versions: readonly string[]
}

/** The JVM of the build, as "Eclipse Adoptium OpenJDK 64-Bit Server VM 21.0.4+7 (mixed mode)" has it. */
function toolchainsOf({ facts, attributes }: ClaimedBuild): Toolchain[] {
  const reported =
    attributes?.environment?.jvmVersion ??
    facts.fields?.[`${facts.buildTool}.environment.jvmVersion`]
  if (typeof reported !== 'string') return []
  const version = /\d+(?:\.\d+)*(?:\+\d+)?/.exec(reported.slice(reported.indexOf(' VM ')))?.[0]
  const vendor = reported.split(/ (?:OpenJDK|Java HotSpot)/, 1)[0]?.trim()
  return version === undefined || !vendor ? [] : [{ vendor, versions: [version] }]
}

function provenance(
  { facts, buildScanUri }: ClaimedBuild,
  purls: readonly string[],
): BuildClaim['predicate'] {
  const valueOf = (name: string): string | undefined =>
    facts.values?.find((value) => value.name === name)?.value
  const repository = valueOf('Git repository')
  const commit = valueOf('Git commit id')
  const source =
    repository === undefined || commit === undefined
      ? []
      : [{ uri: `git+${repository}`, digest: { gitCommit: commit } }]
  const started = facts.startTime ?? null
  const duration = facts.durationMs ?? null
  return {
    buildDefinition: {
      buildType: `https://sightline.example/build-types/${facts.buildTool}/v1`,
      externalParameters: { project: facts.project ?? null, requested: facts.requested ?? [] },
      internalParameters: {},
      resolvedDependencies: [...source, ...purls.map((uri) => ({ uri }))],
    },
    runDetails: {
      builder: { id: `https://sightline.example/builders/${facts.hostname ?? 'unknown'}` },
      metadata: {
        invocationId: buildScanUri,
        ...(started === null ? {} : { startedOn: new Date(started).toISOString() }),
        ...(started === null || duration === null
          ? {}
          : { finishedOn: new Date(started + duration).toISOString() }),
      },
    },
  }
}

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

/** Of the packages that the made-up builds resolve (content/company.ts). */
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
