import { livePath } from '../../../protocol/live-feed.ts'
import { type EventStream, type EventStreamOptions, openEventStream } from './event-stream.ts'
import type { SessionKeeper } from '../core/session.ts'
import type { StreamSource } from './stream-source.ts'

/** What the proxy's stream is read with. */
export type LiveSourceOptions = Pick<
  EventStreamOptions,
  'fetch' | 'clock' | 'random' | 'isOnline' | 'maxLineBytes' | 'silenceLimitMs'
> & { readonly session: SessionKeeper }

/** The live feed of the proxy as a source: one connection of this page's own. */
export function createLiveSource({ session, ...options }: LiveSourceOptions): StreamSource {
  return (sink) => {
    const open = (): EventStream =>
      openEventStream(
        {
          ...options,
          lastId: sink.start().lastId,
          // Also asked for when resuming: from there on builds come where the id is unknown. A
          // time in the future would be refused, so the proxy's clock is not overtaken.
          url: () => {
            const since = Math.floor(Math.min(sink.start().since, session.proxyNow()))
            return `${livePath}?since=${Math.max(0, since)}&batch`
          },
          token: async () => (await session.current()).token,
          discard: session.discard,
        },
        sink.tell,
      )
    let stream = open()
    return {
      reconnect: () => {
        stream.reconnect()
      },
      skipToNow: () => {
        stream.close()
        sink.tell({ type: 'skipped', at: options.clock.now() })
        stream = open()
      },
      close: () => {
        stream.close()
      },
    }
  }
}
