import type { Insertable } from 'kysely'
import { BuildMessage } from '../../protocol/build-message.ts'
import type { Facts } from '../../protocol/facts.ts'
import type { Schema } from './schema.ts'

/** A build as a listing answers it. */
export interface StoredBuild {
  /** Its place in the order of receipt, from 1, not without gaps. */
  readonly position: number
  readonly buildId: string
  readonly toolType: string
  /** Whether all its events are stored. */
  readonly readable: boolean
  /** Its Build message of version 2 as JSON text. */
  readonly text: string
}

/** Its Build message, decoded. */
export function messageOf(build: StoredBuild): BuildMessage {
  return BuildMessage.parse(JSON.parse(build.text))
}

/** The columns of a listing, and what they become. */
export const listingColumns = ['seq', 'build_id', 'tool_type', 'readable', 'message'] as const

export function storedBuild(row: {
  seq: number
  build_id: string
  tool_type: string
  readable: number
  message: string
}): StoredBuild {
  return {
    position: row.seq,
    buildId: row.build_id,
    toolType: row.tool_type,
    readable: row.readable === 1,
    text: row.message,
  }
}

/** A build as its row; what the facts do not tell stays empty. */
export function buildRow(message: BuildMessage, readable: boolean): Insertable<Schema['builds']> {
  return {
    build_id: message.buildId,
    received_at: message.timestamp,
    tool_type: plain(message.toolType),
    tool_version: plain(message.toolVersion),
    agent_version: plain(message.agentVersion),
    readable: readable ? 1 : 0,
    message: JSON.stringify(message),
  }
}

/** The columns that facts fill. */
export function factColumns(
  facts: Facts | undefined,
): Pick<Insertable<Schema['builds']>, 'project' | 'user_name' | 'hostname' | 'outcome'> &
  Pick<Insertable<Schema['builds']>, 'start_time' | 'duration_ms'> {
  return {
    project: plainOrNull(facts?.project),
    user_name: plainOrNull(facts?.user),
    hostname: plainOrNull(facts?.hostname),
    outcome: facts?.outcome ?? null,
    start_time: facts?.startTime ?? null,
    duration_ms: facts?.durationMs ?? null,
  }
}

/** Neither database can hold NUL in a text: one refuses it, the other cuts the text there. */
function plain(text: string): string {
  return text.replaceAll('\0', '')
}

function plainOrNull(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : plain(text)
}
