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
  project: string | null
  user_name: string | null
  hostname: string | null
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

/** All tables, as the newest migration leaves them. */
export interface Schema {
  builds: BuildsTable
  build_attributes: BuildAttributesTable
  event_chunks: EventChunksTable
  removed_builds: RemovedBuildsTable
}
