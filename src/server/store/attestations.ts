import type { Database } from './database.ts'

/** A signed attestation of a package, as it is kept. */
export interface StoredAttestation {
  /** Unique in all stores. */
  readonly attestationId: string
  /** The path of the package (protocol/package-address.ts). */
  readonly packagePath: string
  /** `sha256:` and lower-case hex. */
  readonly digest: string
  readonly repositoryUrl: string
  /** The store instance it lies in, such as `af:evidence`. */
  readonly instance: string
  readonly predicateType: string
  readonly sourcedFromUri: string | null
  /** Epoch ms. */
  readonly createdAt: number
  /** The DSSE envelope as JSON text. */
  readonly envelope: string
}

/** Which attestations: those of one artifact, in one repository where that is said. */
export interface AttestationsOf {
  readonly packagePath: string
  readonly digest: string
  readonly repositoryUrl?: string
}

/** Stores attestations, all or none of them. */
export async function addAttestations(
  { kysely }: Database,
  attestations: readonly StoredAttestation[],
): Promise<void> {
  if (attestations.length === 0) return
  await kysely
    .insertInto('attestations')
    .values(
      attestations.map((one) => ({
        attestation_id: one.attestationId,
        package_path: one.packagePath,
        digest: one.digest,
        repository_url: one.repositoryUrl,
        instance: one.instance,
        predicate_type: one.predicateType,
        sourced_from_uri: one.sourcedFromUri,
        created_at: one.createdAt,
        envelope: one.envelope,
      })),
    )
    .execute()
}

/** The attestations of an artifact, oldest first. */
export async function attestationsOf(
  { kysely }: Database,
  { packagePath, digest, repositoryUrl }: AttestationsOf,
): Promise<StoredAttestation[]> {
  let query = kysely
    .selectFrom('attestations')
    .selectAll()
    .where('package_path', '=', packagePath)
    .where('digest', '=', digest)
    .orderBy('seq')
  if (repositoryUrl !== undefined) query = query.where('repository_url', '=', repositoryUrl)
  return (await query.execute()).map(stored)
}

/** One attestation by its id; undefined where there is none. */
export async function findAttestation(
  { kysely }: Database,
  attestationId: string,
): Promise<StoredAttestation | undefined> {
  const row = await kysely
    .selectFrom('attestations')
    .selectAll()
    .where('attestation_id', '=', attestationId)
    .executeTakeFirst()
  return row === undefined ? undefined : stored(row)
}

/** Whether anything has been stored yet. */
export async function hasAttestations({ kysely }: Database): Promise<boolean> {
  const row = await kysely.selectFrom('attestations').select('seq').limit(1).executeTakeFirst()
  return row !== undefined
}

/** Removes all that is stored. */
export async function forgetAttestations({ kysely }: Database): Promise<void> {
  await kysely.deleteFrom('attestations').execute()
}

/**
 * The secret of this name (a private key as PEM, an access key); `make` gives one where there is none
 * yet. Two processes that ask at once get the same.
 */
export async function keptSecret(
  { kysely }: Database,
  name: string,
  make: () => string | Promise<string>,
): Promise<string> {
  const find = () =>
    kysely
      .selectFrom('signing_keys')
      .select('private_pem')
      .where('name', '=', name)
      .executeTakeFirst()
  const known = await find()
  if (known !== undefined) return known.private_pem
  await kysely
    .insertInto('signing_keys')
    .values({ name, private_pem: await make() })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  return (await find())?.private_pem ?? ''
}

interface Row {
  readonly attestation_id: string
  readonly package_path: string
  readonly digest: string
  readonly repository_url: string
  readonly instance: string
  readonly predicate_type: string
  readonly sourced_from_uri: string | null
  readonly created_at: number
  readonly envelope: string
}

function stored(row: Row): StoredAttestation {
  return {
    attestationId: row.attestation_id,
    packagePath: row.package_path,
    digest: row.digest,
    repositoryUrl: row.repository_url,
    instance: row.instance,
    predicateType: row.predicate_type,
    sourcedFromUri: row.sourced_from_uri,
    createdAt: row.created_at,
    envelope: row.envelope,
  }
}
