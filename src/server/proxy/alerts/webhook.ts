import { Agent } from 'undici'
import type { Clock } from '../../../protocol/clock.ts'

/** How an attempt ended: sent, worth another attempt, or not; with a sentence without the address. */
export type Delivery =
  { readonly kind: 'sent' } | { readonly kind: 'later' | 'never'; readonly reason: string }

/** One outgoing webhook. */
export interface Webhook {
  /** Sends a message; never throws. */
  readonly send: (text: string) => Promise<Delivery>
  /** How the last attempt ended, and when, epoch ms; undefined before the first. */
  readonly last: () => (Delivery & { readonly at: number }) | undefined
  readonly close: () => Promise<void>
}

/**
 * Sends `{"text": …}`, which Slack, Mattermost and their like take. Redirects are not followed: they
 * could lead where nobody allowed. Waits 10 s for an answer, of which only the status is read. The
 * address is a secret that no message repeats.
 */
export function createWebhook(options: {
  readonly url: { readonly reveal: () => string }
  readonly clock: Clock
  /** This program's version, for `user-agent`. */
  readonly version: string
}): Webhook {
  const { clock } = options
  const agent = new Agent({
    connections: 2,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: patienceMs },
  })
  let last: ReturnType<Webhook['last']>
  const attempt = async (text: string): Promise<Delivery> => {
    const url = new URL(options.url.reveal())
    const patience = new AbortController()
    const cancel = clock.after(patienceMs, () => {
      patience.abort()
    })
    try {
      const answer = await agent.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': `sightline/${options.version}`,
        },
        body: JSON.stringify({ text }),
        signal: patience.signal,
      })
      // The rest of the answer is nobody's business; the connection is not kept for it.
      answer.body.on('error', () => undefined).destroy()
      return deliveryOf(answer.statusCode)
    } catch {
      return { kind: 'later', reason: "Can't reach the webhook." }
    } finally {
      cancel()
    }
  }
  return {
    send: async (text) => {
      const delivery = await attempt(text)
      last = { ...delivery, at: clock.now() }
      return delivery
    },
    last: () => last,
    close: () => agent.destroy(),
  }
}

const patienceMs = 10_000

function deliveryOf(status: number): Delivery {
  if (status >= 200 && status < 300) return { kind: 'sent' }
  const reason = `The webhook responded with ${status}.`
  const mayHelp = status === 408 || status === 425 || status === 429 || status >= 500
  return { kind: mayHelp ? 'later' : 'never', reason }
}
