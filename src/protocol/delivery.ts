import * as z from 'zod/mini'
import { EpochMs } from './build-message.ts'

/** Where the messages to a board's webhook are listed; with `/<id>/retry` after it, one is sent again. */
export const deliveriesPath = '/history/deliveries'

/** A message to a board's webhook, and how it stands. */
export const Delivery = z.looseObject({
  id: z.string(),
  /** When it was written, or last sent again. */
  createdAt: EpochMs,
  text: z.string(),
  /** `failed`: nobody tries any more. */
  state: z.enum(['waiting', 'sent', 'failed']),
  attempts: z.int().check(z.nonnegative()),
  /** When the last attempt began. */
  triedAt: z.nullable(EpochMs),
  /** Why the last attempt failed; null while it is under way. Never says where it was sent. */
  reason: z.nullable(z.string()),
  /** When it is tried next; null where it is not. */
  nextAt: z.nullable(EpochMs),
})
export type Delivery = z.infer<typeof Delivery>

/** The answer of `GET /history/deliveries?board=…`: the newest first, up to 20. */
export const DeliveryList = z.looseObject({
  /** Whether the board has a webhook. */
  configured: z.boolean(),
  deliveries: z.array(Delivery),
  /** The time by the proxy's clock. */
  now: EpochMs,
})
export type DeliveryList = z.infer<typeof DeliveryList>
