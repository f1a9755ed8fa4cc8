import * as z from 'zod/mini'
import { EpochMs } from './build-message.ts'
import { Facts } from './facts.ts'
import { ProblemDetail } from './problem.ts'

/** A tile of a wall: a search, under a title. */
export const WallTile = z.looseObject({
  title: z.string(),
  /** In docs/services.md#advanced-search-syntax. */
  query: z.string(),
  /** Stays in front, whatever its state. */
  pinned: z._default(z.boolean(), false),
  /** The branch that it stands for, `*` for all; left out, the default branch of each project. */
  branch: z.optional(z.string()),
})
export type WallTile = z.infer<typeof WallTile>

/** A wall that everybody who uses this proxy is offered. */
export const Wall = z.looseObject({
  /** The last segment of its address: `/wall/<name>`. */
  name: z.string().check(z.minLength(1)),
  title: z.optional(z.string()),
  /** None: one tile for each project that arrives. */
  tiles: z._default(z.array(WallTile), []),
  /** `failing-first`: red, then flaky, then healthy; `stable`: as they are written. */
  order: z._default(z.enum(['failing-first', 'stable']), 'failing-first'),
  group: z._default(z.enum(['none', 'project', 'tool']), 'none'),
})
export type Wall = z.infer<typeof Wall>

/** Where a screen that has no session asks for a code: `POST`, without a body or a session. */
export const activationPath = '/session/activation'

/** Where it asks whether somebody has confirmed the code: `POST` of an `ActivationClaim`. */
export const activationClaimPath = '/session/activation/claim'

/**
 * Where somebody who is signed in sees, confirms and, with `/<id>` behind it and `DELETE`, revokes
 * screens. For publishers and admins.
 */
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
 * `Session` of role `screen`, once; 404 `activation-unknown` when the code has expired or was used:
 * the screen asks for a new one.
 */
export const ActivationClaim = z.object({
  secret: z.string().check(z.minLength(1), z.maxLength(200)),
})

/** Nobody has confirmed the code yet. */
export const ActivationWaiting = z.looseObject({
  waiting: z.literal(true),
  expiresAt: EpochMs,
  pollMs: z.number().check(z.positive()),
})

/** A screen with a credential of its own: it may read the configuration and the live feed only. */
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

/** The answer of `GET /screens`: the newest first, without those that were revoked or expired. */
export const ScreenList = z.looseObject({ screens: z.array(Screen) })

/** The body of `POST /screens`, which is answered 201 with the `Screen`: confirms a code. */
export const NewScreen = z.object({
  code: z.string().check(z.trim(), z.minLength(1), z.maxLength(20)),
  name: z.string().check(z.trim(), z.minLength(1), z.maxLength(80)),
})
export type NewScreen = z.infer<typeof NewScreen>

/** Where screens ask for the newest builds of a query; the proxy asks the server once for all of them. */
export const sharedSearchPath = '/live/search'

/** The address of the shared search of a query, in docs/services.md#advanced-search-syntax. */
export function sharedSearchAddress(query: string): string {
  return `${sharedSearchPath}?${new URLSearchParams({ query }).toString()}`
}

/** How many builds a shared search holds at most. */
export const sharedSearchBuilds = 50

/**
 * The answer of `GET /live/search?query=…`: always a picture, perhaps an old one. A query with an
 * error is refused with 400 and `queryMistakes`, `{from, to, message}` each, offsets in what was
 * asked; more distinct queries than the proxy holds are refused with 429 and Retry-After.
 */
export const SharedSearch = z.looseObject({
  /** The form in which equal queries meet. */
  query: z.string(),
  /** The newest builds that match, the newest first; of some, more may become known later. */
  builds: z.array(Facts),
  /** When the server answered so, epoch ms of the proxy's clock; null while it never has. */
  askedAt: z.nullable(EpochMs),
  /** How old the picture was when this was sent, ms. */
  ageMs: z.nullable(z.number().check(z.nonnegative())),
  /** How soon there may be something new: earlier, the same answer would come again. */
  pollMs: z.number().check(z.nonnegative()),
  /**
   * Whether the build server searches. `unsupported`: it knows no queries, so `builds` is empty and the
   * feed alone can answer; `unknown`: it has not answered yet.
   */
  search: z.enum(['supported', 'unsupported', 'unknown']),
  /** Why the newest try failed, while the picture before it is still shown; else null. */
  problem: z.nullable(ProblemDetail),
})
export type SharedSearch = z.infer<typeof SharedSearch>
