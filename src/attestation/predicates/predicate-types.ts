import { link, npmPublish, pypiPublish, release, scai, testResult } from './in-toto.ts'
import type { PredicateReader } from './predicate-facts.ts'
import { cyclonedx, spdx } from './sbom.ts'
import {
  buildTool,
  dependencyInsights,
  dependencyRepositories,
  javaToolchains,
  policyScan,
  publishRepositories,
  resolvedDependencies,
} from './service.ts'
import {
  slsaProvenanceV01,
  slsaProvenanceV02,
  slsaProvenanceV1,
  verificationSummary,
} from './slsa.ts'
import {
  chainloop,
  gittufApproval,
  gittufAuthorization,
  gittufPullRequest,
  modelSignature,
  sourceProvenance,
  tagProvenance,
  witness,
} from './supply-chain.ts'
import { openvex, vulnerabilities } from './vulnerabilities.ts'

/** Types of the registry and of real writers (docs/attestations.md#predicate-types) that have no reader. */
export const knownTypes: readonly Pick<PredicateReader, 'name' | 'types' | 'proves'>[] = [
  {
    name: 'Runtime trace',
    types: ['https://in-toto.io/attestation/runtime-trace/v0.1'],
    proves: 'A monitor recorded these events during the build of the package.',
  },
  {
    name: 'Reference',
    types: ['https://in-toto.io/attestation/reference/v0.1'],
    proves: 'More documents about the package are available at these locations.',
  },
  {
    name: 'Simple verification result',
    types: ['https://in-toto.io/attestation/svr/v0.1', 'https://in-toto.io/attestation/svr/v0.2'],
    proves: 'A verifier found that the package has these properties.',
  },
  {
    name: 'cosign custom predicate',
    types: ['https://cosign.sigstore.dev/attestation/v1', 'cosign.sigstore.dev/attestation/v1'],
    proves: 'The signer attached this custom text to the image.',
  },
  {
    name: 'cosign signature',
    types: ['https://sigstore.dev/cosign/sign/v1'],
    proves: 'The signer signed the image, without further claims.',
  },
  {
    name: 'conda publish',
    types: ['https://schemas.conda.org/attestations-publish-1.schema.json'],
    proves: 'The package was uploaded to this conda channel by the identity in the certificate.',
  },
  {
    name: 'Ampel results',
    types: [
      'https://carabiner.dev/ampel/resultset/v0',
      'https://carabiner.dev/ampel/resultgroup/v0',
      'https://carabiner.dev/ampel/results/v0.0.1',
    ],
    proves: 'Ampel evaluated these policies on the package, with these results.',
  },
  {
    name: 'apko image configuration',
    types: ['https://apko.dev/image-configuration'],
    proves: 'The image was built from this configuration.',
  },
  {
    name: 'Syft bill of materials',
    types: ['https://syft.dev/bom'],
    proves: 'The package contains these components, according to Syft.',
  },
  {
    name: 'Trivy report',
    types: ['https://trivy.dev/report', 'https://predicates.policylabs.dev/trivy/v1'],
    proves: 'Trivy scanned the package and found this.',
  },
  {
    name: 'Grype report',
    types: ['https://predicates.policylabs.dev/grype/v1'],
    proves: 'Grype scanned the package and found this.',
  },
  {
    name: 'OpenEoX',
    types: ['https://docs.oasis-open.org/openeox/core/v1.0'],
    proves: 'The vendor states until when the product is sold and supported.',
  },
  {
    name: 'Security insights',
    types: ['https://github.com/ossf/security-insights-spec'],
    proves: 'The project describes its security practices.',
  },
  ...['org', 'mfa', 'repo', 'branch-rules'].map((spec) => ({
    name: `Snappy snapshot (${spec})`,
    types: [`http://github.com/carabiner-dev/snappy/specs/${spec}.yaml`],
    proves: "A service's API returned this at the time of the snapshot.",
  })),
]

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
  modelSignature,
  chainloop,
  sourceProvenance,
  tagProvenance,
  witness,
  gittufPullRequest,
  gittufApproval,
  gittufAuthorization,
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

/** The name of a kind of attestation, such as "SLSA provenance v1"; of an unknown one the type itself. */
export function typeName(predicateType: string): string {
  return namesByType.get(predicateType) ?? predicateType
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

/**
 * The candidate that a misspelt predicate type most likely means: the same but for case, blanks, scheme
 * or a last slash, its beginning (another version of the same), or a few letters away; undefined where
 * none is near.
 */
function nearestType(type: string, candidates: readonly string[]): string | undefined {
  const wanted = reduced(type)
  if (wanted.length > longest || wanted === '') return undefined
  const beginnings = candidates.filter((candidate) => wanted.startsWith(reduced(candidate)))
  const [first, ...others] = beginnings
  if (first !== undefined) {
    return others.reduce((best, other) => (other.length > best.length ? other : best), first)
  }
  let best: string | undefined
  let least = Math.max(2, Math.floor(wanted.length / 6)) + 1
  for (const candidate of candidates) {
    const distance = lettersApart(wanted, reduced(candidate), least)
    if (distance < least) {
      least = distance
      best = candidate
    }
  }
  return best
}

const longest = 300

function reduced(type: string): string {
  return type
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\/(?:www\.)?/, '')
    .replace(/\/+$/, '')
}

/** The Levenshtein distance of two texts, or `limit` where it is no less than that. */
function lettersApart(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    if (Math.min(...next) >= limit) return limit
    row = next
  }
  return Math.min(limit, row[b.length] ?? limit)
}
