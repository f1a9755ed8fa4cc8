import { countOf, countText } from '../protocol/count.ts'
import type { EvaluationSummary } from '../protocol/evaluation.ts'
import {
  coversScan,
  type Waiver,
  type WaiverScope,
  waiverStanding,
  type WaiverStanding,
} from '../protocol/waiver.ts'
import { type PolicyGroup, policyKey } from './policy-group.ts'
import {
  butUnchecked,
  type ScanVerdict,
  scanVerdict,
  type Verdict,
  verdictSentence,
  mostPolicies,
  policyCount,
} from './verdict.ts'

/** What a scan says where waivers are counted: beside the upstream's own verdict, never instead of it. */
export interface WaivedVerdict {
  readonly said: ScanVerdict
  /** `releasable-with-waivers` where only waived policies fail. */
  readonly verdict: Verdict | 'releasable-with-waivers'
  /** The waiver of each policy that fails and is waived, by `PolicyGroup.key`. */
  readonly waived: ReadonlyMap<string, Waiver>
}

export type WaivedScan = Pick<WaiverScope, 'packagePath' | 'sha256' | 'scan'>

/**
 * Counts waivers beside a verdict. Only unsatisfied policies are waived; of several waivers in force
 * the one that lasts longest counts. `now` is epoch ms: a waiver that has expired is as if it never was.
 */
export function waivedVerdict(
  groups: readonly PolicyGroup[],
  { unreadable, complete }: { readonly unreadable: number; readonly complete: boolean },
  { waivers, scan, now }: { waivers: readonly Waiver[]; scan: WaivedScan; now: number },
): WaivedVerdict {
  const said = scanVerdict(groups, { unreadable, complete })
  const inForce = waiversInForce(waivers, scan, now)
  const waived = new Map(
    groups.flatMap(({ key, status }) => {
      const waiver = status === 'unsatisfied' ? inForce.get(key) : undefined
      return waiver === undefined ? [] : [[key, waiver]]
    }),
  )
  return {
    said,
    waived,
    verdict: verdictBeside(groups, said, waived, unreadable === 0 && complete),
  }
}

/** The waivers of a scan that count at a time (epoch ms), by `policyKey`. */
export function waiversInForce(
  waivers: readonly Waiver[],
  scan: WaivedScan,
  now: number,
): ReadonlyMap<string, Waiver> {
  return waiversThatStand('in force', waivers, scan, now)
}

/** The same of those that wait for somebody else's approval. */
export function waiversWaiting(
  waivers: readonly Waiver[],
  scan: WaivedScan,
  now: number,
): ReadonlyMap<string, Waiver> {
  return waiversThatStand('waiting for approval', waivers, scan, now)
}

function waiversThatStand(
  standing: WaiverStanding,
  waivers: readonly Waiver[],
  scan: WaivedScan,
  now: number,
): ReadonlyMap<string, Waiver> {
  const byPolicy = new Map<string, Waiver>()
  for (const waiver of waivers) {
    if (waiverStanding(waiver, now) !== standing || !coversScan(waiver, scan)) continue
    const key = policyKey(waiver.policyUri)
    const other = byPolicy.get(key)
    if (other === undefined || other.expiresAt < waiver.expiresAt) byPolicy.set(key, waiver)
  }
  return byPolicy
}

/**
 * When the last of the waivers expired that have (epoch ms), 0 where none has. Between two such
 * moments nothing changes by itself: what holds at the last one holds now.
 */
export function lastExpiry(waivers: readonly Waiver[], now: number): number {
  return waivers.reduce(
    (last, { expiresAt }) => (expiresAt <= now ? Math.max(last, expiresAt) : last),
    0,
  )
}

/** Whether a waiver counts at a time, epoch ms. */
export function isInForce(waiver: Waiver, now: number): boolean {
  return waiverStanding(waiver, now) === 'in force'
}

/**
 * The verdict of a run of which only the counts are known, with so many of its unsatisfied policies
 * waived: of very many that fail only the first are listed, so they are counted. A run that broke off may hide more.
 */
export function countedVerdict(
  {
    verdict,
    counts,
    unreadable,
    ended = 'complete',
  }: Pick<ScanVerdict, 'verdict' | 'counts'> & {
    unreadable: number
    ended?: EvaluationSummary['ended'] | undefined
  },
  waived: number,
): WaivedVerdict['verdict'] {
  if (verdict !== 'not-releasable') return verdict
  if (waived < counts.unsatisfied) return 'not-releasable'
  const isWhole = counts.unknown === 0 && unreadable === 0 && ended === 'complete'
  return isWhole && policyCount(counts) <= mostPolicies ? 'releasable-with-waivers' : 'undecided'
}

/**
 * The run that counts of those that may, the newest first (`latestEvaluations`): a complete one, or one
 * that began later and found a policy unsatisfied that isn't waived (by policy key) before it broke off.
 * Any other one that broke off says less than the complete one before it.
 */
export function countedRun<Run extends Pick<EvaluationSummary, 'ended' | 'failing' | 'counts'>>(
  runs: readonly Run[],
  waived: ReadonlyMap<string, Waiver>,
): Run | undefined {
  return runs.find((run) => run.ended === 'complete' || unwaived(run, waived) > 0) ?? runs[0]
}

/** How many policies of a run are unsatisfied and not waived (by policy key). */
export function unwaived(
  { failing, counts }: Pick<EvaluationSummary, 'failing' | 'counts'>,
  waived: ReadonlyMap<string, Waiver>,
): number {
  return counts.unsatisfied - failing.filter((uri) => waived.has(policyKey(uri))).length
}

function verdictBeside(
  groups: readonly PolicyGroup[],
  said: ScanVerdict,
  waived: ReadonlyMap<string, Waiver>,
  isWhole: boolean,
): WaivedVerdict['verdict'] {
  if (said.verdict !== 'not-releasable') return said.verdict
  if (groups.some(({ key, status }) => status === 'unsatisfied' && !waived.has(key))) {
    return 'not-releasable'
  }
  const isUnknown = said.counts.unknown > 0 || !isWhole || groups.length > mostPolicies
  return isUnknown ? 'undecided' : 'releasable-with-waivers'
}

/**
 * The verdict in words where waivers are counted: "Releasable with 1 waiver until Dec 4: the service
 * says 1 of 11 policies unsatisfied." Without a waiver it is `verdictSentence`. `momentText` writes
 * epoch ms; of several waivers the one that ends first is shown, as the verdict changes then.
 */
export function waivedSentence(
  { said, verdict, waived }: WaivedVerdict,
  momentText: (at: number) => string,
): string {
  const plain = verdictSentence(said)
  if (waived.size === 0) return plain
  const until = momentText(Math.min(...[...waived.values()].map(({ expiresAt }) => expiresAt)))
  const waivers = `${countOf(waived.size, 'waiver')} until ${until}`
  switch (verdict) {
    case 'releasable-with-waivers':
      return `Releasable with ${waivers}${butUnchecked(said.unchecked)}: ${whatTheServiceSays(plain)}`
    case 'undecided':
      return `Inconclusive, with ${waivers}: ${whatTheServiceSays(plain)}`
    case 'not-releasable':
    case 'releasable':
    case 'nothing-applied':
      return plain.replace(
        /unsatisfied/,
        `unsatisfied (${countText(waived.size)} waived until ${until})`,
      )
  }
}

/** A waiver never changes what the service said: it is shown beside the result, in the same words. */
export function whatTheServiceSays(plain: string): string {
  return `the policy service reports ${plain.replace(/^Not releasable: /, '')}`
}
