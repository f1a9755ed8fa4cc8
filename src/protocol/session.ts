import * as z from 'zod/mini'
import { EpochMs } from './build-message.ts'

/** Where a browser gets its session (docs/design.md#proxy-routes). */
export const sessionPath = '/session'

/** What a person may do. `viewer` reads; `screen` is a wall; the others come with sign-in. */
export const Role = z.enum(['viewer', 'publisher', 'admin', 'screen'])
export type Role = z.infer<typeof Role>

/** The answer of `POST /session`: a bearer token for this proxy, never an upstream credential. */
export const Session = z.looseObject({
  token: z.string().check(z.minLength(1)),
  expiresAt: EpochMs,
  user: z.looseObject({ name: z.string(), roles: z.array(Role) }),
})
export type Session = z.infer<typeof Session>
