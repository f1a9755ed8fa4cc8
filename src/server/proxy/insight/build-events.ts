import { type EventHead, readEventHead } from '../../../facts/event.ts'
import { buildEventsPath } from '../../../protocol/build-export.ts'
import type { Clock } from '../../../protocol/clock.ts'
import { problemError } from '../../../protocol/problem.ts'
import { createSseReader } from '../../../protocol/sse.ts'
import { createWatchdog, fetchUpstream, plainBody } from '../live/upstream-fetch.ts'
import type { UpstreamClient } from '../upstream/upstream-client.ts'

/** Where builds are read. */
export interface EventsSource {
  readonly client: UpstreamClient
  readonly clock: Clock
}

/** Which events of which build, and what becomes of them. */
export interface EventsWanted {
  readonly buildId: string
  /** Events of other types are passed over: some servers send them nevertheless. */
  readonly types: readonly string[]
  /** What comes after so many bytes is not read. */
  readonly maxBytes: number
  readonly signal: AbortSignal
  /** The build is announced, possibly again: what came before is of an attempt that was cut off. */
  readonly onBuild: (text: string) => void
  readonly onEvent: (text: string, head: EventHead) => void
  /** An event that says neither its type nor its time. */
  readonly onUnreadable?: () => void
}

/** How far a build's events were read. */
export interface EventsRead {
  /** `none`: the server has none of it. `part`: there are more than may be read. */
  readonly extent: 'none' | 'whole' | 'part'
  readonly bytes: number
}

/**
 * Reads events of one build as they come, in the order of the server. Throws a ProblemError with the
 * status that the server answered (503 while the build is still being stored), and when the stream
 * breaks or falls silent; the signal's reason when it aborts.
 */
export async function readBuildEvents(
  { client, clock }: EventsSource,
  wanted: EventsWanted,
): Promise<EventsRead> {
  const { buildId, types, maxBytes } = wanted
  const watchdog = createWatchdog(clock, idleMs, wanted.signal)
  let bytes = 0
  try {
    const response = await fetchUpstream(client, clock, {
      path: buildEventsPath('v2', buildId, types),
      accept: 'text/event-stream',
      signal: watchdog.signal,
    })
    if (response === undefined) return { extent: 'none', bytes }
    const reader = createSseReader(
      {
        onMessage: ({ event, data }) => {
          if (event === 'Build') wanted.onBuild(data)
          else if (event === 'BuildEvent') takeEvent(data, wanted)
        },
      },
      longestEvent,
    )
    for await (const part of plainBody(response)) {
      watchdog.feed()
      bytes += part.length
      if (bytes > maxBytes) {
        response.cancel()
        return { extent: 'part', bytes }
      }
      reader.feed(part)
    }
    if (reader.isAtBorder()) return { extent: 'whole', bytes }
    const sentence = 'The build server closed the connection in the middle of an event.'
    throw problemError(502, 'events-cut', 'Incomplete response', sentence)
  } catch (error) {
    throw watchdog.barked()
      ? problemError(504, 'events-silent', 'No response', 'The build server stopped responding.')
      : error
  } finally {
    watchdog.stop()
  }
}

const idleMs = 30_000
/** Characters. The exceptions of a build with hundreds of failures are one event. */
const longestEvent = 16 * 1024 * 1024

function takeEvent(text: string, { types, onEvent, onUnreadable }: EventsWanted): void {
  let head: EventHead
  try {
    head = readEventHead(text)
  } catch {
    onUnreadable?.()
    return
  }
  if (types.includes(head.eventType)) onEvent(text, head)
}
