import type { Waiver } from '../protocol/waiver.ts'
import type { PolicyGroup } from './policy-group.ts'
import { policyName } from './policy-group.ts'
import { isInForce, type WaivedScan, type WaivedVerdict, waivedVerdict } from './waived-verdict.ts'
import { countOf } from '../protocol/count.ts'

/** What was said of a scan, and what of it is waived. */
export interface DatedScan {
  readonly scan: WaivedScan
  readonly groups: readonly PolicyGroup[]
  readonly answer: { readonly unreadable: number; readonly complete: boolean }
  readonly waivers: readonly Waiver[]
}

/** Something that no longer holds, or begins to hold, before a date. Times are epoch ms. */
export type DatedChange =
  /** A waiver of a policy that fails. */
  | {
      readonly is: 'waiver-ends'
      readonly at: number
      readonly group: PolicyGroup
      readonly waiver: Waiver
    }
  /** The details of a satisfied policy name a time until which something is valid. */
  | {
      readonly is: 'validity-ends'
      readonly at: number
      readonly group: PolicyGroup
      /** The name of the field. */
      readonly field: string
    }
  /** A label of a policy that isn't satisfied names the day from which it counts. */
  | {
      readonly is: 'takes-effect'
      readonly at: number
      readonly group: PolicyGroup
      /** The name of the label. */
      readonly label: string
    }

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
  { scan, groups, answer, waivers }: DatedScan,
  { now, date }: { readonly now: number; readonly date: number },
): AsOf {
  const today = waivedVerdict(groups, answer, { waivers, scan, now })
  if (date <= now) return { now: today.verdict, then: today.verdict, changes: [] }
  const then = waivedVerdict(groups, answer, { waivers: given(waivers, now), scan, now: date })
  const isWithin = (at: number): boolean => at > now && at <= date
  const changes = groups.flatMap((group): DatedChange[] => {
    const waiver = today.waived.get(group.key)
    if (waiver !== undefined && !then.waived.has(group.key)) {
      return [{ is: 'waiver-ends', at: waiver.expiresAt, group, waiver }]
    }
    return group.status === 'satisfied'
      ? validityEnds(group).filter(({ at }) => isWithin(at))
      : takesEffect(group).filter(({ at }) => isWithin(at))
  })
  const isUnsure = changes.some(({ is }) => is !== 'waiver-ends')
  return {
    now: today.verdict,
    then: isUnsure && then.verdict !== 'not-releasable' ? 'undecided' : then.verdict,
    changes: changes.toSorted((a, b) => a.at - b.at),
  }
}

/** Only what counts today may count then: what waits for approval is not counted on. */
function given(waivers: readonly Waiver[], now: number): readonly Waiver[] {
  return waivers.filter((waiver) => isInForce(waiver, now))
}

/** "Releasable today, not on 1 Dec: 2 waivers end, validity of provenance ends." Undefined where nothing changes. */
export function asOfSentence({ now, then, changes }: AsOf, dayText: string): string | undefined {
  if (changes.length === 0) return undefined
  const ends = changes.filter(({ is }) => is === 'waiver-ends').length
  const reasons = [
    ...(ends > 0 ? [`${countOf(ends, 'waiver')} ${ends === 1 ? 'ends' : 'end'}`] : []),
    ...named(changes, 'validity-ends').map((name) => `validity in ${name} ends`),
    ...named(changes, 'takes-effect').map((name) => `${name} takes effect`),
  ].join(', ')
  if (now === then) return `Until ${dayText}: ${reasons}.`
  const isGood = now !== 'not-releasable' && now !== 'undecided'
  if (!isGood) return `Until ${dayText}: ${reasons}.`
  return then === 'not-releasable'
    ? `Releasable today, not on ${dayText}: ${reasons}.`
    : `Releasable today, uncertain on ${dayText}: ${reasons}.`
}

function named(changes: readonly DatedChange[], which: DatedChange['is']): readonly string[] {
  return [
    ...new Set(
      changes.filter(({ is }) => is === which).map(({ group }) => policyName(group.policyUri).name),
    ),
  ]
}

/** How servers name the time until which something is valid. */
const validity =
  /^(?:not[_-]?after|valid[_-]?(?:until|to|thru|through)|expir(?:y|es|ation)(?:[_-]?(?:at|on|date|time))?|expires)$/i
/** How labels name the day from which a policy counts. */
const effect = /(?:^|[/._-])(?:effective|enforced?|enforcement)[._-]?(?:on|from|since|date|at)?$/i

const deepest = 6
const mostValues = 2000

function validityEnds(group: PolicyGroup): readonly DatedChange[] {
  let left = mostValues
  const found = new Map<string, number>()
  const look = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > deepest) return
    for (const [field, inner] of Object.entries(value)) {
      if ((left -= 1) < 0) return
      const at = validity.test(field) ? readMoment(inner) : undefined
      if (at !== undefined) found.set(field, Math.min(at, found.get(field) ?? Infinity))
      look(inner, depth + 1)
    }
  }
  for (const { status, details } of group.results) if (status === 'satisfied') look(details, 0)
  return [...found].map(([field, at]) => ({ is: 'validity-ends', at, group, field }))
}

function takesEffect(group: PolicyGroup): readonly DatedChange[] {
  return Object.entries(group.labels).flatMap(([label, value]) => {
    const at = effect.test(label) ? readMoment(value) : undefined
    return at === undefined ? [] : [{ is: 'takes-effect', at, group, label } as const]
  })
}

/** A time as JSON has it: ISO 8601, a day (its start in UTC), or seconds or ms since 1970. */
function readMoment(value: unknown): number | undefined {
  if (typeof value === 'number') {
    const at = value < 100_000_000_000 ? value * 1000 : value
    return Number.isFinite(at) && at > 0 && at <= 8_640_000_000_000_000 ? at : undefined
  }
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}(?:$|[T ])/.test(value)) return undefined
  const at = Date.parse(value.length === 10 ? `${value}T00:00:00Z` : value.replace(' ', 'T'))
  return Number.isNaN(at) ? undefined : at
}
