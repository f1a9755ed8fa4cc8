import * as z from 'zod/mini'
import { OfferedWall, Wall } from './wall.ts'

/** Where the proxy tells the browser how it is set up; nothing in it is secret. */
export const configPath = '/config'

/** How one upstream is served: a real server by address, the embedded services, or not at all. */
const UpstreamConfig = z.looseObject({
  kind: z.enum(['embedded', 'server', 'none']),
  /** What the addresses of the pages of a server begin with, for links to them; else null. */
  origin: z.nullable(z.string()),
})

/** A search that everybody who uses this proxy is offered. */
const SavedQuery = z.looseObject({
  name: z.string(),
  /** In docs/services.md#advanced-search-syntax. */
  query: z.string(),
  description: z.optional(z.string()),
})
export type SavedQuery = z.infer<typeof SavedQuery>

const OfferedPackage = z.looseObject({
  purl: z.string(),
  sha256: z.string(),
  repositoryUrl: z.string(),
  /** Names of the policy scans that it is for. */
  scans: z._default(z.array(z.string()), []),
  /** Whom it belongs to: a team or a person. */
  owner: z.optional(z.string()),
})
export type OfferedPackage = z.infer<typeof OfferedPackage>

/** A release board that everybody who uses this proxy is offered. */
const ReleaseBoard = z.looseObject({
  /** The last segment of its address: `/board/<name>`. */
  name: z.string().check(z.minLength(1)),
  title: z.optional(z.string()),
  packages: z.array(OfferedPackage),
  /** Names of policy scans: the columns. A package that names its own is asked for those of them only. */
  scans: z.array(z.string()),
  /**
   * Policies that must have been checked: names, `Kind/Name` or URIs, `high` for all of that severity or worse,
   * `all` for every one. What was not applicable of them, and a name that no scan of a package has, keeps it from being released.
   */
  require: z._default(z.array(z.string()), []),
})
export type ReleaseBoard = z.infer<typeof ReleaseBoard>

/** Whom a certificate must name, and who must have vouched for it: by whole values. */
export const TrustedIdentity = z.object({
  name: z.string(),
  issuer: z.string(),
  /** Either the identity or a pattern that all of it matches. */
  identity: z.optional(z.string()),
  identityRegexp: z.optional(z.string()),
})
export type TrustedIdentity = z.infer<typeof TrustedIdentity>

/** Which keyless Sigstore signatures count (docs/attestations.md#keyless-bundles). */
const SigstoreTrust = z.object({
  /** A `trusted_root.json`: the authorities, logs and their keys. Decoded where it is used. */
  trustedRoot: z.record(z.string(), z.json()),
  identities: z.array(TrustedIdentity),
})
export type SigstoreTrust = z.infer<typeof SigstoreTrust>

/** Decodes a `trusted_root.json` (sigstore_trustroot.proto), as its tools write it. */
export function readTrustedRoot(value: unknown) {
  const text = (usual: string) => z._default(z.string(), usual)
  const validFor = z.prefault(
    z.object({ start: text('1970-01-01T00:00:00Z'), end: text('9999-12-31T23:59:59Z') }),
    {},
  )
  const keyId = z.object({ keyId: z.string() })
  const Log = z.pipe(
    z.object({
      baseUrl: text(''),
      hashAlgorithm: text('SHA2_256'),
      publicKey: z.object({ rawBytes: z.string(), keyDetails: z.string(), validFor }),
      logId: z.optional(keyId),
      /** What the logs of Rekor 2 are named by. */
      checkpointKeyId: z.optional(keyId),
    }),
    z.transform(({ logId, checkpointKeyId, ...log }) => ({
      ...log,
      logId: logId ?? checkpointKeyId ?? { keyId: '' },
    })),
  )
  const certificates = z.array(z.object({ rawBytes: z.string() })).check(z.minLength(1))
  const Authority = z.object({
    subject: z.prefault(z.object({ organization: text(''), commonName: text('') }), {}),
    uri: text(''),
    certChain: z.object({ certificates }),
    validFor,
  })
  const Root = z.object({
    mediaType: text(''),
    tlogs: z._default(z.array(Log), []),
    certificateAuthorities: z.array(Authority).check(z.minLength(1)),
    ctlogs: z._default(z.array(Log), []),
    timestampAuthorities: z._default(z.array(Authority), []),
  })
  return Root.safeParse(value)
}
export type TrustedRoot = NonNullable<ReturnType<typeof readTrustedRoot>['data']>

/** What everybody who uses this proxy is offered: from its configuration, and nothing of it secret. */
export const SharedConfig = z.looseObject({
  /** In the order of the configuration file. */
  savedQueries: z._default(z.array(SavedQuery), []),
  /** Public keys by name, as policy files have them: whose signatures count. */
  trustedKeys: z._default(
    z.record(
      z.string(),
      z.object({
        pem: z.optional(z.string()),
        pemBase64: z.optional(z.string()),
        /** Key ids that signers write for it, where they are no fingerprint of it. */
        keyIds: z.optional(z.array(z.string())),
      }),
    ),
    {},
  ),
  sigstore: z.optional(SigstoreTrust),
  packages: z._default(z.array(OfferedPackage), []),
  boards: z._default(z.array(ReleaseBoard), []),
  walls: z._default(z.array(Wall), []),
  /** The default branch of projects, by name, where it is not to be learned from their builds. */
  defaultBranches: z._default(z.record(z.string(), z.string()), {}),
  /** Who looks after tests, by the beginning of a class or a task's path. */
  tests: z._default(z.looseObject({ owners: z.record(z.string(), z.string()) }), { owners: {} }),
  /** Whether pages offer something to try: on the whole demo company, never beside a real server. */
  tips: z.optional(z.boolean()),
})
export type SharedConfig = z.infer<typeof SharedConfig>

/** The answer of `GET /config`. */
export const ProxyConfig = z.extend(SharedConfig, {
  version: z.string(),
  signIn: z.enum(['none', 'tokens', 'header', 'oidc']),
  upstreams: z.looseObject({ buildData: UpstreamConfig, governor: UpstreamConfig }),
  /** Whether admins may create access tokens for the build server. */
  createTokens: z._default(z.boolean(), false),
  /** Whether evidence bundles are made here: the static demo has no room for it. */
  bundles: z._default(z.boolean(), true),
  /** How many builds the live feed replays to a reader at most. */
  liveHistory: z.int().check(z.nonnegative()),
  /** Those of the file, those that are saved, and the demo's. */
  walls: z._default(z.array(OfferedWall), []),
})
export type ProxyConfig = z.infer<typeof ProxyConfig>

/** The build server's own page of a build (docs/services.md#build-page-links); the embedded one has none. */
export function scanAddress(
  server: ProxyConfig['upstreams']['buildData'] | undefined,
  buildId: string,
): string | undefined {
  return server?.kind === 'server' && server.origin !== null
    ? `${server.origin}/s/${buildId}`
    : undefined
}
