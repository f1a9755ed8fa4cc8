import { utcText } from './scan-report.ts'
import type { BoardOutcome } from '../protocol/board-run.ts'
import { countOf } from '../protocol/count.ts'
import type { NamedDate } from '../protocol/evaluation.ts'
import type { Waiver } from '../protocol/waiver.ts'
import { policyKey, policyName } from './policy-group.ts'
import {
  countedVerdict,
  isInForce,
  type WaivedScan,
  type WaivedVerdict,
  waiversInForce,
} from './waived-verdict.ts'

/** How a scan came out, and what of it is waived. */
export interface DatedScan {
  readonly scan: WaivedScan
  readonly outcome: BoardOutcome
  readonly waivers: readonly Waiver[]
  /** Whether a newer run, which broke off, fails it. */
  readonly isOverruled?: boolean
}

/** Something that no longer holds, or begins to hold, before a date. Times are epoch ms. */
export type DatedChange =
  /** A waiver of a policy that fails. */
  | {
      readonly is: 'waiver-ends'
      readonly at: number
      readonly uri: string
      readonly waiver: Waiver
    }
  | NamedDate

/** A scan as it stands now, and as it will on a date if nothing is done. */
export interface AsOf {
  readonly now: WaivedVerdict['verdict']
  /** Never better than what is known today: validity that has run out makes it inconclusive. */
  readonly then: WaivedVerdict['verdict']
  /** What changes until then, in the order of time. */
  readonly changes: readonly DatedChange[]
}

/**
 * What will no longer hold on a date if nothing is done, from what is known at `now` (epoch ms): waivers
 * that will have ended, validity in the details of results that will have run out, and policies whose
 * labels name a day from which they count. A date that is past changes nothing.
 */
export function asOf(
  { scan, outcome, waivers, isOverruled = false }: DatedScan,
  { now, date }: { readonly now: number; readonly date: number },
): AsOf {
  const waivedNow = waiversInForce(waivers, scan, now)
  // Only what counts today may count then: what waits for approval is not counted on.
  const given = waivers.filter((waiver) => isInForce(waiver, now))
  const waivedThen = date <= now ? waivedNow : waiversInForce(given, scan, date)
  const failing = outcome.failing
    .filter(({ status }) => status === 'unsatisfied')
    .map(({ uri }) => ({ uri, key: policyKey(uri) }))
  const verdictWith = (waived: ReadonlyMap<string, Waiver>): AsOf['now'] =>
    isOverruled
      ? 'not-releasable'
      : countedVerdict(outcome, failing.filter(({ key }) => waived.has(key)).length)
  const ends = failing.flatMap(({ uri, key }): DatedChange[] => {
    const waiver = waivedThen.has(key) ? undefined : waivedNow.get(key)
    return waiver === undefined ? [] : [{ is: 'waiver-ends', at: waiver.expiresAt, uri, waiver }]
  })
  const ending = new Set(ends.map(({ uri }) => uri))
  const dates = (outcome.dates ?? []).filter(
    ({ uri, at }) => at > now && at <= date && !ending.has(uri),
  )
  const then = verdictWith(waivedThen)
  return {
    now: verdictWith(waivedNow),
    then: dates.length > 0 && then !== 'not-releasable' ? 'undecided' : then,
    changes: [...ends, ...dates].toSorted((a, b) => a.at - b.at),
  }
}

/** "Releasable today, not on Dec 1: 2 waivers end." `dayText` names the date. */
export function asOfSentence({ now, then, changes }: AsOf, dayText: string): string {
  if (changes.length === 0) return `Nothing that is recorded here changes until ${dayText}.`
  const text = changesText(changes)
  if (now === 'not-releasable') return `Not releasable today. Until ${dayText}: ${text}.`
  if (now === 'undecided') return `Inconclusive today. Until ${dayText}: ${text}.`
  if (now === 'nothing-applied') return `No policies apply today. Until ${dayText}: ${text}.`
  return `Releasable today, ${then === 'not-releasable' ? 'not' : 'inconclusive'} on ${dayText}: ${text}.`
}

/**
 * The same for what is read later and elsewhere: “2026-12-01 (judged Nov 22, 2026, 10:00 UTC): …”. `day`
 * is the day as its address has it, `now` epoch ms.
 */
export function asOfText(day: string, now: number, sentence: string): string {
  return `${day} (judged ${utcText(now)}): ${sentence}`
}

/** "2 waivers end, validity in provenance ends": a waiver counts once, whatever it covers. */
export function changesText(changes: readonly DatedChange[]): string {
  const ends = new Set(changes.flatMap((one) => (one.is === 'waiver-ends' ? [one.waiver.id] : [])))
  return [
    ...(ends.size > 0 ? [countOf(ends.size, 'waiver ends', 'waivers end')] : []),
    ...named(changes, 'validity-ends').map((name) => `validity in ${name} ends`),
    ...named(changes, 'takes-effect').map((name) => `${name} takes effect`),
  ].join(', ')
}

function named(changes: readonly DatedChange[], which: DatedChange['is']): readonly string[] {
  return [
    ...new Set(changes.filter(({ is }) => is === which).map(({ uri }) => policyName(uri).name)),
  ]
}
