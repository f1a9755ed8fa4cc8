import { fetchEventSource } from '@microsoft/fetch-event-source'
import type { StreamMessage } from './stream-happening.ts'

/** One connection. */
export interface Attempt {
  readonly url: string
  /** Lower-case names only: the library knows headers by their letters. */
  readonly headers: Readonly<Record<string, string>>
  /** Ends the attempt; not yet aborted. */
  readonly signal: AbortSignal
  readonly fetch: typeof fetch
  readonly onMessage: (message: StreamMessage) => void
  /** The reconnection time that the other side asks for, ms; any number, also a negative one. */
  readonly onRetry: (ms: number) => void
}

/**
 * Makes one connection and reads it to its end: the library is asked to do nothing else, because
 * its own retry loop leaks connections, loses messages and never stops (the tests name each case).
 * Resolves when the other side has ended the stream or the signal was aborted, rejects with what
 * `fetch` or the body threw; in each case the connection is closed. Messages without data, such as
 * heartbeats, are not delivered, and nothing is after the abort. `onMessage` must not throw.
 */
export async function readEventSource(attempt: Attempt): Promise<void> {
  await fetchEventSource(attempt.url, {
    headers: { ...attempt.headers },
    signal: attempt.signal,
    fetch: attempt.fetch,
    // Otherwise the library ends and reopens the stream whenever the tab is hidden and shown.
    openWhenHidden: true,
    // All checks are made by `fetch`, which alone can let go of the body.
    onopen: () => Promise.resolve(),
    onmessage: ({ id, event, data, retry }) => {
      if (attempt.signal.aborted) return
      if (retry !== undefined) attempt.onRetry(retry)
      if (data !== '') attempt.onMessage({ id, event, data })
    },
    // Throwing is how the library is told to abort the request and to give up.
    onerror: (error: unknown) => {
      throw error
    },
  })
}
