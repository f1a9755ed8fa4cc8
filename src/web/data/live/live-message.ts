import * as z from 'zod/mini'
import type { BuildMessage } from '../../../protocol/build-message.ts'
import { liveEvents, LiveFacts, LiveGap, LiveStatus } from '../../../protocol/live-feed.ts'
import type { StreamMessage } from '../core/event-source.ts'

/** A decoded message of the live feed. */
export type LiveMessage =
  /** Oldest first; `malformed` were among them and are left out. */
  | {
      readonly type: 'builds'
      readonly builds: readonly BuildMessage[]
      readonly malformed: number
    }
  | { readonly type: 'facts'; readonly facts: LiveFacts }
  | { readonly type: 'status'; readonly status: LiveStatus }
  /** `isPartial`: a new connection gets what is missing once the server is back. */
  | { readonly type: 'gap'; readonly isPartial: boolean }
  | { readonly type: 'malformed' }
  /** An event that this version does not know. */
  | { readonly type: 'other' }

/**
 * Reads a message of the live feed (protocol/live-feed.ts). Never throws: one that cannot be read
 * is reported, so that it can be counted and the stream goes on.
 */
export function decodeLiveMessage({ event, data }: StreamMessage): LiveMessage {
  switch (event) {
    case liveEvents.builds:
      return decodeBuilds(parse(data))
    case liveEvents.build:
      return decodeBuilds([parse(data)])
    case liveEvents.facts:
      return decodeAs(LiveFacts, data, (facts) => ({ type: 'facts', facts }))
    case liveEvents.status:
      return decodeAs(LiveStatus, data, (status) => ({ type: 'status', status }))
    case liveEvents.gap:
      return decodeAs(LiveGap, data, ({ again = false }) => ({ type: 'gap', isPartial: again }))
    default:
      return { type: 'other' }
  }
}

function decodeBuilds(values: unknown): LiveMessage {
  if (!Array.isArray(values) || values.length === 0) return { type: 'malformed' }
  // One pass without copying where all are well, as they nearly always are.
  if (values.every(isBuildMessage)) return { type: 'builds', builds: values, malformed: 0 }
  const builds = values.filter(isBuildMessage)
  return { type: 'builds', builds, malformed: values.length - builds.length }
}

function decodeAs<T>(
  schema: z.core.$ZodType<T>,
  data: string,
  message: (value: T) => LiveMessage,
): LiveMessage {
  const decoded = z.safeParse(schema, parse(data))
  return decoded.success ? message(decoded.data) : { type: 'malformed' }
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return undefined
  }
}

/**
 * Whether a value is what `BuildMessage` accepts, found out some thirty times faster than by the schema:
 * a catch-up of a million builds is read in a second. The tests hold the two equal; what is refused
 * here is given to the schema, which names the reason.
 */
export function isBuildMessage(value: unknown): value is BuildMessage {
  return (
    typeof value === 'object' &&
    value !== null &&
    'buildId' in value &&
    'timestamp' in value &&
    'toolType' in value &&
    'toolVersion' in value &&
    'agentVersion' in value &&
    typeof value.buildId === 'string' &&
    buildId.test(value.buildId) &&
    typeof value.timestamp === 'number' &&
    Number.isSafeInteger(value.timestamp) &&
    value.timestamp >= 0 &&
    typeof value.toolType === 'string' &&
    value.toolType !== '' &&
    typeof value.toolVersion === 'string' &&
    typeof value.agentVersion === 'string'
  )
}

const buildId = /^[\w.~-]{13}$/
