import { csvLine } from '../protocol/untrusted-text.ts'
import { rangeText } from '../protocol/version-order.ts'
import { coversScan, type Waiver, waiverStanding } from '../protocol/waiver.ts'
import { policyKey, policyName } from './policy-group.ts'

export interface NeedingRun {
  readonly packagePath: string
  readonly sha256: string
  readonly scan: string
  /** The URIs of the policies that fail, as far as they are known, and how many there are. */
  readonly failing: readonly string[]
  readonly unsatisfied: number
  /** Epoch ms. */
  readonly at: number
}

/**
 * The waivers that no run has needed since they were given: there were runs, and none of them fails the
 * policy. One without a run is not among them, nor one where not all that fails is known.
 */
export function unmatchedWaivers(
  waivers: readonly Waiver[],
  runs: readonly NeedingRun[],
): readonly Waiver[] {
  return waivers.filter((waiver) => {
    const key = policyKey(waiver.policyUri)
    const since = runs.filter((run) => run.at >= waiver.createdAt && coversScan(waiver, run))
    return (
      since.length > 0 &&
      !since.some(
        ({ failing, unsatisfied }) =>
          failing.length < unsatisfied || failing.some((uri) => policyKey(uri) === key),
      )
    )
  })
}

/** The parts of the register. */
export const registerParts = ['in force', 'waiting', 'ending', 'unmatched', 'ended'] as const
export type RegisterPart = (typeof registerParts)[number]

/** A waiver ends soon where it does within this, ms. */
export const endsSoonMs = 7 * 24 * 3_600_000

/** Where a waiver stands at `now`, epoch ms: `ending` within seven days, `unmatched` by `unmatchedWaivers`. */
export function partsOf(
  waiver: Waiver,
  { now, unmatched }: { readonly now: number; readonly unmatched: ReadonlySet<string> },
): readonly RegisterPart[] {
  const standing = waiverStanding(waiver, now)
  if (standing === 'waiting for approval') return ['waiting']
  if (standing !== 'in force') return ['ended']
  return [
    'in force',
    ...(waiver.expiresAt - now <= endsSoonMs ? (['ending'] as const) : []),
    ...(unmatched.has(waiver.id) ? (['unmatched'] as const) : []),
  ]
}

/** Waivers in force that end within seven days of `now` (epoch ms), the first to end first. */
export function endingSoon(waivers: readonly Waiver[], now: number): readonly Waiver[] {
  return waivers
    .filter(
      (waiver) =>
        waiverStanding(waiver, now) === 'in force' && waiver.expiresAt - now <= endsSoonMs,
    )
    .toSorted((a, b) => a.expiresAt - b.expiresAt)
}

/** Whether somebody may renew a waiver: one in force, or that has expired, that nobody has renewed yet. */
export function isRenewable(waiver: Waiver, now: number): boolean {
  const standing = waiverStanding(waiver, now)
  return typeof waiver.renewedBy !== 'string' && (standing === 'in force' || standing === 'expired')
}

const header =
  'id,standing,policy,policy uri,scan,package,sha256,versions,reason,responsible,given by,given at,ends at,ended at,ended by,approved by,approved at,ticket,given together,carried over from,renews\r\n'

/** One line for each waiver as it stands at `now` (epoch ms), with a header, after RFC 4180. */
export function waiverCsv(waivers: readonly Waiver[], now: number): string {
  const moment = (at: number | null | undefined): string =>
    typeof at === 'number' ? new Date(at).toISOString() : ''
  return (
    header +
    waivers
      .map((waiver) =>
        csvLine([
          waiver.id,
          waiverStanding(waiver, now),
          policyName(waiver.policyUri).name,
          waiver.policyUri,
          waiver.scan,
          waiver.packagePath,
          waiver.sha256,
          waiver.versions === null || waiver.versions === undefined
            ? ''
            : rangeText(waiver.versions),
          waiver.reason,
          waiver.person,
          waiver.by,
          moment(waiver.createdAt),
          moment(waiver.expiresAt),
          moment(waiver.endedAt),
          waiver.endedBy ?? '',
          waiver.approvedBy ?? '',
          moment(waiver.approvedAt),
          waiver.ticket ?? '',
          waiver.group ?? '',
          waiver.carriedFrom ?? '',
          waiver.renews ?? '',
        ]),
      )
      .join('')
  )
}
