import { createHash } from 'node:crypto'
import { utcText } from '../../../policy/scan-report.ts'
import { policyName } from '../../../policy/policy-group.ts'
import { dayMs } from '../../../protocol/clock.ts'
import { countOf } from '../../../protocol/count.ts'
import { decodedSegment } from '../../../protocol/package-address.ts'
import type { Waiver } from '../../../protocol/waiver.ts'
import { addAlert, type Alert } from '../../store/alerts.ts'
import type { Database } from '../../store/database.ts'
import { endingWaivers } from '../../store/waivers.ts'
import { type AlertMessage, singleLine, written } from './alert-message.ts'

/** When people are reminded, and what the message links to. */
export interface ReminderRules {
  /** So many days before the end; of several that are due at once, the last counts. */
  readonly days: readonly number[]
  /** Where people open this Sightline; undefined where that is not configured. */
  readonly dashboard: string | undefined
  /** Who is reminded: names of receivers, empty for the one without a name. */
  readonly routes?: readonly string[]
}

/**
 * Puts down to be sent that waivers end, once for each waiver and day; those that were given at once
 * for one policy and scan and end at once are one message. A waiver that lasts no longer than that causes none. `now` is epoch
 * ms.
 */
export async function noteEndingWaivers(
  database: Database,
  { days, dashboard, routes = [''] }: ReminderRules,
  now: number,
): Promise<void> {
  if (days.length === 0) return
  const until = now + Math.max(...days) * dayMs
  const together = new Map<string, Waiver[]>()
  for (const waiver of await endingWaivers(database, { now, until })) {
    const key = `${tileOf(waiver)} ${waiver.expiresAt}`
    together.set(key, [...(together.get(key) ?? []), waiver])
  }
  for (const waivers of together.values()) {
    const [first] = waivers
    if (first === undefined) continue
    const { expiresAt, createdAt } = first
    const due = days.filter(
      (one) => expiresAt - now <= one * dayMs && createdAt < expiresAt - one * dayMs,
    )
    if (due.length === 0) continue
    for (const route of routes) {
      await addAlert(database, {
        tile: tileOf(first),
        spell: String(expiresAt),
        kind: `ends:${Math.min(...due)}`,
        ...written(reminderOf(first, waivers.length, dashboard)),
        createdAt: now,
        route,
      })
    }
  }
}

/** Whether a message, if it is such a reminder, is still true at `now`, epoch ms: one of its waivers will end then. */
export async function isReminderDue(
  database: Database,
  { tile, spell }: Pick<Alert, 'tile' | 'spell'>,
  now: number,
): Promise<boolean> {
  if (!tile.startsWith(tilePrefix)) return true
  const until = Number(spell)
  const ending = await endingWaivers(database, { now: Math.max(now, until - 1), until })
  return ending.some((waiver) => tileOf(waiver) === tile)
}

const tilePrefix = 'waivers '

/** The message says the policy and the scan of one of those that were given at once. */
function tileOf({ id, group, scan, policyUri }: Waiver): string {
  if (typeof group !== 'string') return `${tilePrefix}${id}`
  const what = createHash('sha256').update(`${scan}\n${policyUri}`).digest('hex').slice(0, 16)
  return `${tilePrefix}${group} ${what}`
}

function reminderOf(first: Waiver, count: number, dashboard: string | undefined): AlertMessage {
  const { policyUri, packagePath, scan, person, ticket, expiresAt } = first
  const [, , ...name] = packagePath.split('/').map(decodedSegment)
  const of = `of ${singleLine(policyName(policyUri).name)} (${singleLine(scan)})`
  const what =
    count === 1
      ? `The waiver ${of} for ${singleLine(name.join('/'))} ends`
      : `${countOf(count, 'waiver')} ${of} end`
  const subject = `${what} on ${utcText(expiresAt)}`
  const reference = typeof ticket === 'string' ? ` ${singleLine(ticket)}` : ''
  return {
    kind: 'other',
    mark: '',
    title: what,
    subject,
    text: `${subject}. Responsible: ${singleLine(person)}.${reference}`,
    ...(dashboard !== undefined && {
      link: { label: 'Waivers', url: `${dashboard.replace(/\/+$/, '')}/waivers?show=ending` },
    }),
    thread: '',
  }
}
