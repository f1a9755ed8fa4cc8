import { z } from 'zod'
import { decode } from '../../../attestation/decode.ts'
import { readKeys } from '../../../attestation/keys/read-keys.ts'
import { threshold } from '../../../attestation/signatures/signature-verdict.ts'
import { verify } from '../../../attestation/verify.ts'
import { attestationPath, type PackageAddress } from '../../../protocol/package-address.ts'
import type { StoredAttestation } from '../../store/attestations.ts'

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
type TrustedKeys = Readonly<
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

const Stored = z.looseObject({
  payload: z.string(),
  signatures: z.array(z.looseObject({ keyid: z.string().optional() })),
})
const Statement = z.looseObject({ predicateType: z.string(), predicate: z.unknown() })

/** A stored attestation as policies see it. */
export function storedEvidence(address: PackageAddress, stored: StoredAttestation): Evidence {
  const [digestType = '', digest = ''] = stored.digest.split(':')
  const { attestationId: id, instance, envelope } = stored
  const { payload, signatures } = Stored.parse(JSON.parse(envelope))
  const text = Buffer.from(payload, 'base64').toString('utf8')
  const { predicateType, predicate } = Statement.parse(JSON.parse(text))
  return {
    attestationUri: attestationPath({ ...address, digestType, digest, instance, id }),
    sourcedFromUri: stored.sourcedFromUri,
    predicateType,
    predicate,
    keyIds: signatures.flatMap(({ keyid }) => (keyid === undefined ? [] : [keyid])),
    signedBy: (keys) => verifiedBy(envelope, keys),
  }
}

async function verifiedBy(envelope: string, trusted: TrustedKeys): Promise<readonly string[]> {
  const { keys } = readKeys(JSON.stringify(trusted))
  const decoded = decode(envelope)
  if (!decoded.ok || decoded.envelope === undefined) return []
  return threshold(await verify(decoded.envelope, keys)).keys.map(({ name }) => name)
}

/**
 * A place where attestations are stored: `s3:<name>` or `af:<name>`
 * (docs/services.md#store-instances).
 */
export interface StoreInstance {
  readonly name: string
  /** Refuses everything: to practise a failure half way with. */
  readonly isDown?: boolean
}

/** What is configured where nothing else is. */
export const usualInstances: readonly StoreInstance[] = [
  { name: 'af:evidence' },
  { name: 's3:archive' },
]

/** Whether a text has the form of an instance identifier. */
export function isInstanceName(text: string): boolean {
  return /^(?:s3|af):[\w.-]+$/.test(text)
}

/** Where an attestation goes: provenance into the last store, all else into the first one. */
export function instanceFor(
  predicateType: string,
  instances: readonly StoreInstance[],
): StoreInstance | undefined {
  return predicateType === predicateTypes.provenance ? instances.at(-1) : instances[0]
}
