import type { Clock } from '../../../protocol/clock.ts'
import type { Tabs } from './session.ts'
import { watchSilence } from './silence-watch.ts'

/** A tab's part in a group: what it does with the others' messages. */
export interface TabRole<Message> {
  readonly receive: (message: Message) => void
  readonly close: () => void
}

export interface TabGroupOptions<Message, Role extends TabRole<Message>> extends Tabs {
  /** To be changed with the messages: tabs of different versions do not understand each other. */
  readonly name: string
  readonly clock: Clock
  readonly read: (data: unknown) => Message | undefined
  /** The part of the one tab that leads. */
  readonly lead: (post: (message: Message) => void) => Role
  readonly follow: (post: (message: Message) => void) => Role
  /** What a leader that has nothing else to send announces itself with. */
  readonly pulse: Message
  readonly isFromLeader: (message: Message) => boolean
}

export interface TabGroup<Role> {
  readonly role: () => Role
  readonly leave: () => void
}

/** How often a leader announces itself, ms. */
const pulseMs = 10_000
/** A leader that is silent for so long is taken for dead. */
const leaderSilentMs = 4 * pulseMs

/**
 * Joins the tabs of this browser that do something together, of which one leads: the one that holds
 * a lock. When it goes away the lock passes on; a leader that has fallen silent is robbed of it.
 */
export function joinTabs<Message, Role extends TabRole<Message>>(
  options: TabGroupOptions<Message, Role>,
): TabGroup<Role> {
  const { name, clock, locks, isFromLeader } = options
  const channel = options.openChannel(name)
  const post = (message: Message): void => {
    channel.postMessage(message)
  }
  let left = false
  /** The request for the lock that counts; an older one has been given up. */
  let bid = new AbortController()
  let release = (): void => undefined
  let heardAt = clock.now()
  /** Ends the pulse of a leader, or the watch over one. */
  let stopTimer = (): void => undefined
  let role = follow()
  channel.addEventListener('message', ({ data }) => {
    const message = options.read(data)
    if (message === undefined || left) return
    if (isFromLeader(message)) heardAt = clock.now()
    role.receive(message)
  })
  contend(false)

  function follow(): Role {
    heardAt = clock.now()
    stopTimer = watchSilence({
      clock,
      limitMs: leaderSilentMs,
      lastHeardAt: () => heardAt,
      onSilent: () => {
        contend(true)
      },
    })
    return options.follow(post)
  }

  function lead(): Role {
    const beat = (): void => {
      stopTimer = clock.after(pulseMs, () => {
        post(options.pulse)
        beat()
      })
    }
    const leading = options.lead(post)
    beat()
    return leading
  }

  function end(): void {
    stopTimer()
    role.close()
  }

  function contend(steal: boolean): void {
    bid.abort()
    const mine = new AbortController()
    bid = mine
    locks
      .request(name, steal ? { steal } : { signal: mine.signal }, async () => {
        if (mine.signal.aborted) return
        end()
        role = lead()
        await new Promise<void>((resolve) => {
          release = resolve
        })
      })
      .catch(() => {
        if (mine.signal.aborted) return
        // Robbed of the lock: another tab leads now.
        release()
        end()
        role = follow()
        contend(false)
      })
  }

  return {
    role: () => role,
    leave: () => {
      left = true
      bid.abort()
      end()
      release()
      channel.close()
    },
  }
}
