import type * as z from 'zod/mini'
import type { Clock } from '../../../protocol/clock.ts'
import { CachesLine, cachesPath, FailuresLine, failuresPath } from '../../../protocol/insight.ts'
import type { ProblemError } from '../../../protocol/problem.ts'
import { attempts, isBusy } from '../core/attempts.ts'
import { readJsonParts } from '../core/json-parts.ts'
import type { StreamedRequest } from '../core/request.ts'

/** What is known of why one build failed, or why nothing is. */
export type FailureFinding = Pick<FailuresLine, 'buildId' | 'failures' | 'problem'>

/** What of one build came from the build cache, or why that isn't known. */
export type CacheFinding = Pick<CachesLine, 'buildId' | 'cache' | 'problem'>

/** Reads something of each of these builds; what was read is reported as it comes. Throws a ProblemError. */
export type ReadBuilds<Finding> = (
  buildIds: readonly string[],
  options: {
    readonly signal: AbortSignal
    readonly onFindings: (findings: readonly Finding[]) => void
    /** The server was busy; requested again at `until`, epoch ms. */
    readonly onWait: (wait: { readonly problem: ProblemError; readonly until: number }) => void
  },
) => Promise<void>

export type ReadFailures = ReadBuilds<FailureFinding>
export type ReadCaches = ReadBuilds<CacheFinding>

/** Attempts in a row at a request that is refused because the server is busy. */
const mostAttempts = 6

interface ReadOptions {
  readonly send: StreamedRequest
  readonly clock: Clock
  readonly random: () => number
}

/** Requests them from the proxy, which keeps what it has read. */
export function createReadFailures(options: ReadOptions): ReadFailures {
  return createReadBuilds(failuresPath, FailuresLine, options)
}

/** The same of what came from the build cache. */
export function createReadCaches(options: ReadOptions): ReadCaches {
  return createReadBuilds(cachesPath, CachesLine, options)
}

function createReadBuilds<Line>(
  path: string,
  schema: z.ZodMiniType<Line>,
  { send, clock, random }: ReadOptions,
): ReadBuilds<Line> {
  return async (buildIds, { signal, onFindings, onWait }) => {
    const options = { clock, random, signal, most: mostAttempts, mayRetry: isBusy, onWait }
    const response = await attempts(() => send(path, { buildIds }, signal), options)
    for await (const part of readJsonParts(response)) {
      onFindings(part.flatMap((value) => schema.safeParse(value).data ?? []))
    }
  }
}
