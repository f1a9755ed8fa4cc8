import * as z from 'zod/mini'
import type { SessionUser } from '../../../protocol/session.ts'
import { ticketMistake, type Waiver, waiverStanding } from '../../../protocol/waiver.ts'
import { dayText, durationText, timeOfDayText, type Zone } from '../../ui/format.ts'
import { readMomentField } from '../../ui/moment-field.ts'

export const WaiverDraft = z.object({
  reason: z.string(),
  person: z.string(),
  /** An address or a key; empty for none. */
  ticket: z._default(z.string(), ''),
  /** As a field of type datetime-local holds it. */
  expires: z.string(),
})
export type WaiverDraft = z.infer<typeof WaiverDraft>

/** What is wrong with fields of it: a plain sentence each. */
export type WaiverMistakes = Readonly<Partial<Record<keyof WaiverDraft, string>>>

/** What the dialog gives: the part of a new waiver that a person decides. */
export interface GivenWaiver {
  readonly reason: string
  readonly person: string
  readonly ticket: string | null
  /** Epoch ms. */
  readonly expiresAt: number
}

const dayMs = 86_400_000
const presets = [7, 14, 30]

/** How many days are offered: those of 7, 14 and 30 that the longest waiver (ms) allows. */
export function presetDays(longestMs: number): readonly number[] {
  return presets.filter((days) => days * dayMs <= longestMs)
}

/** Reads what was typed at `now` (epoch ms), before anything is sent; the proxy reads it once more. */
export function readWaiverDraft(
  { reason, person, ticket, expires }: WaiverDraft,
  { now, longestMs, zone }: { now: number; longestMs: number; zone: Zone },
):
  | { readonly ok: true; readonly waiver: GivenWaiver }
  | { readonly ok: false; readonly mistakes: WaiverMistakes } {
  const expiresAt = readMomentField(expires, zone, now)
  const mistakes: WaiverMistakes = {
    ...(reason.trim() === ''
      ? { reason: 'Enter a reason why this can be released despite failing.' }
      : {}),
    ...(person.trim() === '' ? { person: 'Enter the person responsible for this waiver.' } : {}),
    ...(ticket.trim() === '' || ticketMistake(ticket.trim()) === undefined
      ? {}
      : { ticket: 'Enter an address that starts with https://, or a key such as REL-42.' }),
    ...expiryMistake(expiresAt, now, longestMs),
  }
  return expiresAt === undefined || Object.keys(mistakes).length > 0
    ? { ok: false, mistakes }
    : {
        ok: true,
        waiver: {
          reason: reason.trim(),
          person: person.trim(),
          ticket: ticket.trim() === '' ? null : ticket.trim(),
          expiresAt,
        },
      }
}

function expiryMistake(
  expiresAt: number | undefined,
  now: number,
  longestMs: number,
): WaiverMistakes {
  if (expiresAt === undefined) {
    return { expires: 'Choose when the waiver ends.' }
  }
  if (expiresAt <= now) return { expires: 'The end is in the past. Choose a later time.' }
  if (expiresAt > now + longestMs) {
    return {
      expires: `A waiver can last at most ${durationText(longestMs)}. Choose an earlier time.`,
    }
  }
  return {}
}

const soonMs = 36 * 3_600_000

/**
 * When a waiver ends, as people say it: "Dec 4", with its time where that is within 36 hours of `now`
 * ("Nov 20, 16:05"), with its year where that is another one. Epoch ms, in the viewer's zone.
 */
export function expiryText(at: number, zone: Zone, now: number): string {
  if (Math.abs(at - now) < soonMs) return `${dayText(at, zone)}, ${timeOfDayText(at, zone)}`
  const date = dayText(at, zone, 'date')
  return date.endsWith(dayText(now, zone, 'date').slice(-5)) ? dayText(at, zone) : date
}

/** What it is called to end waivers at `now`, epoch ms: those that wait are declined, or withdrawn by who granted them. */
export function endVerb(
  waivers: readonly Waiver[],
  user: string | undefined,
  now: number,
): 'End' | 'Decline' | 'Withdraw' {
  if (waivers.some((one) => waiverStanding(one, now) !== 'waiting for approval')) return 'End'
  return waivers.every((one) => isOwnWaiver(one, user)) ? 'Withdraw' : 'Decline'
}

/** Why somebody can't approve a waiver: a sentence or two; undefined where their role decides. */
export function approvalBlock(waiver: Waiver, user: SessionUser | undefined): string | undefined {
  if (isOwnWaiver(waiver, user?.name)) {
    return 'You granted this waiver. Another releaser must approve it.'
  }
  if (waiver.needsAdmin !== true || user?.roles.includes('admin') === true) return undefined
  return 'This waiver was granted with an access token. An admin must approve it.'
}

/** Whether somebody gave a waiver, so that another one has to approve it; an older server says only who did. */
function isOwnWaiver({ isOwn, by }: Waiver, user: string | undefined): boolean {
  return isOwn ?? by === user
}
