import * as z from 'zod/mini'
import { EpochMs } from './build-message.ts'

/** Where messages to webhooks and people are listed; with `/<id>/retry` after it, one is sent again. */
export const deliveriesPath = '/history/deliveries'

export const Delivery = z.looseObject({
  id: z.string(),
  /** Where it goes: the webhook of a board or a route, by its name, or `SIGHTLINE_WEBHOOK_URL`. */
  to: z.string(),
  /** When it was written, or last sent again. */
  createdAt: EpochMs,
  text: z.string(),
  /** `failed`: nobody tries any more. `left-out`: it was no news any more when it could have been sent. */
  state: z.enum(['waiting', 'sent', 'failed', 'left-out']),
  attempts: z.int().check(z.nonnegative()),
  triedAt: z.nullable(EpochMs),
  /** Why the last attempt failed; null while it is under way. Never says where it was sent. */
  reason: z.nullable(z.string()),
  /** When it is tried next; null where it is not. */
  nextAt: z.nullable(EpochMs),
  /** Whether its receiver isn't configured any more: it isn't sent again. Absent from older versions. */
  isReceiverGone: z.optional(z.boolean()),
})
export type Delivery = z.infer<typeof Delivery>

/** The answer of `GET /history/deliveries?board=…&before=…`, the newest first: 20 of a board, 200 of all. */
export const DeliveryList = z.looseObject({
  /** Whether the board has a webhook; without a board, whether any alerts are configured. */
  configured: z.boolean(),
  deliveries: z.array(Delivery),
  /** Where the next page begins, as its `before`; null where there is none. */
  next: z.nullable(z.string()),
  /** The time by the proxy's clock. */
  now: EpochMs,
})
export type DeliveryList = z.infer<typeof DeliveryList>
