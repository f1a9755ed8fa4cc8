import { Agent } from 'undici'
import { retryAfterMs } from '../../../protocol/back-off.ts'
import type { Clock } from '../../../protocol/clock.ts'
import { codeOf, connectionText } from '../upstream/undici-upstream-client.ts'
import {
  fittingMessages,
  type StoredMessage,
  webhookBody,
  type WebhookShape,
} from './alert-message.ts'

/** How an attempt ended: sent, worth another attempt, or not; with a sentence without the address of the receiver. */
export type Delivery =
  | { readonly kind: 'sent' }
  | {
      readonly kind: 'later' | 'never'
      readonly reason: string
      /** Who alone hasn't got it, where others have: `StoredMessage.leftTo`. */
      readonly leftTo?: string
      /** The receiver takes nothing at all for so long, ms. */
      readonly pauseMs?: number
    }

/** One receiver of messages: an outgoing webhook, or people who are mailed. */
export interface Webhook {
  /**
   * Sends these messages, at least one and left to the same people, as one; never throws. Once `closing` is aborted it takes
   * `patienceMs` more at most.
   */
  readonly send: (messages: readonly StoredMessage[], closing?: AbortSignal) => Promise<Delivery>
  /** How many of these messages, the first ones and at least one, it takes as one; all of them where it doesn't say. */
  readonly fitting?: (messages: readonly StoredMessage[]) => number
  /** An attempt takes no longer, ms; `patienceMs` where it doesn't say. */
  readonly longestMs?: number
  /** How the last attempt ended, and when, epoch ms; undefined before the first. */
  readonly last: () => (Delivery & { readonly at: number }) | undefined
  readonly close: () => Promise<void>
}

/**
 * Posts JSON: `{"text": …}`, which Slack, Mattermost and their like take, or another `shape`. Redirects are not followed: they
 * could lead where nobody allowed. Waits 10 s for an answer, of which only the status is read. The
 * address is a secret that no message repeats.
 */
export function createWebhook(options: {
  readonly url: { readonly reveal: () => string }
  readonly clock: Clock
  /** This program's version, for `user-agent`. */
  readonly version: string
  readonly shape?: WebhookShape
}): Webhook {
  const { clock, shape = 'slack' } = options
  const agent = new Agent({
    connections: 2,
    headersTimeout: 0,
    bodyTimeout: 0,
    // Sooner than the attempt ends, as the cure is another one.
    connect: { timeout: patienceMs / 2 },
  })
  let last: ReturnType<Webhook['last']>
  const attempt = async (messages: readonly StoredMessage[]): Promise<Delivery> => {
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
        body: JSON.stringify(webhookBody(shape, messages)),
        signal: patience.signal,
      })
      // The rest of the answer is nobody's business; the connection is not kept for it.
      answer.body.on('error', () => undefined).destroy()
      const delivery = deliveryOf(answer.statusCode)
      if (answer.statusCode !== 429 || delivery.kind === 'sent') return delivery
      const header = (name: string): string | null => [answer.headers[name] ?? []].flat()[0] ?? null
      const askedMs = retryAfterMs(header, clock.now()) ?? usualPauseMs
      return { ...delivery, pauseMs: Math.min(longestPauseMs, Math.max(1000, askedMs)) }
    } catch (error) {
      const code = patience.signal.aborted ? lateCode : codeOf(error)
      const reason =
        reasons[code] ?? connectionText(code, 'webhook', 'its URL') ?? "Can't reach the webhook."
      return { kind: 'later', reason }
    } finally {
      cancel()
    }
  }
  return {
    send: async (messages) => {
      const delivery = await attempt(messages)
      last = { ...delivery, at: clock.now() }
      return delivery
    },
    fitting: (messages) => fittingMessages(shape, messages),
    last: () => last,
    close: () => agent.destroy(),
  }
}

/** Of a receiver that limits how often it is sent to and doesn't say how long to wait, ms. */
const usualPauseMs = 30_000
const longestPauseMs = 600_000

/** So long a receiver is waited for, ms. */
export const patienceMs = 10_000

/** Of an attempt that took too long. */
const lateCode = 'LATE'
const noResponse = 'The webhook closed the connection without a response.'
/** It was reached, and may have the message. */
const reasons: Readonly<Record<string, string>> = {
  [lateCode]: `The webhook didn't respond within ${patienceMs / 1000} s.`,
  UND_ERR_SOCKET: noResponse,
  ECONNRESET: noResponse,
  EPIPE: noResponse,
}

function deliveryOf(status: number): Delivery {
  if (status >= 200 && status < 300) return { kind: 'sent' }
  const cure =
    status >= 300 && status < 400
      ? " Redirects aren't followed: check its URL."
      : status === 404 || status === 410
        ? ' It may have been removed: check its URL.'
        : ''
  const reason = `The webhook responded with ${status}.${cure}`
  const mayHelp = status === 408 || status === 425 || status === 429 || status >= 500
  return { kind: mayHelp ? 'later' : 'never', reason }
}
