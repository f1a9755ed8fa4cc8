import { parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { reasonOf } from '../../../protocol/parsed-text.ts'

const labels = z.record(z.string(), z.string())
const metadata = z.looseObject({ name: z.string().regex(/^[\w.-]+$/), labels: labels.default({}) })
const texts = z.array(z.string().min(1))

/** What every policy says, whatever its kind. */
const common = {
  description: z.string().default(''),
  remediation: z.string().default(''),
  /** Which labels its results carry; servers name it either way. */
  labels: labels.optional(),
  resultsLabels: labels.optional(),
}

const matchingStrategy = z.enum(['must-match', 'none-match'])

const score = z.number().int().min(0).max(100)
const days = z.number().int().nonnegative()
const severity = z.enum(['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'])

function policy<K extends string, S extends z.ZodRawShape>(kind: K, spec: S) {
  return z.looseObject({
    apiVersion: z.literal('policy.gradle.com/v1'),
    kind: z.literal(kind),
    metadata,
    spec: z.object({ ...common, ...spec }),
  })
}

/** The kinds of policies (docs/services.md#policy-kinds), as their YAML has them. */
export const PolicyDefinition = z.discriminatedUnion('kind', [
  policy('BuildTool', {
    matchingStrategy,
    buildTools: z.array(
      z.object({
        toolType: z.string(),
        toolVersions: texts.optional(),
        agentVersions: texts.optional(),
      }),
    ),
  }),
  policy('JavaToolchains', {
    matchingStrategy,
    toolchains: z.array(z.object({ vendor: z.string(), versions: texts.optional() })),
  }),
  policy('ResolvedDependenciesRepositories', { matchingStrategy, uris: texts }),
  policy('PackageUrl', { matchingStrategy, purls: texts }),
  policy('PublishRepositories', { matchingStrategy, uris: texts }),
  policy('AttestationsExist', { expectedPredicates: texts }),
  policy('TrustedPublicKeys', {
    keys: z.record(
      z.string(),
      z.object({ pem: z.string().optional(), pemBase64: z.string().optional() }),
    ),
  }),
  policy('DependencyScoring', {
    /** The lowest score that passes; 0 only informs. */
    baseline: score.default(0),
    tiers: z.array(z.object({ name: z.string(), minScore: score })).default([]),
    weightRules: z
      .object({
        categoryWeights: z
          .object({ VULNERABILITY: score, UPGRADE: score })
          .refine(({ VULNERABILITY, UPGRADE }) => VULNERABILITY + UPGRADE === 100, {
            error: 'the weights must add up to 100',
          }),
      })
      .default({ categoryWeights: { VULNERABILITY: 50, UPGRADE: 50 } }),
    scoringRules: z
      .object({
        /** Days that a fix may wait, by severity; the first rule that fits a package counts. */
        vulnerability: z
          .array(z.object({ purlPatterns: texts, slo: z.partialRecord(severity, days) }))
          .default([]),
        /** Days that a newer release may wait. */
        upgrade: z
          .array(
            z.object({
              purlPatterns: texts,
              strategy: z.enum(['PATCH', 'MINOR', 'MAJOR']),
              sloDays: days,
            }),
          )
          .default([]),
      })
      .default({ vulnerability: [], upgrade: [] }),
  }),
  policy('VerificationSummary', {
    /** The scans that have to have passed, by the end of their policy URI. */
    policyScans: texts,
  }),
])
export type PolicyDefinition = z.infer<typeof PolicyDefinition>

/** A named scan: the policies whose labels include all of `matchLabels`. */
const ScanDefinition = z.looseObject({
  apiVersion: z.literal('policy.gradle.com/v1'),
  kind: z.literal('PolicyScanDefinition'),
  metadata,
  spec: z.looseObject({
    description: z.string().default(''),
    policySelector: z.object({ matchLabels: labels }),
  }),
})
type ScanDefinition = z.infer<typeof ScanDefinition>

/** `/policies/<kind>/<name>` (docs/services.md#policy-result). */
export function policyUri({ kind, metadata: { name } }: PolicyDefinition | ScanDefinition): string {
  return `/policies/${kind}/${name}`
}

/** The labels that results of a policy carry. */
export function resultLabels({ spec }: PolicyDefinition): Readonly<Record<string, string>> {
  return spec.resultsLabels ?? spec.labels ?? {}
}

/** All policies and scans that a service knows. */
export interface PolicySet {
  readonly policies: readonly PolicyDefinition[]
  readonly scans: readonly ScanDefinition[]
}

/** A scan, with the policies that its selector takes. */
export interface SelectedScan {
  readonly scan: ScanDefinition
  readonly policies: readonly PolicyDefinition[]
}

/**
 * Reads policies from YAML, several documents separated by `---`. Throws an Error that names each
 * mistake with its document and line; policies are part of a configuration, not of a request.
 */
export function readPolicySet(yaml: string): PolicySet {
  const mistakes: string[] = []
  const policies: PolicyDefinition[] = []
  const scans: ScanDefinition[] = []
  for (const [index, document] of parseAllDocuments(yaml).entries()) {
    const where = `document ${index + 1}`
    for (const error of document.errors) mistakes.push(`${where}: ${error.message}`)
    if (document.errors.length > 0) continue
    let value: unknown
    try {
      value = document.toJS()
    } catch (error) {
      // An alias of nothing, or aliases that multiply without end.
      mistakes.push(`${where}: ${reasonOf(error)}`)
      continue
    }
    if (value === null) continue
    const isScan = z.looseObject({ kind: z.literal('PolicyScanDefinition') }).safeParse(value)
    const read = isScan.success
      ? ScanDefinition.safeParse(value)
      : PolicyDefinition.safeParse(value)
    if (!read.success) mistakes.push(...read.error.issues.map((issue) => issueText(where, issue)))
    else if (read.data.kind === 'PolicyScanDefinition') scans.push(read.data)
    else policies.push(read.data)
  }
  if (mistakes.length > 0) throw new Error(`Can't read the policies: ${mistakes.join('; ')}`)
  return { policies, scans }
}

/** The scan of this name, in any case as real servers have it; undefined where there is none. */
export function selectScan(set: PolicySet, name: string): SelectedScan | undefined {
  const wanted = name.toLowerCase()
  const scan = set.scans.find((one) => one.metadata.name.toLowerCase() === wanted)
  if (scan === undefined) return undefined
  const selector = Object.entries(scan.spec.policySelector.matchLabels)
  const policies = set.policies.filter(({ metadata }) =>
    selector.every(([label, value]) => metadata.labels[label] === value),
  )
  return { scan, policies }
}

function issueText(where: string, issue: z.core.$ZodIssue): string {
  return `${where}: ${[...issue.path.map(String), issue.message].join(' ')}`
}
