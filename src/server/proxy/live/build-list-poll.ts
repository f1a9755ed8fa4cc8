import type { BuildMessage } from '../../../protocol/build-message.ts'
import { type Clock, wait } from '../../../protocol/clock.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import type { BuildList } from './build-list.ts'
import type { KnownPosition } from './upstream-position.ts'

/** How polling ended. */
export type PollEnd =
  /** It is time to try the stream again. */
  | { readonly kind: 'done' }
  /** 401, 403 or 404: the list is refused as well. */
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'failed'; readonly reason: string; readonly retryAfterMs?: number | undefined }

export interface PollOptions {
  readonly list: BuildList
  readonly clock: Clock
  readonly signal: AbortSignal
  /** When to stop, epoch ms. */
  readonly until: number
  /** Asked before each request: what was passed on moves it. */
  readonly position: () => KnownPosition
  /** Whether the build was new. */
  readonly onBuild: (build: BuildMessage) => boolean
  readonly onMalformed: () => void
  /** The server answered, with builds or without. */
  readonly onAnswer: () => void
}

/**
 * Asks the build list again and again: the way in where the export stream is refused. New servers
 * hold the request until a build arrives; ones that answer at once with nothing new are asked every
 * few seconds. Never throws.
 */
export async function pollBuildList(options: PollOptions): Promise<PollEnd> {
  const { list, clock, signal } = options
  while (!signal.aborted && clock.now() < options.until) {
    const askedAt = clock.now()
    try {
      const page = await list.after(options.position(), 20, signal)
      options.onAnswer()
      for (let count = 0; count < page.malformed; count++) options.onMalformed()
      const fresh = page.builds.filter((build) => options.onBuild(build))
      if (fresh.length === 0 && clock.now() - askedAt < pauseMs) {
        await wait(clock, pauseMs, signal)
      }
    } catch (error) {
      if (!(error instanceof ProblemError)) {
        return { kind: 'failed', reason: 'The build server cannot be reached.' }
      }
      const { status } = error
      return status === 401 || status === 403 || status === 404
        ? { kind: 'refused', status }
        : { kind: 'failed', reason: error.message, retryAfterMs: error.retryAfterMs }
    }
  }
  return { kind: 'done' }
}

/** Between two answers without news from a server that does not hold requests. */
const pauseMs = 3000
