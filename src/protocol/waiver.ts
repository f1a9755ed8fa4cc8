import * as z from 'zod/mini'
import { EpochMs } from './build-message.ts'

/** Where waivers are kept, and given: with `/<id>/end` after it, where one is ended early. */
export const waiversPath = '/history/waivers'

/** What a waiver is for: one policy of one scan on one artifact. */
export const WaiverScope = z.looseObject({
  /** As `packagePath` of protocol/package-address.ts writes it, version and all. */
  packagePath: z.string().check(z.minLength(1)),
  /** Lower-case hex. */
  sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
  scan: z.string().check(z.minLength(1)),
  policyUri: z.string().check(z.minLength(1)),
})
export type WaiverScope = z.infer<typeof WaiverScope>

/** What somebody asks for who waives a policy; who that is, the proxy knows. */
export const NewWaiver = z.extend(WaiverScope, {
  /** Why; never empty. */
  reason: z.string().check(z.trim(), z.minLength(1), z.maxLength(2000)),
  /** Who answers for it: the one who asks, or somebody that is named. */
  person: z.string().check(z.trim(), z.minLength(1), z.maxLength(200)),
  /** When it ends by itself: in the future, and not later than the proxy allows. */
  expiresAt: EpochMs,
  /** The waiver of another version that this one carries on; else null. */
  carriedFrom: z.nullish(z.string()),
})
export type NewWaiver = z.infer<typeof NewWaiver>

/**
 * Somebody let a policy pass for a time. It never changes what the upstream said: it stands beside it.
 * In force until `expiresAt`, unless it was ended before.
 */
export const Waiver = z.extend(NewWaiver, {
  id: z.string().check(z.minLength(1)),
  /** The user of the session that gave it. */
  by: z.string(),
  createdAt: EpochMs,
  /** Ended early; null while it was not. */
  endedAt: z.nullable(EpochMs),
  endedBy: z.nullable(z.string()),
})
export type Waiver = z.infer<typeof Waiver>

/**
 * The answer of `GET /history/waivers?path=…`: `path` is a `packagePath`, or one without its last
 * segment and with `/*` after it, for all versions. The newest first, ended ones included.
 */
export const WaiverList = z.looseObject({
  waivers: z.array(Waiver),
  /** The longest a waiver may last, ms. */
  longestMs: z.number(),
})
export type WaiverList = z.infer<typeof WaiverList>
