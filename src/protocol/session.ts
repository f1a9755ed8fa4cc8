import * as z from 'zod/mini'
import { EpochMs } from './build-message.ts'

/** Where a browser gets its session (docs/design.md#proxy-routes). */
export const sessionPath = '/session'

/** What somebody may do (permission.ts): `viewer` reads, `releaser` decides, `screen` is a wall. */
export const Role = z.enum(['screen', 'viewer', 'releaser', 'admin'])
export type Role = z.infer<typeof Role>

export const SessionUser = z.looseObject({
  name: z.string(),
  roles: z.array(Role),
  /** The packages and policy scans that the roles are for, as patterns; absent: all. */
  limits: z.optional(
    z.looseObject({
      packages: z.optional(z.array(z.string())),
      scans: z.optional(z.array(z.string())),
    }),
  ),
})
export type SessionUser = z.infer<typeof SessionUser>

/** How people sign in: `SIGHTLINE_SIGN_IN`. */
export const SignInMode = z.enum(['none', 'tokens', 'header', 'oidc'])
export type SignInMode = z.infer<typeof SignInMode>

/** The answer of `POST /session`: a bearer token for this proxy, never an upstream credential. */
export const Session = z.looseObject({
  token: z.string().check(z.minLength(1)),
  expiresAt: EpochMs,
  user: SessionUser,
  /** The same in every session of a person, to be compared and not shown; as `mode`, not always there. */
  person: z.optional(z.string()),
  /** How they signed in; a screen and an older server say nothing. */
  mode: z.optional(SignInMode),
})
export type Session = z.infer<typeof Session>
