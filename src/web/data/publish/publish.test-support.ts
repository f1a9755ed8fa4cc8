import { createManualClock, type ManualClock } from '../../../protocol/manual-clock.test-support.ts'
import type { Way } from '../scans/policy-scan.test-support.ts'
import {
  createSendPublication,
  createPublisher,
  type Publisher,
  type PublishView,
} from './publisher.ts'
import { createSession } from '../core/session.ts'
import { createStreamedRequest } from '../core/request.ts'

/** A publisher over this way, and what a test asks of it. */
export interface WatchedPublisher {
  readonly publisher: Publisher
  readonly clock: ManualClock
  /** Resolves with the first view from now on, or at this moment, that is so. */
  readonly until: (isSo: (view: PublishView) => boolean) => Promise<PublishView>
}

/** Makes a publisher whose time stands still. */
export function watchPublisher(way: Way): WatchedPublisher {
  const clock = createManualClock(1_000_000)
  const send: typeof fetch = (input, init) => {
    const path = input instanceof Request ? input.url : input.toString()
    return path === '/session'
      ? Promise.resolve(
          Response.json({ token: 't', expiresAt: 9e9, user: { name: 'a', roles: [] } }),
        )
      : way(path.replace('/upstream/governor', ''), init)
  }
  const isOnline = (): boolean => true
  const session = createSession({ fetch: send, clock, isOnline })
  const request = createStreamedRequest({ fetch: send, session, clock, isOnline })
  const publisher = createPublisher({ send: createSendPublication(request), clock })
  return {
    publisher,
    clock,
    until: (isSo) =>
      new Promise((resolve) => {
        const look = (): void => {
          const view = publisher.getSnapshot()
          if (!isSo(view)) return
          stop()
          resolve(view)
        }
        const stop = publisher.subscribe(look)
        look()
      }),
  }
}
