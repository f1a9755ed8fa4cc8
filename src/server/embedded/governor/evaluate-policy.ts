import { type PackageUrl, readPackageUrl } from '../../../protocol/package-url.ts'
import { textMatcher } from '../../../search/evaluate/wildcard.ts'
import {
  BuildToolPredicate,
  DependencyInsightsPredicate,
  type Evidence,
  JavaToolchainsPredicate,
  predicateTypes,
  PurlsPredicate,
  UrisPredicate,
  VerificationSummaryPredicate,
} from './evidence.ts'
import { type PolicyDefinition, policyUri, resultLabels } from './policy-definition.ts'
import { scoreDependencies } from './score-dependencies.ts'

/** One result as it goes over the wire (docs/services.md#policy-result). */
export interface WireResult {
  readonly labels: Readonly<Record<string, string>>
  readonly status: 'satisfied' | 'unsatisfied' | 'not-applicable'
  readonly policyUri: string
  readonly policyDescription: string
  readonly policyRemediation: string
  readonly attestationUri: string | null
  readonly sourcedFromUri: string | null
  readonly details: Readonly<Record<string, unknown>>
}

/** What a policy says of one attestation. */
interface Finding {
  readonly satisfied: boolean
  readonly details: Readonly<Record<string, unknown>>
}

/**
 * Evaluates one policy on the attestations of a package: one result for each attestation that it
 * is about, or a single one that is not applicable where there is none. The existence of
 * attestations is a single result as well.
 */
export async function evaluatePolicy(
  policy: PolicyDefinition,
  evidence: readonly Evidence[],
): Promise<WireResult[]> {
  if (policy.kind === 'AttestationsExist') return [existence(policy, evidence)]
  const about = evidence.filter((one) => isAbout(policy, one))
  if (about.length === 0) {
    return [result(policy, null, 'not-applicable', { message: missing(policy) })]
  }
  return Promise.all(
    about.map(async (one) => {
      const { satisfied, details } = await find(policy, one)
      return result(policy, one, satisfied ? 'satisfied' : 'unsatisfied', details)
    }),
  )
}

type Judged = Exclude<PolicyDefinition, { kind: 'AttestationsExist' }>

const judgedType: Readonly<Record<Exclude<Judged['kind'], 'TrustedPublicKeys'>, string>> = {
  BuildTool: predicateTypes.buildTool,
  JavaToolchains: predicateTypes.javaToolchains,
  ResolvedDependenciesRepositories: predicateTypes.resolvedDependenciesRepositories,
  PackageUrl: predicateTypes.resolvedDependencies,
  PublishRepositories: predicateTypes.publishRepositories,
  DependencyScoring: predicateTypes.dependencyInsights,
  VerificationSummary: predicateTypes.verificationSummary,
}

/** Signatures are judged on every attestation, all else on those of one type. */
function isAbout(policy: Judged, { predicateType }: Evidence): boolean {
  return policy.kind === 'TrustedPublicKeys' || judgedType[policy.kind] === predicateType
}

function missing(policy: Judged): string {
  return policy.kind === 'TrustedPublicKeys'
    ? 'No attestation was found for this package.'
    : `No attestation of type ${judgedType[policy.kind]} was found for this package.`
}

async function find(policy: Judged, evidence: Evidence): Promise<Finding> {
  const { predicate } = evidence
  switch (policy.kind) {
    case 'BuildTool': {
      const tool = BuildToolPredicate.parse(predicate)
      const isListed = policy.spec.buildTools.some(
        (wanted) =>
          wanted.toolType === tool.toolType &&
          isOneOf(wanted.toolVersions, tool.toolVersion) &&
          isOneOf(wanted.agentVersions, tool.agentVersion ?? ''),
      )
      const satisfied = isListed === (policy.spec.matchingStrategy === 'must-match')
      return { satisfied, details: { buildTool: `${tool.toolType} ${tool.toolVersion}` } }
    }
    case 'JavaToolchains': {
      const { toolchains } = JavaToolchainsPredicate.parse(predicate)
      const used = toolchains.flatMap(({ vendor, versions }) =>
        versions.map((version) => ({ vendor, version })),
      )
      const offending = offenders(policy.spec.matchingStrategy, used, ({ vendor, version }) =>
        policy.spec.toolchains.some(
          (wanted) => listed([wanted.vendor])(vendor) && isOneOf(wanted.versions, version),
        ),
      )
      const toolchainsFound = offending.map(({ vendor, version }) => `${vendor} ${version}`)
      return {
        satisfied: offending.length === 0,
        details: offending.length === 0 ? {} : { toolchains: toolchainsFound },
      }
    }
    case 'ResolvedDependenciesRepositories':
    case 'PublishRepositories': {
      // Where a package was published is given without a scheme; a policy may name one all the same.
      const plain = policy.kind === 'PublishRepositories' ? withoutScheme : (uri: string) => uri
      const isListed = listed(policy.spec.uris.map(plain))
      const { uris } = UrisPredicate.parse(predicate)
      const offending = offenders(policy.spec.matchingStrategy, uris, (uri) =>
        isListed(withoutEnd(plain(uri))),
      )
      return { satisfied: offending.length === 0, details: { uris: offending } }
    }
    case 'PackageUrl': {
      const matchers = policy.spec.purls.map(packageMatcher)
      const { purls } = PurlsPredicate.parse(predicate)
      const [first] = offenders(policy.spec.matchingStrategy, purls, (purl) =>
        matchers.some((matches) => matches(purl)),
      )
      return first === undefined
        ? { satisfied: true, details: {} }
        : {
            satisfied: false,
            details: { vulnerablePackage: first, predicateType: evidence.predicateType },
          }
    }
    case 'TrustedPublicKeys': {
      const signedBy = await evidence.signedBy(policy.spec.keys)
      return { satisfied: signedBy.length > 0, details: { keyIds: evidence.keyIds } }
    }
    case 'DependencyScoring': {
      const insights = DependencyInsightsPredicate.parse(predicate)
      const score = scoreDependencies(policy.spec, insights)
      return { satisfied: score.overallScore >= score.baseline, details: { ...score } }
    }
    case 'VerificationSummary': {
      const summary = VerificationSummaryPredicate.parse(predicate)
      const isWanted = policy.spec.policyScans.some((scan) =>
        summary.policy.uri.endsWith(`/${scan}`),
      )
      const message = `${summary.policy.uri} came out as ${summary.verificationResult}`
      return {
        satisfied: isWanted && summary.verificationResult === 'PASSED',
        details: { message },
      }
    }
  }
}

function existence(
  policy: Extract<PolicyDefinition, { kind: 'AttestationsExist' }>,
  evidence: readonly Evidence[],
): WireResult {
  const there = new Set(evidence.map(({ predicateType }) => predicateType))
  const absent = policy.spec.expectedPredicates.filter((type) => !there.has(type))
  return absent.length === 0
    ? result(policy, null, 'satisfied', {})
    : result(policy, null, 'unsatisfied', { message: `Missing: ${absent.join(', ')}` })
}

function result(
  policy: PolicyDefinition,
  evidence: Evidence | null,
  status: WireResult['status'],
  details: WireResult['details'],
): WireResult {
  return {
    labels: resultLabels(policy),
    status,
    policyUri: policyUri(policy),
    policyDescription: policy.spec.description,
    policyRemediation: status === 'satisfied' ? '' : policy.spec.remediation,
    attestationUri: evidence?.attestationUri ?? null,
    sourcedFromUri: evidence?.sourcedFromUri ?? null,
    details,
  }
}

/** Which of the things used break the rule: all have to be listed, or none may be. */
function offenders<T>(
  strategy: 'must-match' | 'none-match',
  used: readonly T[],
  isListed: (one: T) => boolean,
): readonly T[] {
  return used.filter((one) => isListed(one) !== (strategy === 'must-match'))
}

function isOneOf(patterns: readonly string[] | undefined, text: string): boolean {
  return patterns === undefined || listed(patterns)(text)
}

function listed(patterns: readonly string[]): (text: string) => boolean {
  const matchers = patterns.map((pattern) => matcher(withoutEnd(pattern)))
  return (text) => matchers.some((matches) => matches(text))
}

/** `https://repo/maven2` and `https://repo/maven2/` are the same repository. */
function withoutEnd(uri: string): string {
  return uri.endsWith('/') ? uri.slice(0, -1) : uri
}

function withoutScheme(uri: string): string {
  return uri.replace(/^https?:\/\//i, '')
}

/**
 * Whether a package URL is one that a pattern means: `*` stands for any run of characters, and a
 * part that the pattern leaves out (a version, qualifiers) may be anything.
 */
export function packageMatcher(pattern: string): (purl: string) => boolean {
  const wanted = readPackageUrl(pattern)
  if (!wanted.ok) return matcher(pattern)
  const { type, namespace, name, version } = wanted.purl
  const matches = [
    part(type, (purl) => purl.type),
    part(namespace, (purl) => purl.namespace),
    part(name, (purl) => purl.name),
    part(version, (purl) => purl.version),
  ]
  const qualifiers = [...wanted.purl.qualifiers]
  return (text) => {
    const read = readPackageUrl(text)
    return (
      read.ok &&
      matches.every((isMatch) => isMatch(read.purl)) &&
      qualifiers.every(([key, value]) => read.purl.qualifiers.get(key) === value)
    )
  }
}

function part(
  pattern: string | undefined,
  partOf: (purl: PackageUrl) => string | undefined,
): (purl: PackageUrl) => boolean {
  if (pattern === undefined) return () => true
  const matches = matcher(pattern)
  return (purl) => matches(partOf(purl) ?? '')
}

/** Whether a text is one that a pattern means: `*` stands for any run of characters. */
export function matcher(pattern: string): (text: string) => boolean {
  const [first = '', ...rest] = pattern.split('*')
  return textMatcher([first, ...rest])
}
