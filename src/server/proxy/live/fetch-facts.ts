import * as z from 'zod/mini'
import { factsFromAttributes } from '../../../facts/facts-from-attributes.ts'
import { factEventTypes, factsFromEvents } from '../../../facts/facts-from-events.ts'
import { createTestFacts, testEventTypes } from '../../../facts/test-cases.ts'
import type { OnUnreadable } from '../../../protocol/read-fields.ts'
import {
  attributesKey,
  attributesModel,
  buildPath,
  Models,
  toolsWithAttributes,
  type ToolWithAttributes,
} from '../../../protocol/build-data.ts'
import {
  type BuildEvent,
  buildEventsPath,
  decodeBuildEvent,
} from '../../../protocol/build-export.ts'
import { BuildId, type BuildMessage } from '../../../protocol/build-message.ts'
import type { Clock } from '../../../protocol/clock.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { problemError } from '../../../protocol/problem.ts'
import { createSseReader } from '../../../protocol/sse.ts'
import type { UpstreamClient } from '../upstream/upstream-client.ts'
import { fetchBuildList } from './build-list.ts'
import type { OnLoss } from './build-reader.ts'
import { fetchUpstream, createWatchdog, fetchJson, plainBody } from './upstream-fetch.ts'

/** Where facts come from, and who notes what could not be read of them. */
export interface FactsSource {
  readonly client: UpstreamClient
  readonly clock: Clock
  readonly onLoss: OnLoss
}

/**
 * What a build's own events say of it, read with as few event types as the facts need; undefined
 * where it has none. Throws a ProblemError with the status that the server answered (503 while the
 * build is still being stored), and when the stream breaks or falls silent.
 */
export async function eventFacts(
  { client, clock, onLoss }: FactsSource,
  build: BuildMessage,
  signal: AbortSignal,
): Promise<Facts | undefined> {
  const watchdog = createWatchdog(clock, idleMs, signal)
  try {
    const response = await fetchUpstream(client, clock, {
      path: buildEventsPath('v2', build.buildId, factEventTypes),
      accept: 'text/event-stream',
      signal: watchdog.signal,
    })
    if (response === undefined) return undefined
    const lost = (field: string | null, reason: string): void => {
      onLoss({ endpoint: eventsEndpoint, build: build.buildId, field, reason })
    }
    const collected = collectEvents((reason) => {
      lost(null, reason)
    })
    const factsOf = (events: readonly BuildEvent[]): Facts =>
      factsFromEvents(build, events, ({ field, reason }) => {
        lost(field, reason)
      })
    for await (const bytes of plainBody(response)) {
      watchdog.feed()
      if (!collected.feed(bytes)) {
        response.cancel()
        return factsOf(collected.events())
      }
    }
    if (!collected.isAtBorder()) {
      const sentence = 'The build server closed the connection in the middle of an event.'
      throw problemError(502, 'events-cut', 'Incomplete response', sentence)
    }
    return factsOf(collected.events())
  } finally {
    watchdog.stop()
  }
}

/** How the tests of a build ended, and how many bytes it took to know. */
export interface TestsRead {
  /** Undefined where none ran, or their events are more than may be read. */
  readonly tests: Facts['tests']
  readonly bytes: number
}

/**
 * What the events of a build's tests say, unless these are more than `maxBytes`: a build may have
 * hundreds of thousands. Throws as `eventFacts`.
 */
export async function testOutcomes(
  { client, clock }: FactsSource,
  build: BuildMessage,
  maxBytes: number,
  signal: AbortSignal,
): Promise<TestsRead> {
  const watchdog = createWatchdog(clock, idleMs, signal)
  let bytes = 0
  try {
    const response = await fetchUpstream(client, clock, {
      path: buildEventsPath('v2', build.buildId, testEventTypes),
      accept: 'text/event-stream',
      signal: watchdog.signal,
    })
    if (response === undefined) return { tests: undefined, bytes }
    let found = createTestFacts()
    const reader = createSseReader({
      onMessage: ({ event, data }) => {
        // A second announcement starts the build again.
        if (event === 'Build') found = createTestFacts()
        else if (event === 'BuildEvent') found.take(data)
      },
    })
    for await (const part of plainBody(response)) {
      watchdog.feed()
      bytes += part.length
      if (bytes > maxBytes) {
        response.cancel()
        return { tests: undefined, bytes }
      }
      reader.feed(part)
    }
    return { tests: reader.isAtBorder() ? found.facts() : undefined, bytes }
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

const eventsEndpoint = 'GET /build-export/v2/build/:buildId/events'

function collectEvents(onUnreadable: (reason: string) => void): CollectedEvents {
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
        if (decoded === undefined) onUnreadable('an event has no readable time, type or data')
        else if (wanted.has(decoded.type.eventType)) events.push(decoded)
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
  { client, clock, onLoss }: FactsSource,
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
      const read = WithModels.safeParse(item)
      return read.success ? [[read.data.id, read.data.models]] : []
    }),
  )
  return new Map(
    builds.map((build) => [
      build.buildId,
      summaries.has(build.buildId) || isOne
        ? answerOf(build, summaries.get(build.buildId), ({ field, reason }) => {
            onLoss({
              endpoint: isOne ? oneEndpoint : listEndpoint,
              build: build.buildId,
              field,
              reason,
            })
          })
        : 'later',
    ]),
  )
}

/** All that is needed of an element here: what else it has may be odd. */
const WithModels = z.object({ id: BuildId, models: z.optional(Models) })

const oneEndpoint = 'GET /api/builds/:buildId'
const listEndpoint = 'GET /api/builds'

function answerOf(
  build: BuildMessage,
  models: Models | undefined,
  onUnreadable: OnUnreadable,
): AttributeFacts {
  const tool = toolOf(build)
  const own = tool === undefined ? undefined : models?.[attributesKey(tool)]
  if (models === undefined || own === undefined) return 'none'
  if (own.model !== undefined) return factsFromAttributes(build, models, onUnreadable)
  return own.problem?.status === 503 ? 'later' : 'none'
}

function toolOf({ toolType }: BuildMessage): ToolWithAttributes | undefined {
  return toolsWithAttributes.find((tool) => tool === toolType)
}
