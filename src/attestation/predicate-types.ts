import { knownTypes } from './known-types.ts'
import { nearestType } from './nearest-type.ts'
import type { PredicateReader } from './predicate-reader.ts'
import { buildTool } from './readers/build-tool.ts'
import { cyclonedx } from './readers/cyclonedx.ts'
import { dependencyInsights } from './readers/dependency-insights.ts'
import { dependencyRepositories } from './readers/dependency-repositories.ts'
import { javaToolchains } from './readers/java-toolchains.ts'
import { link } from './readers/link.ts'
import { openvex } from './readers/openvex.ts'
import { policyScan } from './readers/policy-scan.ts'
import { publishRepositories } from './readers/publish-repositories.ts'
import { npmPublish, pypiPublish } from './readers/registry-publish.ts'
import { release } from './readers/release.ts'
import { resolvedDependencies } from './readers/resolved-dependencies.ts'
import { scai } from './readers/scai.ts'
import { slsaProvenanceV01, slsaProvenanceV02 } from './readers/slsa-provenance-v0.ts'
import { slsaProvenanceV1 } from './readers/slsa-provenance-v1.ts'
import { spdx } from './readers/spdx.ts'
import { testResult } from './readers/test-result.ts'
import { verificationSummary } from './readers/verification-summary.ts'
import { vulnerabilities } from './readers/vulnerabilities.ts'

/** Every predicate type that has a view of its own. */
export const predicateReaders: readonly PredicateReader[] = [
  buildTool,
  javaToolchains,
  resolvedDependencies,
  dependencyRepositories,
  publishRepositories,
  policyScan,
  dependencyInsights,
  slsaProvenanceV1,
  slsaProvenanceV02,
  slsaProvenanceV01,
  verificationSummary,
  npmPublish,
  pypiPublish,
  spdx,
  cyclonedx,
  vulnerabilities,
  testResult,
  link,
  release,
  scai,
  openvex,
]

const readersByType: ReadonlyMap<string, PredicateReader> = new Map(
  predicateReaders.flatMap((reader) => reader.types.map((type) => [type, reader] as const)),
)
const namesByType: ReadonlyMap<string, string> = new Map(
  [...predicateReaders, ...knownTypes].flatMap(({ name, types }) =>
    types.map((type) => [type, name] as const),
  ),
)
const allTypes = [...namesByType.keys()]

/** The reader of a predicate type, which must be spelt exactly as it is registered. */
export function readerOf(predicateType: string): PredicateReader | undefined {
  return readersByType.get(predicateType)
}

/** Whether a type is known by name, with a view of its own or without. */
export function isKnownType(predicateType: string): boolean {
  return namesByType.has(predicateType)
}

/** The known type that an unknown one may be meant to be. */
export function typeNear(
  predicateType: string,
): { readonly type: string; readonly name: string } | undefined {
  const type = nearestType(predicateType, allTypes)
  return type === undefined ? undefined : { type, name: namesByType.get(type) ?? type }
}
