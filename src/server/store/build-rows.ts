import type { Insertable } from 'kysely'
import { BuildMessage } from '../../protocol/build-message.ts'
import type { Facts } from '../../protocol/facts.ts'
import type { Schema } from './schema.ts'
import { textKey } from './search-terms.ts'

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
    tool_key: textKey(message.toolType),
    outcome: null,
    start_time: null,
    duration_ms: null,
    message: JSON.stringify(message),
  }
}

/** The columns that facts fill. */
export function factColumns(
  facts: Facts,
): Pick<Insertable<Schema['builds']>, 'tool_key' | 'outcome' | 'start_time' | 'duration_ms'> {
  return {
    tool_key: textKey(facts.buildTool),
    outcome: facts.outcome ?? null,
    start_time: wholeOrNull(facts.startTime),
    duration_ms: wholeOrNull(facts.durationMs),
  }
}

/**
 * A number as its column has it: rounded down, and no further from 0 than both databases and
 * JavaScript agree on. It keeps the order of numbers, so that bounds are found by it.
 */
export function wholeNumber(value: number): number {
  return Math.floor(Math.min(Math.max(value, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER))
}

function wholeOrNull(value: number | null | undefined): number | null {
  return value === null || value === undefined ? null : wholeNumber(value)
}

/** Neither database can hold NUL in a text: one refuses it, the other cuts the text there. */
function plain(text: string): string {
  return text.replaceAll('\0', '')
}
