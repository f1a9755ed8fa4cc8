import type { BuildMessage } from '../../../protocol/build-message.ts'
import type { Clock } from '../../../protocol/clock.ts'
import { problemError } from '../../../protocol/problem.ts'
import type { UpstreamClient } from '../upstream/upstream-client.ts'
import { fetchUpstream, createWatchdog, plainBody } from './upstream-fetch.ts'
import { createBuildList, exportEndpoint, exportPath, type KnownPosition } from './build-list.ts'
import { createBuildReader, type OnLoss } from './build-reader.ts'

/** What the upstream has kept from before. */
export interface History {
  /**
   * All builds after a position that the upstream has now, oldest first, in pieces as they come in:
   * nothing is read ahead of whoever takes them. Throws a ProblemError with the upstream's status,
   * and 502 when the answer was cut off; an EmptyAnswer when it held no message at all.
   */
  readonly pass: (
    position: KnownPosition,
    signal: AbortSignal,
  ) => AsyncGenerator<readonly BuildMessage[], void, undefined>
}

/**
 * A 200 without any message: "nothing is left" is a 204 (docs/services.md#export-completion). Where
 * its length was not `framed` by the server it may as well be an answer that broke off.
 */
export class EmptyAnswer extends Error {
  readonly framed: boolean

  constructor(framed: boolean) {
    super('The build server answered without any message.')
    this.framed = framed
  }
}

export interface HistoryOptions {
  readonly client: UpstreamClient
  readonly clock: Clock
  /** Whether the export stream is refused, so that the build list has to serve. */
  readonly polling: () => boolean
  readonly onMalformed: () => void
  readonly onLoss: OnLoss
}

/**
 * Reads history from the export service without `stream`, or page by page from the build list where that is
 * refused, or sends nothing.
 */
export function createHistory(options: HistoryOptions): History {
  return {
    pass: (position, signal) =>
      options.polling()
        ? passOfList(options, position, signal)
        : passOfExport(options, position, signal),
  }
}

async function* passOfExport(
  options: HistoryOptions,
  position: KnownPosition,
  signal: AbortSignal,
): AsyncGenerator<readonly BuildMessage[], void, undefined> {
  const { client, clock, onMalformed, onLoss } = options
  const watchdog = createWatchdog(clock, headersMs, signal)
  let builds: BuildMessage[] = []
  let messages = 0
  const reader = createBuildReader({
    onBuild: (build) => {
      messages++
      builds.push(build)
    },
    onMalformed: () => {
      messages++
      onMalformed()
    },
    onLoss: (loss) => {
      onLoss({ ...loss, endpoint: exportEndpoint(position) })
    },
  })
  try {
    const response = await fetchUpstream(client, clock, {
      path: exportPath(position, false),
      accept: 'text/event-stream',
      signal: watchdog.signal,
    })
    if (response === undefined) return
    watchdog.feed()
    watchdog.expect(idleMs)
    try {
      for await (const bytes of plainBody(response)) {
        reader.feed(bytes)
        if (builds.length > 0) {
          const read = builds
          builds = []
          watchdog.pause()
          yield read
        }
        watchdog.feed()
      }
    } finally {
      response.cancel()
    }
    // The end of a connection ends an answer of HTTP/1.0, whole or not.
    if (!reader.isAtBorder()) {
      throw problemError(
        502,
        'history-cut',
        'Incomplete response',
        'The build server closed the connection in the middle of a build.',
      )
    }
    if (messages === 0) {
      throw new EmptyAnswer(!response.isOpenEnded)
    }
  } catch (error) {
    if (!watchdog.barked() || messages > 0) throw error
    yield* passOfList(options, position, signal)
  } finally {
    watchdog.stop()
  }
}

/** How long the headers may take, ms. */
const headersMs = 12_000
/** How long the upstream may be silent in the middle of its history, ms. */
const idleMs = 30_000

async function* passOfList(
  { client, clock, onMalformed, onLoss }: HistoryOptions,
  start: KnownPosition,
  signal: AbortSignal,
): AsyncGenerator<readonly BuildMessage[], void, undefined> {
  const walk = createBuildList(client, clock, onLoss).walk(start)
  for (;;) {
    const { builds, malformed } = await walk.next(1, signal)
    for (let count = 0; count < malformed; count++) onMalformed()
    if (builds.length === 0) return
    yield builds
  }
}
