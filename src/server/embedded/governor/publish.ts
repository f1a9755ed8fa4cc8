import { derElement, derInteger } from '../../../attestation/decode/der.ts'
import { pae } from '../../../attestation/signatures/pae.ts'
import type { Clock } from '../../../protocol/clock.ts'
import {
  type AttestationAddress,
  attestationPath,
  type PackageAddress,
  packagePath,
} from '../../../protocol/package-address.ts'
import { packageUrl, packageUrlText } from '../../../protocol/package-url.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import { addAttestations, keptSecret } from '../../store/attestations.ts'
import type { Database } from '../../store/database.ts'
import { instanceFor, predicateTypes, PurlsPredicate, type StoreInstance } from './evidence.ts'
import { externalFailure } from './governor-problem.ts'
import type { PackageRequest } from './package-request.ts'
import {
  type BuildClaim,
  type ClaimedBuild,
  claimsOfBuild,
  insightsClaim,
  publishClaim,
} from './statements-of-build.ts'

/** What publishing stands on. */
export interface Publishing {
  readonly database: Database
  readonly clock: Clock
  /** 0 to 1; for the ids of attestations. */
  readonly random: () => number
  readonly signer: Signer
  readonly instances: readonly StoreInstance[]
}

/** What became of one attestation, as it is answered. */
export interface PublishResult {
  readonly status: 'SUCCESS' | 'FAILED'
  readonly attestationUri: string | null
  readonly sourcedFromUri: string | null
  readonly details: {
    readonly storeName: string
    readonly storeType: string
    readonly predicateType: string
    readonly message?: string
  }
}

/** One attestation that was to be stored: what became of it, and what the store was sent. */
export interface Publication {
  readonly result: PublishResult
  /** The DSSE envelope as JSON text; undefined where the store could not be reached. */
  readonly envelope?: string
  readonly storedAt?: { readonly name: string; readonly createdAt: number }
}

/**
 * Signs and stores what builds say of a package, one attestation for each claim, and reports each as
 * soon as it is stored; what is known of the dependencies is attested behind them. A store that is down refuses its own and leaves the others be.
 */
export async function* publish(
  publishing: Publishing,
  address: PackageAddress,
  { sha256, repositoryUrl }: PackageRequest,
  user: string,
  builds: readonly ClaimedBuild[],
): AsyncGenerator<Publication, void, undefined> {
  const { database, clock, random, signer, instances } = publishing
  const subject = [{ name: subjectName(address, sha256, repositoryUrl), digest: { sha256 } }]
  const claims = [
    ...builds.flatMap((build) =>
      claimsOfBuild(build).map((claim) => ({ claim, source: build.buildScanUri })),
    ),
    { claim: publishClaim(repositoryUrl, clock.now(), user), source: null },
  ]
  for (const { claim, source } of claims) {
    const about = yield* store(claim, source)
    if (about === undefined || claim.predicateType !== predicateTypes.resolvedDependencies) continue
    const { purls } = PurlsPredicate.parse(claim.predicate)
    yield* store(insightsClaim(purls, about, clock.now()), source)
  }

  async function* store(
    claim: BuildClaim,
    source: string | null,
  ): AsyncGenerator<Publication, string | undefined, undefined> {
    const instance = instanceFor(claim.predicateType, instances)
    if (instance === undefined || instance.isDown === true) {
      yield { result: result('FAILED', instance?.name ?? 'none', claim, null, source) }
      return undefined
    }
    const stored = {
      ...address,
      digestType: 'sha256',
      digest: sha256,
      instance: instance.name,
      id: attestationId(claim, clock.now(), random),
    }
    const createdAt = clock.now()
    const envelope = await signer.envelope({
      _type: 'https://in-toto.io/Statement/v1',
      subject,
      predicateType: claim.predicateType,
      predicate: claim.predicate,
    })
    await addAttestations(database, [
      {
        attestationId: stored.id,
        packagePath: packagePath(address),
        digest: `sha256:${sha256}`,
        repositoryUrl,
        instance: instance.name,
        predicateType: claim.predicateType,
        sourcedFromUri: source,
        createdAt,
        envelope,
      },
    ])
    yield {
      result: result('SUCCESS', instance.name, claim, stored, source),
      envelope,
      storedAt: { name: storedName(stored.id), createdAt },
    }
    return attestationPath(stored)
  }
}

function result(
  status: PublishResult['status'],
  instance: string,
  { predicateType }: BuildClaim,
  stored: AttestationAddress | null,
  source: string | null,
): PublishResult {
  const [type = '', name = ''] = instance.split(':')
  return {
    status,
    attestationUri: stored === null ? null : attestationPath(stored),
    sourcedFromUri: source,
    details: {
      storeName: name,
      storeType: type === 's3' ? 's3' : 'artifactory',
      predicateType,
      ...(stored === null ? { message: `Can't reach the store ${instance}.` } : {}),
    },
  }
}

/** The base64url of a path in the store: what it is, when it was made, and what distinguishes it. */
function attestationId({ predicateType }: BuildClaim, now: number, random: () => number): string {
  const slug =
    predicateType
      .replace(/\/v\d+$/, '')
      .split('/')
      .at(-1) ?? 'attestation'
  const own = Array.from({ length: 12 }, () => Math.floor(random() * 16).toString(16)).join('')
  return Buffer.from(`.evidence/${slug}-${now}-${own}.json`, 'utf8').toString('base64url')
}

function storedName(id: string): string {
  return Buffer.from(id, 'base64url').toString('utf8').replace(/^.*\//, '')
}

/** As real subjects are named: a package URL whose version is the digest, with the tag beside it. */
function subjectName(address: PackageAddress, sha256: string, repositoryUrl: string): string {
  const isImage = address.type === 'oci'
  const built = packageUrl({
    type: address.type,
    namespace: isImage ? undefined : address.namespace,
    name: address.name,
    version: isImage ? `sha256:${sha256}` : address.version,
    qualifiers: [
      ['repository_url', repositoryUrl],
      ['tag', isImage ? address.version : ''],
    ],
  })
  return built.ok ? packageUrlText(built.purl) : packagePath(address)
}

/**
 * All of a publication at once; `request` is repeated in it. Where a store refused some, or the
 * work fails when something is stored already, it throws a ProblemError (500) that lists in
 * `successes` and `errors` what became of each; the reason of such a failure goes to `failed`, as it
 * is none of the client's.
 */
export async function publishAll(
  publications: AsyncIterable<Publication>,
  request: object,
  failed: (error: unknown) => void,
): Promise<readonly Publication[]> {
  const all: Publication[] = []
  const partial = (reason: string): ProblemError =>
    externalFailure(reason, {
      request,
      successes: storeExchanges(all.filter(isStored)),
      errors: storeExchanges(all.filter((one) => !isStored(one))),
    })
  try {
    for await (const one of publications) all.push(one)
  } catch (error) {
    if (error instanceof ProblemError || !all.some(isStored)) throw error
    failed(error)
    throw partial('publishing stopped early; see successes for what was stored')
  }
  if (all.every(isStored)) return all
  throw partial('a store rejected some attestations; see errors for details')
}

function isStored({ result }: Publication): boolean {
  return result.status === 'SUCCESS'
}

/** What was sent to the stores and what they answered (docs/services.md#publish-responses). */
export function storeExchanges(publications: readonly Publication[]): object[] {
  return publications.map(({ result, envelope, storedAt }) => {
    const { attestationUri, details } = result
    const body: unknown = envelope === undefined ? undefined : JSON.parse(envelope)
    return {
      storeType: details.storeType,
      storeUri: details.storeName,
      ...(body === undefined ? {} : { storeRequest: { uri: attestationUri, body } }),
      storeResponse: {
        predicate_type: details.predicateType,
        message: details.message ?? null,
        uri: attestationUri,
        ...(storedAt !== undefined && {
          name: storedAt.name,
          created_at: new Date(storedAt.createdAt).toISOString(),
          verified: true,
        }),
      },
    }
  })
}

/** Signs statements. */
export interface Signer {
  /** SHA-256 of the public key as DER, lower-case hex. */
  readonly keyid: string
  /** The public key as PEM: what somebody trusts. */
  readonly publicPem: string
  /** The DSSE envelope of a statement, as JSON text. */
  readonly envelope: (statement: object) => Promise<string>
}

const payloadType = 'application/vnd.in-toto+json'

/** The signer of a database: its ECDSA P-256 key is made at the first start, and kept there. */
export async function openSigner(database: Database, name = 'release'): Promise<Signer> {
  const pem = await keptSecret(database, name, async () => {
    const { privateKey } = await crypto.subtle.generateKey(p256, true, ['sign', 'verify'])
    return pemOf('PRIVATE KEY', await crypto.subtle.exportKey('pkcs8', privateKey))
  })
  const pkcs8 = Buffer.from(pem.replace(/-----[A-Z ]+-----|\s/g, ''), 'base64')
  const key = await crypto.subtle.importKey('pkcs8', pkcs8, p256, true, ['sign'])
  // What is left out is what makes the key a private one.
  const { d: _d, key_ops: _use, ...publicJwk } = await crypto.subtle.exportKey('jwk', key)
  const publicKey = await crypto.subtle.importKey('jwk', publicJwk, p256, true, ['verify'])
  const spki = await crypto.subtle.exportKey('spki', publicKey)
  const keyid = Buffer.from(await crypto.subtle.digest('SHA-256', spki)).toString('hex')
  return {
    keyid,
    publicPem: pemOf('PUBLIC KEY', spki),
    envelope: async (statement) => {
      const payload = Buffer.from(JSON.stringify(statement), 'utf8')
      const rs = await crypto.subtle.sign(
        { name: 'ECDSA', hash: 'SHA-256' },
        key,
        pae(payloadType, payload),
      )
      return JSON.stringify({
        payload: payload.toString('base64'),
        payloadType,
        signatures: [{ keyid, sig: Buffer.from(derSignature(rs)).toString('base64') }],
      })
    },
  }
}

const p256 = { name: 'ECDSA', namedCurve: 'P-256' }

/** A key as text (RFC 7468): lines of 64 characters. */
function pemOf(label: string, der: ArrayBuffer): string {
  const lines = Buffer.from(der)
    .toString('base64')
    .replace(/.{1,64}/g, '$&\n')
  return `-----BEGIN ${label}-----\n${lines}-----END ${label}-----\n`
}

/** Signers write the two numbers of a signature as DER (RFC 3279 2.2.3), WebCrypto one behind the other. */
function derSignature(rs: ArrayBuffer): Uint8Array {
  const half = rs.byteLength / 2
  return derElement(
    0x30,
    derInteger(new Uint8Array(rs, 0, half)),
    derInteger(new Uint8Array(rs, half)),
  )
}
