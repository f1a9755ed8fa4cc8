import { backOffMs, retryAfterMs } from '../../../protocol/back-off.ts'
import type { Clock } from '../../../protocol/clock.ts'
import { problem, ProblemError, problemError } from '../../../protocol/problem.ts'
import { buildDataAllowList } from '../upstream/routes.ts'
import type { UpstreamClient, UpstreamResponse } from '../upstream/upstream-client.ts'
import { misdirection } from '../upstream/upstream-response.ts'

/**
 * Asks the upstream for something that ends, gzipped where it can. Gives undefined for a 204, and
 * throws a ProblemError with the status that the server answered for everything but a 200.
 */
export async function fetchUpstream(
  client: UpstreamClient,
  clock: Clock,
  request: { readonly path: string; readonly accept: string; readonly signal: AbortSignal },
): Promise<UpstreamResponse | undefined> {
  const { path, accept, signal } = request
  const response = await client.request({
    path,
    headers: { accept, 'accept-encoding': 'gzip' },
    signal,
    // The build list may wait 20 s for builds to arrive.
    headersTimeoutMs: 30_000,
  })
  const { status } = response
  const elsewhere = misdirection(response, buildDataAllowList.name, buildDataUrlSetting)
  if (status === 200 && elsewhere === undefined) return response
  const wait = retryAfterMs(response.header, clock.now())
  response.cancel()
  if (status === 204) return undefined
  throw new ProblemError(
    problem(
      status >= 400 ? status : 502,
      'upstream-answer',
      'Unexpected response from the upstream',
      elsewhere ?? `The build server responded with ${status}.`,
    ),
    wait === undefined ? {} : { retryAfterMs: wait },
  )
}

/** The setting that says where the build server is, for advice. */
export const buildDataUrlSetting = 'SIGHTLINE_BUILD_DATA_URL'

/**
 * Asks the upstream for a JSON document; one that is none, or an empty answer, gives undefined.
 * Throws a ProblemError with the status that the server answered, and when it takes too long.
 */
export async function fetchJson(
  client: UpstreamClient,
  clock: Clock,
  path: string,
  signal: AbortSignal,
): Promise<unknown> {
  const watchdog = createWatchdog(clock, longestMs, signal)
  try {
    const accept = 'application/json'
    const response = await fetchUpstream(client, clock, { path, accept, signal: watchdog.signal })
    return response === undefined ? undefined : parseJson(await readText(response, maxBytes))
  } finally {
    watchdog.stop()
  }
}

const longestMs = 60_000
const maxBytes = 64 * 1024 * 1024

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The bytes of an answer. Throws a ProblemError for an encoding that was not asked for. */
export function plainBody(response: UpstreamResponse): AsyncIterable<Uint8Array> {
  const encoding = response.header('content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (encoding === 'identity' || encoding === '') return response.body
  response.cancel()
  throw problemError(
    502,
    'upstream-encoding',
    'Unknown response encoding',
    "The build server compressed its response in a way that wasn't requested.",
  )
}

/** The whole of an answer as text. Throws a ProblemError when it exceeds `maxBytes`. */
async function readText(response: UpstreamResponse, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of plainBody(response)) {
    length += chunk.length
    if (length > maxBytes) {
      response.cancel()
      throw problemError(
        502,
        'upstream-too-long',
        'Response too large',
        `The build server's response exceeds ${Math.round(maxBytes / 1024 / 1024)} MB.`,
      )
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Gives up on an upstream that has fallen silent. */
export interface Watchdog {
  /** Aborts when nothing has come for too long, or with the outer signal. */
  readonly signal: AbortSignal
  /** Something came. */
  readonly feed: () => void
  /** From now on nothing may come for so long only, ms. */
  readonly expect: (ms: number) => void
  /** Nothing is expected until the next `feed`: the silence is ours. */
  readonly pause: () => void
  /** Whether the silence was too long. */
  readonly barked: () => boolean
  /** Lets go of the timer and the outer signal. */
  readonly stop: () => void
}

/** Watches from now on; `idleMs` is how long nothing may come. */
export function createWatchdog(clock: Clock, idleMs: number, outer: AbortSignal): Watchdog {
  let limitMs = idleMs
  const abort = new AbortController()
  let fedAt = clock.now()
  let paused = false
  let barked = false
  let cancel = (): void => undefined
  const pass = (): void => {
    abort.abort(outer.reason)
  }
  // One timer that looks at the time, instead of a new one for each chunk.
  const watch = (): void => {
    const left = paused ? limitMs : fedAt + limitMs - clock.now()
    if (left > 0) {
      cancel = clock.after(left, watch)
    } else {
      barked = true
      abort.abort()
    }
  }
  watch()
  outer.addEventListener('abort', pass, { once: true })
  if (outer.aborted) pass()
  return {
    signal: abort.signal,
    feed: () => {
      fedAt = clock.now()
      paused = false
    },
    expect: (ms) => {
      if (ms === limitMs) return
      limitMs = ms
      cancel()
      watch()
    },
    pause: () => {
      paused = true
    },
    barked: () => barked,
    stop: () => {
      cancel()
      outer.removeEventListener('abort', pass)
    },
  }
}

/** The waits between attempts that fail; grows with each, starts anew after a success. */
export interface Backoff {
  /** The next wait in whole ms; see protocol/back-off.ts. */
  readonly next: (retryAfterMs?: number) => number
  readonly reset: () => void
  /** Takes the other side's `retry:` as the shortest wait, clamped to 1 to 30 s. */
  readonly setBase: (ms: number) => void
}

/** The waits of one connection; they grow to `longestMs`, 30 s unless it is said. */
export function createBackoff(random: () => number, longestMs?: number): Backoff {
  let failures = 0
  let retryMs: number | undefined
  return {
    next: (retryAfterMs) => {
      failures++
      return backOffMs({
        failures,
        retryMs,
        retryAfterMs,
        random,
        ...(longestMs === undefined ? {} : { longestMs }),
      })
    },
    reset: () => {
      failures = 0
    },
    setBase: (ms) => {
      retryMs = ms
    },
  }
}
