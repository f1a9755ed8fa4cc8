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
import { type BuildEvent, decodeBuildEvent } from '../../../protocol/build-export.ts'
import { BuildId, type BuildMessage, readBuildMessage } from '../../../protocol/build-message.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { parsedJson } from '../../../protocol/parsed-text.ts'
import { type EventsSource, readBuildEvents } from '../insight/build-events.ts'
import { fetchBuildList } from './build-list.ts'
import type { OnLoss } from './build-reader.ts'
import { fetchJson } from './upstream-fetch.ts'

/** Where facts come from, and who notes what could not be read of them. */
export interface FactsSource extends EventsSource {
  readonly onLoss: OnLoss
}

/**
 * What a build's own events say of it, read with as few event types as the facts need; undefined
 * where it has none, or, where its announcement isn't given, none that can be read. Throws a ProblemError with the status that the server answered (503 while the
 * build is still being stored), and when the stream breaks or falls silent.
 */
export async function eventFacts(
  source: FactsSource,
  wanted: BuildMessage | string,
  signal: AbortSignal,
): Promise<Facts | undefined> {
  const { onLoss } = source
  const buildId = typeof wanted === 'string' ? wanted : wanted.buildId
  let build = typeof wanted === 'string' ? undefined : wanted
  const lost = (field: string | null, reason: string): void => {
    onLoss({ endpoint: eventsEndpoint, build: buildId, field, reason })
  }
  const unreadable = (): void => {
    lost(null, 'an event has no readable time, type or data')
  }
  let events: BuildEvent[] = []
  const { extent } = await readBuildEvents(source, {
    buildId,
    types: factEventTypes,
    maxBytes: mostFactBytes,
    signal,
    onBuild: (text) => {
      events = []
      const announced = readBuildMessage(parsedJson(text))
      if (announced.ok && announced.build.buildId === buildId) build ??= announced.build
    },
    onEvent: (text) => {
      const decoded = decodeOrSkip(text)
      if (decoded === undefined) unreadable()
      else events.push(decoded)
    },
    onUnreadable: unreadable,
  })
  if (extent === 'none' || build === undefined) return undefined
  return factsFromEvents(build, events, ({ field, reason }) => {
    lost(field, reason)
  })
}

/** Facts come from a handful of events; a server that ignores the filter sends up to 500,000. */
const mostFactBytes = 512 * 1024 * 1024

const eventsEndpoint = 'GET /build-export/v2/build/:buildId/events'

function decodeOrSkip(text: string): BuildEvent | undefined {
  try {
    return decodeBuildEvent(text)
  } catch {
    return undefined
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
  source: FactsSource,
  build: BuildMessage,
  maxBytes: number,
  signal: AbortSignal,
): Promise<TestsRead> {
  let found = createTestFacts()
  const { extent, bytes } = await readBuildEvents(source, {
    buildId: build.buildId,
    types: testEventTypes,
    maxBytes,
    signal,
    onBuild: () => {
      found = createTestFacts()
    },
    onEvent: (text, head) => {
      found.take(text, head)
    },
  })
  return { tests: extent === 'whole' ? found.facts() : undefined, bytes }
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
