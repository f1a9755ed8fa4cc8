import type { Clock } from '../../../protocol/clock.ts'
import { buildEventsPath, type ExportVersion } from '../../../protocol/export-paths.ts'
import { problem, ProblemError } from '../../../protocol/problem.ts'
import { type IsOnline, networkProblem, problemOfResponse } from '../core/response.ts'
import type { SessionKeeper } from '../core/session.ts'
import { watchSilence } from '../core/silence-watch.ts'

/** What streams are read with. */
export interface BuildStreamOptions {
  readonly fetch: typeof fetch
  readonly session: SessionKeeper
  readonly clock: Clock
  readonly isOnline: IsOnline
}

/** Which stream is read, and who takes what it brings. */
export interface BuildStreamRequest {
  readonly buildId: string
  readonly eventTypes: readonly string[]
  /** Goes on after this event; undefined begins at the beginning. */
  readonly lastEventId: string | undefined
  readonly signal: AbortSignal
  /** The stream begins. */
  readonly onOpen: () => void
  /** Takes the next bytes; the ones after them are read when this is done. */
  readonly onBytes: (bytes: Uint8Array) => Promise<void>
}

/** No byte for so long, in the middle of a stream that has an end, is a dead connection; ms. */
const silentMs = 60_000

/**
 * Reads a build's own stream once, from the proxy (docs/services.md#export-events-of-a-build):
 * version 2, or version 1 where the server does not know version 2. Resolves with `nothing-more`
 * where the server says that the stream is complete (204), else with `ended` at its end. Throws a
 * ProblemError for anything else, and the reason of the abort where `signal` aborted.
 */
export type ReadBuildStream = (request: BuildStreamRequest) => Promise<'ended' | 'nothing-more'>

/** Makes the reader; which version the server speaks is found out once. */
export function createBuildStream(options: BuildStreamOptions): ReadBuildStream {
  const { clock, session, isOnline } = options
  let version: ExportVersion = 'v2'

  async function ask(request: BuildStreamRequest, asked: ExportVersion): Promise<Response> {
    const path = `/upstream/build-data${buildEventsPath(asked, request.buildId, request.eventTypes)}`
    for (let renewed = false; ; renewed = true) {
      const { token } = await session.current()
      const { lastEventId, signal } = request
      const response = await options.fetch(path, {
        headers: {
          accept: 'text/event-stream',
          authorization: `Bearer ${token}`,
          ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
        },
        signal,
        redirect: 'error',
        cache: 'no-store',
        credentials: 'same-origin',
      })
      if (response.status !== 401) return response
      const fault = await problemOfResponse(response, clock.now())
      session.discard(token)
      if (renewed) throw fault
    }
  }

  async function open(request: BuildStreamRequest): Promise<Response> {
    const response = await ask(request, version)
    if (response.status !== 404 || version === 'v1') return response
    // A server of before version 2 does not know the address; one that does, not the build.
    const older = await ask(request, 'v1')
    if (older.status === 404) {
      await older.body?.cancel()
      return response
    }
    await response.body?.cancel()
    version = 'v1'
    return older
  }

  return async (request) => {
    const { signal, onOpen, onBytes } = request
    const silence = new AbortController()
    let heardAt = clock.now()
    let hasBegun = false
    const endWatch = watchSilence({
      clock,
      limitMs: silentMs,
      lastHeardAt: () => heardAt,
      onSilent: () => {
        silence.abort(silent())
      },
    })
    try {
      const both = AbortSignal.any([signal, silence.signal])
      const response = await open({ ...request, signal: both })
      if (response.status === 204) return 'nothing-more'
      if (response.status !== 200) throw await refusal(response, version, clock.now())
      const body = await streamOf(response)
      hasBegun = true
      onOpen()
      for await (const bytes of body) {
        heardAt = clock.now()
        await onBytes(bytes)
        // While the page takes its time, the server is not silent.
        heardAt = clock.now()
      }
      return 'ended'
    } catch (error) {
      if (signal.aborted) throw error
      if (silence.signal.aborted) throw networkProblem(silence.signal.reason, isOnline)
      throw hasBegun && isOnline() ? brokenOff(error) : networkProblem(error, isOnline)
    } finally {
      endWatch()
    }
  }
}

async function streamOf(response: Response): Promise<AsyncIterable<Uint8Array>> {
  const type = response.headers.get('content-type') ?? 'nothing that it names'
  if (response.body !== null && /^text\/event-stream *(;|$)/i.test(type)) {
    return chunksOf(response.body)
  }
  await response.body?.cancel()
  const sentence = `The proxy, or something before it, answered with ${type} instead of the events.`
  throw new ProblemError(problem(502, 'no-stream', 'Not an event stream', sentence))
}

/** Safari cannot iterate over a stream. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel()
  }
}

async function refusal(
  response: Response,
  version: ExportVersion,
  now: number,
): Promise<ProblemError> {
  const fault = await problemOfResponse(response, now)
  if (fault.status !== 400 || version !== 'v1') return fault
  const sentence =
    'The build server speaks version 1 of its export only, which has builds of Gradle alone: the events of a build of another tool cannot be had from it.'
  return new ProblemError(problem(400, 'version-1-only', 'Only version 1', sentence), {
    cause: fault,
  })
}

function silent(): ProblemError {
  const sentence = `Nothing came for ${silentMs / 1000} s in the middle of the events.`
  return new ProblemError(problem(504, 'silent', 'Silent', sentence))
}

function brokenOff(cause: unknown): ProblemError {
  if (cause instanceof ProblemError) return cause
  const sentence = 'The connection broke off before the last event came.'
  return new ProblemError(problem(502, 'broken-off', 'Broken off', sentence), { cause })
}
