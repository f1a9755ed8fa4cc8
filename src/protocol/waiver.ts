import * as z from 'zod/mini'
import { EpochMs } from './build-message.ts'
import { packageNameOf, versionOf } from './package-address.ts'
import { parsedUrl } from './parsed-text.ts'
import { isWithinVersions } from './version-order.ts'

/** Where waivers are kept, and given: with `/<id>/end` after it, where one is ended early. */
export const waiversPath = '/history/waivers'

/** Where several are given, ended or approved by one request: all of them, or none. */
export const waiverBulkPath = `${waiversPath}/bulk`
export const unmatchedWaiversPath = `${waiversPath}/unmatched`
export const waiverEndPath = `${waiversPath}/end`
export const waiverApprovalPath = `${waiversPath}/approve`

/** As many waivers one request may give, end or approve. */
export const mostWaiversAtOnce = 500

/** The longest ticket, characters. */
const mostTicketCharacters = 500

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

/** Versions of the package that a waiver covers, whatever their artifacts; see version-order.ts. */
const WaiverVersions = z.object({
  from: z.string().check(z.minLength(1)),
  /** Null: no last version. */
  until: z.nullable(z.string()),
})

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
  /** The waiver that this one renews: it ends when this one comes into force. */
  renews: z.nullish(z.string()),
  /** The address or the key of a ticket (`ticketLink`). */
  ticket: z.nullish(z.string().check(z.maxLength(mostTicketCharacters))),
  /** Null: only the artifact that it was given for. */
  versions: z.nullish(WaiverVersions),
})
export type NewWaiver = z.infer<typeof NewWaiver>

/** Lets a policy pass until `expiresAt`, or until it is ended. What the upstream said stays as it is. */
export const Waiver = z.extend(NewWaiver, {
  id: z.string().check(z.minLength(1)),
  /** The user of the session that gave it. */
  by: z.string(),
  createdAt: EpochMs,
  /** Ended early; null while it was not. */
  endedAt: z.nullable(EpochMs),
  endedBy: z.nullable(z.string()),
  /** What those have in common that were given by one request; else null. */
  group: z.nullish(z.string()),
  /** The waiver that renews it, or is to once it is approved. */
  renewedBy: z.nullish(z.string()),
  /** It counts only once somebody else has approved it. */
  needsApproval: z.optional(z.boolean()),
  approvedAt: z.nullish(EpochMs),
  approvedBy: z.nullish(z.string()),
  /** Whether the one who reads it gave it, who can't approve it; absent where nobody in particular does. */
  isOwn: z.optional(z.boolean()),
  /** Whether only an admin approves it: beside an identity provider an access token doesn't say who gave it. */
  needsAdmin: z.optional(z.boolean()),
})
export type Waiver = z.infer<typeof Waiver>

/** The answer where several were given, ended or approved: as they are now, in the order of the request. */
export const ChangedWaivers = z.looseObject({ waivers: z.array(Waiver) })
export type ChangedWaivers = z.infer<typeof ChangedWaivers>

export type WaiverStanding =
  | 'in force'
  | 'waiting for approval'
  | 'renewed'
  | 'declined'
  | 'withdrawn'
  | 'ended early'
  | 'expired'

/** How a waiver stands at `now`, epoch ms. One that was never approved never was in force. */
export function waiverStanding(waiver: Waiver, now: number): WaiverStanding {
  const isWaiting = waiver.needsApproval === true && typeof waiver.approvedAt !== 'number'
  if (waiver.endedAt !== null) {
    if (isWaiting) return waiver.endedBy === waiver.by ? 'withdrawn' : 'declined'
    return typeof waiver.renewedBy === 'string' ? 'renewed' : 'ended early'
  }
  if (now >= waiver.expiresAt) return 'expired'
  return isWaiting ? 'waiting for approval' : 'in force'
}

/** Whether a waiver is about a scan of an artifact, in force or not. */
export function coversScan(
  waiver: NewWaiver,
  { packagePath, sha256, scan }: Pick<WaiverScope, 'packagePath' | 'sha256' | 'scan'>,
): boolean {
  if (waiver.scan !== scan) return false
  if (waiver.packagePath === packagePath && waiver.sha256 === sha256) return true
  return (
    waiver.versions !== null &&
    waiver.versions !== undefined &&
    packageNameOf(waiver.packagePath) === packageNameOf(packagePath) &&
    isWithinVersions(versionOf(packagePath), waiver.versions)
  )
}

/** The address of a ticket where it is one that a browser may open; null for a key such as `REL-42`. */
export function ticketLink(ticket: string): string | null {
  const parsed = /^https?:\/\//i.test(ticket) ? parsedUrl(ticket) : undefined
  if (parsed === undefined) return null
  const { username, password, href } = parsed
  return username === '' && password === '' ? href : null
}

/** What is wrong with a ticket, after its name; undefined where nothing is. */
export function ticketMistake(ticket: string): string | undefined {
  if (ticket.length > mostTicketCharacters) {
    return `has more than ${mostTicketCharacters} characters.`
  }
  if (ticketLink(ticket) !== null || /^[\p{L}\p{N}#][\p{L}\p{N}_#./-]*$/u.test(ticket))
    return undefined
  return 'must be an address that starts with https://, or a key such as REL-42.'
}

/** Which waivers count only once somebody else has approved them: all, none, or some. */
export const ApprovalRule = z.union([
  z.enum(['none', 'required']),
  z.looseObject({
    /** Names of policy scans. */
    scans: z.array(z.string()),
    /** Values of the policy's `severity` label, in lower case. */
    severities: z.array(z.string()),
  }),
])
export type ApprovalRule = z.infer<typeof ApprovalRule>

/**
 * The answer of `GET /history/waivers?path=…`: `path` is a `packagePath`, or one without its last
 * segment and with `/*` after it, for all versions; without it, those of all packages. The newest first, ended ones included.
 */
export const WaiverList = z.looseObject({
  waivers: z.array(Waiver),
  /** The longest a waiver may last, ms. */
  longestMs: z.number(),
  /** Which waivers wait for somebody else's approval; none: no waiver does. */
  approval: z._default(ApprovalRule, 'none'),
})
export type WaiverList = z.infer<typeof WaiverList>

/** The answer of `GET /history/waivers/unmatched`: of those in force, the ones that no run has needed since they were given, though some ran. */
export const UnmatchedWaivers = z.looseObject({ ids: z.array(z.string()) })
