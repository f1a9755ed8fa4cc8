import type { Clock } from '../../../protocol/clock.ts'
import { follow } from './shared-follower.ts'
import { lead, type SharedRole } from './shared-leader.ts'
import { SharedMessage } from './shared-message.ts'
import type { StreamSource } from './stream-source.ts'

/** The browser's locks, as far as they are needed: `navigator.locks` is one. */
export interface Locks {
  readonly request: (
    name: string,
    options: LockOptions,
    callback: () => Promise<void>,
  ) => Promise<void>
}

/** A channel to the other tabs, in order for each sender: a BroadcastChannel is one. */
export interface Channel {
  readonly postMessage: (data: unknown) => void
  readonly addEventListener: (
    type: 'message',
    listener: (event: { readonly data: unknown }) => void,
  ) => void
  readonly close: () => void
}

/** What tabs share a stream with. */
export interface SharedSourceOptions {
  /** Reads the stream from the proxy, for the tab that leads. */
  readonly own: StreamSource
  readonly locks: Locks
  readonly openChannel: (name: string) => Channel
  readonly clock: Clock
  /** This tab's name among the others. */
  readonly tabId: string
}

/** To be changed with the messages: tabs of different versions do not understand each other. */
const sharedName = 'sightline-feed-2'

/**
 * One stream for all tabs of a browser, which may keep only six connections to an origin: the tab
 * that holds a lock leads and reads the stream, the others follow. When the leader goes away the
 * lock passes on, and the next leader resumes after the last build that it has. A leader that has
 * fallen silent is robbed of the lock.
 */
export function createSharedSource(options: SharedSourceOptions): StreamSource {
  const { own, locks, clock, tabId } = options
  return (sink) => {
    const channel = options.openChannel(sharedName)
    const post = (message: SharedMessage): void => {
      channel.postMessage(message)
    }
    let closed = false
    /** The request for the lock that counts; an older one has been given up. */
    let bid = new AbortController()
    let release = (): void => undefined
    let role = followLeader()
    channel.addEventListener('message', ({ data }) => {
      const message = SharedMessage.safeParse(data)
      if (message.success && !closed) role.receive(message.data)
    })
    contend(false)

    function followLeader(): SharedRole {
      const onLeaderSilent = (): void => {
        contend(true)
      }
      return follow({ sink, clock, post, tabId, onLeaderSilent })
    }

    function contend(steal: boolean): void {
      bid.abort()
      const mine = new AbortController()
      bid = mine
      locks
        .request(sharedName, steal ? { steal } : { signal: mine.signal }, async () => {
          if (mine.signal.aborted) return
          role.close()
          role = lead({ sink, clock, post, own })
          await new Promise<void>((resolve) => {
            release = resolve
          })
        })
        .catch(() => {
          if (mine.signal.aborted) return
          // Robbed of the lock: another tab leads now.
          release()
          role.close()
          role = followLeader()
          contend(false)
        })
    }

    return {
      reconnect: () => {
        role.reconnect()
      },
      skipToNow: () => {
        role.skipToNow()
      },
      close: () => {
        closed = true
        bid.abort()
        role.close()
        release()
        channel.close()
      },
    }
  }
}
