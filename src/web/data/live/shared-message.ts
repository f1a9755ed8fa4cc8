import { z } from 'zod'
import { FeedState } from './feed-state.ts'
import { StreamHappening, StreamMessage } from './stream-happening.ts'

/**
 * What the tabs of one browser say to each other about the one stream that they share. The tab that
 * leads reads it from the proxy; the others follow.
 */
export const SharedMessage = z.discriminatedUnion('type', [
  /** The leader: a new one has begun, and whoever follows should ask for what is missing. */
  z.object({ type: z.literal('leads') }),
  /** The leader: still here. */
  z.object({ type: z.literal('pulse') }),
  /** The leader: this has happened to the stream, in this order. */
  z.object({ type: z.literal('told'), happenings: z.array(StreamHappening) }),
  /** A follower: what came after this build, or everything, and the facts that earlier ones lack. */
  z.object({
    type: z.literal('ask'),
    from: z.string(),
    after: z.union([z.string(), z.undefined()]),
    lacking: z.array(z.string()),
  }),
  /** The leader, to one follower: the next rows, as the messages that made them. */
  z.object({
    type: z.literal('history'),
    to: z.string(),
    messages: z.array(StreamMessage),
    /** Builds between what was asked for and these are no longer kept. */
    missing: z.boolean(),
    /** Nothing is left: what is told from here on continues it. */
    done: z.boolean(),
    state: FeedState,
  }),
  /** A follower: needs nothing any more. */
  z.object({ type: z.literal('bye'), from: z.string() }),
  /** A follower: somebody there wants it. */
  z.object({ type: z.literal('command'), command: z.enum(['reconnect', 'skipToNow']) }),
])
export type SharedMessage = z.infer<typeof SharedMessage>
