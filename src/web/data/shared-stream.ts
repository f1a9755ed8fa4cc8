import type { Clock } from '../../protocol/clock.ts'
import { follow } from './shared-follower.ts'
import { lead, type SharedRole } from './shared-leader.ts'
import { SharedMessage } from './shared-message.ts'
import type { StreamSource } from './stream-source.ts'

/** What tabs share a stream with. */
export interface SharedSourceOptions {
  /** Reads the stream from the proxy, for the tab that leads. */
  readonly own: StreamSource
  readonly locks: Pick<LockManager, 'request'>
  readonly openChannel: (name: string) => BroadcastChannel
  readonly clock: Clock
  /** This tab's name among the others. */
  readonly tabId: string
}

/** To be changed with the messages: tabs of different versions do not understand each other. */
const sharedName = 'sightline-feed-1'

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
    const closing = new AbortController()
    const post = (message: SharedMessage): void => {
      channel.postMessage(message)
    }
    let release = (): void => undefined
    let role = followLeader()
    channel.addEventListener('message', (event: MessageEvent<unknown>) => {
      const message = SharedMessage.safeParse(event.data)
      if (message.success && !closing.signal.aborted) role.receive(message.data)
    })
    contend({ signal: closing.signal })

    function followLeader(): SharedRole {
      return follow({ sink, clock, post, tabId, onLeaderSilent: () => { contend({ steal: true }) } })
    }

    function contend(how: LockOptions): void {
      locks
        .request(sharedName, how, async () => {
          if (closing.signal.aborted) return
          role.close()
          role = lead({ sink, clock, post, own })
          await new Promise<void>((resolve) => {
            release = resolve
          })
        })
        .catch(() => {
          // Closed while waiting for the lock, or robbed of it: another tab leads now.
          if (closing.signal.aborted) return
          role.close()
          role = followLeader()
          contend({ signal: closing.signal })
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
        closing.abort()
        role.close()
        release()
        channel.close()
      },
    }
  }
}
