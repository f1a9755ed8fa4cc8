import type { Generated } from 'kysely'

/** A build and the columns by which builds are searched. Times are epoch ms, durations ms. */
interface BuildsTable {
  /** The order of receipt: ids are not ordered and times may tie. Never used twice. */
  seq: Generated<number>
  build_id: string
  received_at: number
  tool_type: string
  tool_version: string
  agent_version: string
  /** 0 while its events are still being stored, 1 afterwards. */
  readable: number
  /** The build tool as `textKey` writes it. */
  tool_key: string
  outcome: string | null
  start_time: number | null
  duration_ms: number | null
  /** The Build message of version 2 as JSON. */
  message: string
}

/** Apart from the builds, so that a listing does not read past them. */
interface BuildAttributesTable {
  build_seq: number
  /** The model of the build's own tool as JSON. */
  attributes: string
}

/** What a search is evaluated on, apart as well. A build without a row is known by its message only. */
interface BuildFactsTable {
  build_seq: number
  /** `Facts` as JSON. */
  facts: string
}

/** The texts that builds are found by (search-terms.ts), each once. */
interface SearchTermsTable {
  id: Generated<number>
  text: string
}

/** Which builds have a text, in the order of receipt. */
interface BuildTermsTable {
  term: number
  build_seq: number
}

/** Builds whose positions divided by the size of a block are the same: when they started. */
interface StartBlocksTable {
  block: number
  earliest: number
  latest: number
}

/** One row: up to which position builds of an earlier release have yet to be made searchable. */
interface SearchBackfillTable {
  upto: number
}

/** The events of a build, some hundred to a row: small on disk, and streamed row by row. */
interface EventChunksTable {
  build_seq: number
  /** Sequence numbers of the first and last event in it, from 1. */
  first_id: number
  last_id: number
  /** The types of its events as a JSON array, so that a chunk without a wanted one is skipped. */
  types: string
  /** The events as NDJSON, gzip. */
  body: Uint8Array | ArrayBuffer
}

/** Builds that are gone: their ids still say where a reader was (research: real servers do so). */
interface RemovedBuildsTable {
  build_id: string
  seq: number
}

/** Signed attestations of packages. */
interface AttestationsTable {
  seq: Generated<number>
  attestation_id: string
  package_path: string
  /** `sha256:` and lower-case hex. */
  digest: string
  repository_url: string
  /** `s3:<name>` or `af:<name>`. */
  instance: string
  predicate_type: string
  sourced_from_uri: string | null
  created_at: number
  /** A DSSE envelope as JSON. */
  envelope: string
}

/** What the embedded service signs with. */
interface SigningKeysTable {
  name: string
  /** PKCS #8. */
  private_pem: string
}

/** All tables, as the newest migration leaves them. */
export interface Schema {
  builds: BuildsTable
  build_attributes: BuildAttributesTable
  build_facts: BuildFactsTable
  search_terms: SearchTermsTable
  build_terms: BuildTermsTable
  start_blocks: StartBlocksTable
  search_backfill: SearchBackfillTable
  event_chunks: EventChunksTable
  removed_builds: RemovedBuildsTable
  attestations: AttestationsTable
  signing_keys: SigningKeysTable
}
