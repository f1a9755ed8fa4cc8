import { factEventTypes, factsFromEvents } from '../../../facts/facts-from-events.ts'
import { type BuildEvent, decodeBuildEvent } from '../../../protocol/build-event.ts'
import type { BuildMessage } from '../../../protocol/build-message.ts'
import type { Clock } from '../../../protocol/clock.ts'
import { buildEventsPath, type ExportVersion } from '../../../protocol/export-paths.ts'
import type { Facts } from '../../../protocol/facts.ts'
import { createSseReader } from '../../../protocol/sse-reader.ts'
import type { UpstreamClient } from '../upstream-client.ts'
import { askUpstream } from './ask-upstream.ts'
import { plainBody } from './plain-body.ts'
import { createWatchdog } from './watchdog.ts'

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
    const response = await askUpstream(client, clock, {
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
        break
      }
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
  }
}

function decodeOrSkip(data: string): BuildEvent | undefined {
  try {
    return decodeBuildEvent(data)
  } catch {
    return undefined
  }
}
