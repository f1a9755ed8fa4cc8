import type { Clock } from '../../../protocol/clock.ts'
import type { UpstreamClient } from '../upstream-client.ts'
import { askUpstream } from './ask-upstream.ts'
import { readText } from './plain-body.ts'
import { createWatchdog } from './watchdog.ts'

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
    const response = await askUpstream(client, clock, { path, accept, signal: watchdog.signal })
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
