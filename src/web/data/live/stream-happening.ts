import { z } from 'zod'

/** A message of the live feed as it came over the wire; '' where it had no id or no event. */
export const StreamMessage = z.object({ id: z.string(), event: z.string(), data: z.string() })
export type StreamMessage = z.infer<typeof StreamMessage>

/**
 * What can happen to a stream, in the order in which it does. Plain data, because tabs that share
 * one stream pass it on to each other. Times are epoch ms by this browser's clock; a `reason` is
 * one sentence for people.
 */
export const StreamHappening = z.discriminatedUnion('type', [
  /** A connection is being made. */
  z.object({ type: z.literal('attempt') }),
  /** It was answered with an event stream. */
  z.object({ type: z.literal('opened'), at: z.number() }),
  /** Bytes came, perhaps a heartbeat only; told at most once a second. */
  z.object({ type: z.literal('heard'), at: z.number() }),
  z.object({ type: z.literal('message'), message: StreamMessage, at: z.number() }),
  /** Lost; the next attempt is made at `nextAttemptAt`. */
  z.object({ type: z.literal('waiting'), nextAttemptAt: z.number(), reason: z.string() }),
  /** The three ends: nothing more is tried until somebody asks for it. */
  z.object({ type: z.literal('complete') }),
  z.object({ type: z.literal('refused'), reason: z.string() }),
  z.object({ type: z.literal('signed-out'), reason: z.string() }),
  /** Builds between what came before and what comes next are left out. */
  z.object({ type: z.literal('skipped'), at: z.number() }),
  /** A handler of messages threw. */
  z.object({ type: z.literal('fault') }),
])
export type StreamHappening = z.infer<typeof StreamHappening>
