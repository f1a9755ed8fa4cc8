import { factsFromAttributes } from '../../../facts/facts-from-attributes.ts'
import { factEventTypes, factsFromEvents } from '../../../facts/facts-from-events.ts'
import {
  attributesKey,
  attributesModel,
  buildPath,
  BuildSummary,
  type Models,
  toolsWithAttributes,
  type ToolWithAttributes,
} from '../../../protocol/build-data.ts'
import {
  type BuildEvent,
  buildEventsPath,
  decodeBuildEvent,
  type ExportVersion,
} from '../../../protocol/build-export.ts'
import type { BuildMessage } from '../../../protocol/build-message.ts'
import type { Clock } from '../../../protocol/clock.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { problemError } from '../../../protocol/problem.ts'
import { createSseReader } from '../../../protocol/sse.ts'
import type { UpstreamClient } from '../upstream/upstream-client.ts'
import { fetchBuildList } from './build-list.ts'
import { fetchUpstream, createWatchdog, fetchJson, plainBody } from './upstream-fetch.ts'

/**
 * What a build's own events say of it, read with as few event types as the facts need; undefined
 * where it has none. Throws a ProblemError with the status that the server answered (503 while the
 * build is still being stored), and when the stream breaks or falls silent.
 */
export async function eventFacts(
  client: UpstreamClient,
  clock: Clock,
  version: ExportVersion,
  build: BuildMessage,
  signal: AbortSignal,
): Promise<Facts | undefined> {
  const watchdog = createWatchdog(clock, idleMs, signal)
  try {
    const response = await fetchUpstream(client, clock, {
      path: buildEventsPath(version, build.buildId, factEventTypes),
      accept: 'text/event-stream',
      signal: watchdog.signal,
    })
    if (response === undefined) return undefined
    const collected = collectEvents()
    for await (const bytes of plainBody(response)) {
      watchdog.feed()
      if (!collected.feed(bytes)) {
        response.cancel()
        return factsFromEvents(build, collected.events())
      }
    }
    if (!collected.isAtBorder()) {
      const sentence = 'The build server closed the connection in the middle of an event.'
      throw problemError(502, 'events-cut', 'Incomplete response', sentence)
    }
    return factsFromEvents(build, collected.events())
  } finally {
    watchdog.stop()
  }
}

const idleMs = 30_000
/** Facts come from a handful of events; a server that ignores the filter sends up to 500,000. */
const maxEvents = 1_000_000

interface CollectedEvents {
  /** Takes the next bytes; false when that was enough. */
  readonly feed: (bytes: Uint8Array) => boolean
  readonly events: () => readonly BuildEvent[]
  /** Whether the bytes so far cut no message off. */
  readonly isAtBorder: () => boolean
}

function collectEvents(): CollectedEvents {
  const wanted = new Set(factEventTypes)
  let events: BuildEvent[] = []
  let read = 0
  const reader = createSseReader(
    {
      onMessage: ({ event, data }) => {
        read++
        // A second announcement starts the build again: what came before was cut off.
        if (event === 'Build') events = []
        if (event !== 'BuildEvent') return
        const decoded = decodeOrSkip(data)
        if (decoded !== undefined && wanted.has(decoded.type.eventType)) events.push(decoded)
      },
    },
    4 * 1024 * 1024,
  )
  return {
    feed: (bytes) => {
      reader.feed(bytes)
      return read < maxEvents
    },
    events: () => events,
    isAtBorder: reader.isAtBorder,
  }
}

function decodeOrSkip(data: string): BuildEvent | undefined {
  try {
    return decodeBuildEvent(data)
  } catch {
    return undefined
  }
}

/**
 * What the attributes say of one build.
 * - `later`: the server is still processing them, or does not list the build yet
 * - `none`: it has none for this build, or answers something else
 */
export type AttributeFacts = Facts | 'later' | 'none'

/** Whether there are attributes for builds of a tool at all. */
export function hasAttributes(build: BuildMessage): boolean {
  return toolOf(build) !== undefined
}

/**
 * Asks for the attributes of builds that follow one another, in one request where the build before
 * them is known. Throws a ProblemError with the status that the server answered.
 */
export async function attributeFacts(
  client: UpstreamClient,
  clock: Clock,
  builds: readonly BuildMessage[],
  previous: string | undefined,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, AttributeFacts>> {
  const models = [...new Set(builds.flatMap((build) => toolOf(build) ?? []))].map(attributesModel)
  const [only] = builds
  const isOne = builds.length === 1 || previous === undefined
  const items = !isOne
    ? await fetchBuildList(
        client,
        clock,
        // All are there already: the server needs not wait for more.
        { fromBuild: previous, maxBuilds: builds.length, maxWaitSecs: 1, models },
        signal,
      )
    : only === undefined
      ? []
      : [await fetchJson(client, clock, buildPath(only.buildId, models), signal)]
  const summaries = new Map(
    items.flatMap((item) => {
      const summary = BuildSummary.safeParse(item)
      return summary.success ? [[summary.data.id, summary.data.models]] : []
    }),
  )
  return new Map(
    builds.map((build) => [
      build.buildId,
      summaries.has(build.buildId) || isOne
        ? answerOf(build, summaries.get(build.buildId))
        : 'later',
    ]),
  )
}

function answerOf(build: BuildMessage, models: Models | undefined): AttributeFacts {
  const tool = toolOf(build)
  const own = tool === undefined ? undefined : models?.[attributesKey(tool)]
  if (models === undefined || own === undefined) return 'none'
  if (own.model !== undefined) return factsFromAttributes(build, models)
  return own.problem?.status === 503 ? 'later' : 'none'
}

function toolOf({ toolType }: BuildMessage): ToolWithAttributes | undefined {
  return toolsWithAttributes.find((tool) => tool === toolType)
}
