import * as z from 'zod/mini'
import { EpochMs } from './build-message.ts'

/** Where a screen that has no session asks for a code: `POST`, without a body or a session. */
export const activationPath = '/session/activation'

/** Where it asks whether somebody has confirmed the code: `POST` of an `ActivationClaim`. */
export const activationClaimPath = '/session/activation/claim'

/** Where screens are listed, confirmed and, by `DELETE` of `/<id>`, revoked; for publishers and admins. */
export const screensPath = '/screens'

/** A code to be read from the screen and typed by somebody who is signed in; usable once. */
export const Activation = z.looseObject({
  /** Such as `K7RM-4XTN`; case, spaces and the hyphen do not matter where it is typed. */
  code: z.string(),
  /** What the screen claims with; never shown. */
  secret: z.string(),
  expiresAt: EpochMs,
  /** How long to wait between two claims, ms. */
  pollMs: z.number().check(z.positive()),
})
export type Activation = z.infer<typeof Activation>

/**
 * The body of a claim. Answers: 202 with `ActivationWaiting` while nobody has confirmed; 200 with a
 * `Session` of role `screen`, once, and another one for a claim `again` until it is used; 404 `activation-unknown`
 * when the code has expired or was used: the screen asks for a new one.
 */
export const ActivationClaim = z.object({
  secret: z.string().check(z.minLength(1), z.maxLength(200)),
  /** The response to an earlier claim may have been lost: a session that wasn't used yet is replaced. */
  again: z.optional(z.boolean()),
})

export const ActivationWaiting = z.looseObject({
  waiting: z.literal(true),
  expiresAt: EpochMs,
  pollMs: z.number().check(z.positive()),
})

/** A screen with a credential of its own: it may read what walls show only. */
export const Screen = z.looseObject({
  id: z.string().check(z.minLength(1)),
  name: z.string(),
  /** Who confirmed it. */
  by: z.string(),
  createdAt: EpochMs,
  /** Moves on while the screen is used. */
  expiresAt: EpochMs,
  /** To within some minutes; null while it was never used. */
  lastSeenAt: z.nullable(EpochMs),
})
export type Screen = z.infer<typeof Screen>

/** The answer of `GET /screens`: the newest first, without those that were revoked; `ended` are those that expired, 20 at most. */
export const ScreenList = z.looseObject({
  screens: z.array(Screen),
  ended: z.optional(z.array(Screen)),
})

/** The body of `POST /screens`, which is answered 201 with the `Screen`: confirms a code. */
export const NewScreen = z.object({
  code: z.string().check(z.trim(), z.minLength(1), z.maxLength(20)),
  name: z.string().check(z.trim(), z.minLength(1), z.maxLength(80)),
})
export type NewScreen = z.infer<typeof NewScreen>
