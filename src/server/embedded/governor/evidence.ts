import { z } from 'zod'

/** A stored attestation as policies see it. */
export interface Evidence {
  /** Where it is fetched (docs/services.md#fetch-attestation). */
  readonly attestationUri: string
  readonly sourcedFromUri: string | null
  readonly predicateType: string
  readonly predicate: unknown
  /** The names of those keys that one of its signatures verifies with. */
  readonly signedBy: (keys: TrustedKeys) => Promise<readonly string[]>
  /** Key ids as its signatures name them. */
  readonly keyIds: readonly string[]
}

/** Public keys by name, as the policy TrustedPublicKeys has them. */
export type TrustedKeys = Readonly<
  Record<string, { readonly pem?: string | undefined; readonly pemBase64?: string | undefined }>
>

export const predicateTypes = {
  buildTool: 'https://gradle.com/attestation/build-tool/v1',
  javaToolchains: 'https://gradle.com/attestation/java-toolchains/v1',
  resolvedDependencies: 'https://gradle.com/attestation/resolved-dependencies/v1',
  resolvedDependenciesRepositories:
    'https://gradle.com/attestation/resolved-dependencies-repositories/v1',
  dependencyInsights: 'https://policies.gradle.com/dependency-insights/v1',
  publishRepositories: 'https://gradle.com/attestation/publish-repositories/v1',
  verificationSummary: 'https://slsa.dev/verification_summary/v1',
  provenance: 'https://slsa.dev/provenance/v1',
} as const

const text = z.string()

export const BuildToolPredicate = z.looseObject({
  toolType: text,
  toolVersion: text,
  agentVersion: text.optional(),
})
export const JavaToolchainsPredicate = z.looseObject({
  toolchains: z.array(z.looseObject({ vendor: text, versions: z.array(text) })),
})
export const UrisPredicate = z.looseObject({ uris: z.array(text) })
export const PurlsPredicate = z.looseObject({ purls: z.array(text) })
export const VerificationSummaryPredicate = z.looseObject({
  verificationResult: text,
  policy: z.looseObject({ uri: text }),
})

const Upgrade = z.looseObject({
  version: text,
  publishedTime: z.iso.datetime(),
  vulnerabilitiesRemainingAfterUpgrade: z.number().default(0),
})
const Insight = z.looseObject({
  versions: z.looseObject({
    latestPatch: Upgrade.optional(),
    latestMinor: Upgrade.optional(),
    latestMajor: Upgrade.optional(),
  }),
  vulnerabilities: z
    .array(
      z.looseObject({
        id: text,
        severity: z.array(z.looseObject({ type: text, score: text })).default([]),
      }),
    )
    .default([]),
})
export const DependencyInsightsPredicate = z.looseObject({
  verifiedTime: z.iso.datetime(),
  purls: z.record(text, Insight),
})
export type DependencyInsights = z.output<typeof DependencyInsightsPredicate>
