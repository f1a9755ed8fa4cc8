import type { Attributes } from '../../../protocol/attributes.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { dependenciesOf } from '../content/dependencies.ts'
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

/** The JVM of the build, as "Eclipse Adoptium OpenJDK 64-Bit Server VM 21.0.4+7 (mixed mode)" tells it. */
function toolchainsOf({ facts, attributes }: ClaimedBuild): Toolchain[] {
  const told =
    attributes?.environment?.jvmVersion ??
    facts.fields?.[`${facts.buildTool}.environment.jvmVersion`]
  if (typeof told !== 'string') return []
  const version = /\d+(?:\.\d+)*(?:\+\d+)?/.exec(told.slice(told.indexOf(' VM ')))?.[0]
  const vendor = told.split(/ (?:OpenJDK|Java HotSpot)/, 1)[0]?.trim()
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
