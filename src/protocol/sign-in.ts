import * as z from 'zod/mini'
import { EpochMs } from './build-message.ts'
import { SessionUser, SignInMode } from './session.ts'

// Apart from the session, which every first load of a page has.

/** The longest path that the server leads back to after a sign-in, in characters. */
export const longestWayBack = 2000

/** What the 401 problem `signed-out` of `POST /session` says besides its sentence: how to sign in. */
export const SignedOut = z.looseObject({
  mode: z.optional(SignInMode),
  /** `oidc`: where a browser goes to sign in; `?to=` takes the path to come back to. */
  signInUrl: z.optional(z.string()),
  /** `oidc`: signing in again takes no decision, as the session was lost and nobody ended it. */
  again: z.optional(z.boolean()),
  /** `header`: where a browser goes to sign out of the reverse proxy, for somebody without a role. */
  endSessionUrl: z.optional(z.string()),
  /** Why the sign-in that was just tried failed, once, and the claims that came, if any. */
  failure: z.optional(
    z.looseObject({ detail: z.string(), claims: z.optional(z.record(z.string(), z.unknown())) }),
  ),
})
export type SignedOut = z.infer<typeof SignedOut>

/** The body of `POST /session` in the mode `tokens`. */
export const TokenSignIn = z.object({ token: z.string().check(z.minLength(1)) })

/** The answer of `GET /session`: what is known of the one who is signed in, and why. */
export const SessionReport = z.looseObject({
  user: SessionUser,
  mode: SignInMode,
  /** What was received about them, by the names that the sender uses; never a secret. */
  claims: z._default(z.record(z.string(), z.unknown()), {}),
  /** Which rule of the configuration gave the roles, in words; '' where there is none. */
  rule: z._default(z.string(), ''),
  /** Epoch ms; null where nobody has to sign in. */
  signedInAt: z._default(z.nullable(EpochMs), null),
  /** When they have to sign in again at the latest, epoch ms; null for never. */
  endsAt: z._default(z.nullable(EpochMs), null),
  /** Whether Sightline can sign them out; behind a reverse proxy only where its own sign-out is configured. */
  canSignOut: z.optional(z.boolean()),
})
export type SessionReport = z.infer<typeof SessionReport>

/** The answer of `DELETE /session`. */
export const SignOutAnswer = z.looseObject({
  /** Where a browser goes to end the session with the identity provider as well. */
  endSessionUrl: z.optional(z.string()),
})
export type SignOutAnswer = z.infer<typeof SignOutAnswer>
