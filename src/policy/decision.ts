import { countOf, countText } from '../protocol/count.ts'
import {
  byPlace,
  type DecidedPlace,
  type DecidedVerdict,
  type Decision,
  type DecisionConcern,
  decisionConcerns,
  placeKey,
  type ReleasedPlace,
} from '../protocol/decision.ts'
import type { EvaluationSummary } from '../protocol/evaluation.ts'
import { packageWords } from '../protocol/package-reference.ts'
import type { Waiver } from '../protocol/waiver.ts'
import { staleAfterMs } from './board-row.ts'
import { recordedOutcome } from './board-tally.ts'
import { policyKey } from './policy-group.ts'
import { utcText } from './scan-report.ts'
import { type AbsentPolicies, absentPolicies, type EvidenceGaps, evidenceGaps } from './severity.ts'
import { countedVerdict } from './waived-verdict.ts'

/** What a place of a decision says at some moment, and the run by which it does. */
export interface PlaceState extends Omit<DecidedPlace, 'run'>, EvidenceGaps {
  /** The last recorded run; digest and repository are those of what it was run on. */
  readonly run:
    | Pick<EvaluationSummary, 'id' | 'by' | 'endedAt' | 'ended' | 'sha256' | 'repositoryUrl'>
    | undefined
  /** With the waivers that count. */
  readonly verdict: DecidedVerdict
  /** Whether it may lack more that is required: not all policies of its run are kept. */
  readonly mayLack?: boolean
  /** Whether a newer complete run is recorded; only the server looks for one. */
  readonly isSuperseded?: boolean
}

/** A place with its run and the waivers in force for it, by policy key. */
export interface PlaceRun {
  readonly place: Omit<DecidedPlace, 'run'>
  readonly run: EvaluationSummary | undefined
  readonly waived: ReadonlyMap<string, Waiver>
}

/** All places of a board, or one, each by its run and by what the board requires (`requiredOf` in severity.ts). */
export function placeStates(
  places: readonly PlaceRun[],
  require: readonly string[] = [],
): readonly PlaceState[] {
  const scansOf = byPlace(places.map(({ place, run }) => ({ ...place, scan: '', run })))
  return places.map((one) => {
    const scans = scansOf.get(placeKey({ ...one.place, scan: '' })) ?? []
    const outcomes = scans.map(({ run }) => run && recordedOutcome(run))
    return placeState(one, require, absentPolicies(require, outcomes))
  })
}

function placeState(
  { place, run, waived }: PlaceRun,
  require: readonly string[],
  absent: AbsentPolicies,
): PlaceState {
  const { packagePath, sha256, repositoryUrl, scan } = place
  const known = { packagePath, sha256, repositoryUrl, scan, run }
  if (run === undefined) return { ...known, verdict: 'open', missing: [], unchecked: [] }
  const pardoned = run.failing.filter((uri) => waived.has(policyKey(uri))).length
  const verdict = countedVerdict(run, pardoned)
  const { missing, unchecked, isUnknown } = evidenceGaps(recordedOutcome(run), require, absent)
  return {
    ...known,
    verdict: verdictLacking(verdict, isUnknown),
    missing,
    unchecked,
    mayLack: isUnknown,
  }
}

/** What a place comes to whose run may lack more that is required (`PlaceState.mayLack`). */
export function verdictLacking(verdict: DecidedVerdict, mayLack: boolean): DecidedVerdict {
  return mayLack && verdict !== 'not-releasable' ? 'undecided' : verdict
}

/** What speaks against a decision, and where. */
export interface ConcernedPlaces {
  readonly concern: DecisionConcern
  readonly places: readonly PlaceState[]
}

/** All that speaks against deciding on these places at a time (epoch ms); empty where nothing does. */
export function concernsOf(places: readonly PlaceState[], now: number): readonly ConcernedPlaces[] {
  return decisionConcerns.flatMap((concern) => {
    const concerned = places.filter((place) => isConcerned(concern, place, now))
    return concerned.length === 0 ? [] : [{ concern, places: concerned }]
  })
}

function isConcerned(
  concern: DecisionConcern,
  { run, verdict, sha256, repositoryUrl, missing, unchecked, isSuperseded }: PlaceState,
  now: number,
): boolean {
  switch (concern) {
    case 'missing':
      return run === undefined
    case 'unsatisfied':
      return verdict === 'not-releasable'
    case 'inconclusive':
      return verdict === 'undecided' && run?.ended === 'complete'
    case 'incomplete':
      return run !== undefined && run.ended !== 'complete'
    case 'nothing-checked':
      return verdict === 'nothing-applied'
    case 'required':
      return missing.length > 0
    case 'unchecked':
      return unchecked.length > 0
    case 'superseded':
      return isSuperseded === true
    case 'stale':
      return run !== undefined && now - run.endedAt > staleAfterMs
    case 'digest':
      return run !== undefined && (run.sha256 !== sha256 || run.repositoryUrl !== repositoryUrl)
  }
}

/** A concern in a sentence: “2 runs have unsatisfied policies: checkout 2.4.0 (release), …”. */
export function concernSentence({ concern, places }: ConcernedPlaces): string {
  const one = places.length === 1
  const runs = countOf(places.length, 'run')
  const what: Record<DecisionConcern, string> = {
    unsatisfied: `${runs} ${one ? 'has' : 'have'} unsatisfied policies`,
    inconclusive: `${runs} ${one ? 'is' : 'are'} inconclusive`,
    incomplete: `${runs} ${one ? 'is' : 'are'} incomplete`,
    'nothing-checked': `${runs} checked nothing`,
    missing: `${countOf(places.length, 'scan')} ${one ? 'has' : 'have'} no recorded run`,
    required: `${runs} ${one ? 'lacks' : 'lack'} evidence that the board requires`,
    unchecked: `${runs} ${one ? 'has' : 'have'} policies of high severity that were not checked`,
    superseded: `${runs} ${one ? "isn't" : "aren't"} the newest one recorded`,
    stale: `${runs} ${one ? 'is' : 'are'} older than 24 hours`,
    digest: `${runs} ${one ? 'is' : 'are'} of another artifact than the one to be released`,
  }
  return `${what[concern]}: ${namesOf(places.map(placeName))}.`
}

/** "checkout 2.4.0 (release) was evaluated in the meantime.", of places with another run; undefined without any. */
export function evaluatedMeanwhileSentence(
  before: readonly PlaceState[],
  places: readonly PlaceState[],
): string | undefined {
  const runs = new Map(before.map((place) => [placeKey(place), place.run?.id]))
  const again = places.filter((place) => place.run?.id !== runs.get(placeKey(place)))
  if (again.length === 0) return undefined
  const were = again.length === 1 ? 'was' : 'were'
  return `${namesOf(again.map(placeName))} ${were} evaluated in the meantime.`
}

const worstFirst: readonly DecidedVerdict[] = [
  'not-releasable',
  'undecided',
  'open',
  'nothing-applied',
  'releasable-with-waivers',
  'releasable',
]

/** What a place comes to as a board shows it: what it requires counts. */
export function requiredVerdict({
  verdict,
  missing,
}: Pick<PlaceState, 'verdict' | 'missing'>): DecidedVerdict {
  return missing.length > 0 ? 'not-releasable' : verdict
}

/** The verdict over all places: the worst of them. */
export function decidedVerdict(
  places: readonly Pick<PlaceState, 'verdict' | 'missing'>[],
): DecidedVerdict {
  return worstFirst.find((one) => places.some((place) => requiredVerdict(place) === one)) ?? 'open'
}

/** Why what was decided would be decided otherwise today. */
export interface DecisionChange {
  readonly place: PlaceState
  /** How it came: by a run since, by one before that wasn't decided on, or as a waiver no longer counts. */
  readonly by: 'run' | 'earlier-run' | 'waiver'
}

export interface SinceDecision {
  /** Places that spoke for the release and no longer do. */
  readonly worse: readonly DecisionChange[]
  /** How many places were added to what was decided, and taken out of it. */
  readonly added: number
  readonly removed: number
}

/**
 * What would change a release that was made at a time (epoch ms): a place that could be released and, by its present run and waivers,
 * cannot. What has become better changes nothing, and neither does a place without a run.
 */
export function changesSince(
  released: readonly ReleasedPlace[],
  present: readonly PlaceState[],
  decidedAt: number,
): SinceDecision {
  const then = new Map(released.map((place) => [placeKey(place), place]))
  const now = new Set(present.map(placeKey))
  const worse = present.flatMap((place): DecisionChange[] => {
    const before = then.get(placeKey(place))
    if (before === undefined || place.run === undefined) return []
    if (!mayBeReleased(before.verdict) || mayBeReleased(requiredVerdict(place))) return []
    if (place.run.id === before.run) return [{ place, by: 'waiver' }]
    return [{ place, by: place.run.endedAt > decidedAt ? 'run' : 'earlier-run' }]
  })
  return {
    worse,
    added: present.filter((place) => !then.has(placeKey(place))).length,
    removed: [...then.keys()].filter((key) => !now.has(key)).length,
  }
}

function mayBeReleased(verdict: DecidedVerdict): boolean {
  return verdict === 'releasable' || verdict === 'releasable-with-waivers'
}

/** What has come since: “checkout 2.4.0 (release) has turned unsatisfied since.” Empty where nothing would change. */
export function sinceSentences({ worse, added, removed }: SinceDecision): readonly string[] {
  const sentence = (places: readonly PlaceState[], what: string): readonly string[] =>
    places.length === 0
      ? []
      : [`${namesOf(places.map(placeName))} ${places.length === 1 ? 'has' : 'have'} ${what} since.`]
  const before = (places: readonly PlaceState[], what: string): readonly string[] =>
    places.length === 0 ? [] : [`${namesOf(places.map(placeName))} had already ${what}.`]
  // By the same run and a board that requires more since, no waiver was lost.
  const unsure = worse.flatMap(({ place, by: came }) =>
    came === 'waiver' && place.verdict === 'undecided' && place.mayLack === true ? [place] : [],
  )
  const by = (how: DecisionChange['by'], ...verdicts: readonly DecidedVerdict[]) =>
    worse.flatMap(({ place, by: came }) =>
      came === how && verdicts.includes(place.verdict) && !unsure.includes(place) ? [place] : [],
    )
  const lacking = worse.flatMap(({ place }) => (mayBeReleased(place.verdict) ? [place] : []))
  return [
    ...(lacking.length === 0
      ? []
      : [
          `${namesOf(lacking.map(placeName))} ${lacking.length === 1 ? 'lacks' : 'lack'} evidence that the board requires.`,
        ]),
    ...(unsure.length === 0
      ? []
      : [`${namesOf(unsure.map(placeName))} may lack evidence that the board requires.`]),
    ...before(by('earlier-run', 'not-releasable'), 'turned unsatisfied'),
    ...before(by('earlier-run', 'undecided', 'nothing-applied'), 'turned inconclusive'),
    ...sentence(by('run', 'not-releasable'), 'turned unsatisfied'),
    ...sentence(by('run', 'undecided', 'nothing-applied'), 'turned inconclusive'),
    ...sentence(by('waiver', 'not-releasable', 'undecided'), 'lost a waiver'),
    ...(added > 0
      ? [`${countOf(added, 'scan')} ${added === 1 ? 'was' : 'were'} added since.`]
      : []),
    ...(removed > 0
      ? [`${countOf(removed, 'scan')} ${removed === 1 ? 'was' : 'were'} removed since.`]
      : []),
  ]
}

/** “Released by Ann on 3 runs of Shop 2.4, with 2 waivers, despite stale runs: reason”, “Revoked by Ann: reason”. */
export function decisionSentence(decision: Decision, name: string): string {
  if (decision.action === 'revoke') return `Revoked by ${decision.by}: ${decision.reason}`
  const { by, runs, waivers, concerns, reason } = decision
  const withWaivers = waivers.length === 0 ? '' : `, with ${countOf(waivers.length, 'waiver')}`
  return `Released by ${by} on ${countOf(runs, 'run')} of ${name}${withWaivers}${despite(concerns)}: ${reason}`
}

/** What was confirmed; what only a newer version knows is left out. */
function despite(concerns: readonly string[]): string {
  const words: Record<DecisionConcern, string> = {
    unsatisfied: 'unsatisfied policies',
    inconclusive: 'inconclusive runs',
    incomplete: 'incomplete runs',
    'nothing-checked': 'runs that checked nothing',
    missing: 'missing runs',
    required: 'missing evidence',
    unchecked: 'unchecked policies',
    superseded: 'newer runs',
    stale: 'stale runs',
    digest: 'runs of another artifact',
  }
  const known = decisionConcerns.filter((one) => concerns.includes(one)).map((one) => words[one])
  return known.length === 0 ? '' : `, despite ${new Intl.ListFormat('en').format(known)}`
}

/** The same with its time, for what is read later and elsewhere: “… (Nov 20, 2026, 10:00 UTC)”. */
export function decidedText(decision: Decision, name: string): string {
  return `${decisionSentence(decision, name)} (${utcText(decision.at)})`
}

/** “checkout 2.4.0 (release)”: a place in few words. */
function placeName({ packagePath, scan }: Pick<PlaceState, 'packagePath' | 'scan'>): string {
  return `${packageWords(packagePath)} (${scan})`
}

const mostNames = 3

function namesOf(names: readonly string[]): string {
  const rest = names.length - mostNames
  const shown = names.slice(0, mostNames)
  return new Intl.ListFormat('en').format(rest > 0 ? [...shown, `${countText(rest)} more`] : shown)
}
