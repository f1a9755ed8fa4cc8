import { countOf, countText, shareText } from '../../../protocol/count.ts'
import { failedTestText } from '../../../facts/insight/failure-text.ts'
import type { DurationStep } from '../../../facts/insight/duration-step.ts'
import type {
  BuildGroup,
  BuildGrouping,
  BuildGroups,
  BuildTrends,
  TrendPoint,
} from '../../../protocol/insight.ts'
import { shortText } from '../../../protocol/untrusted-text.ts'
import { nameText } from '../../../search/values/text.ts'
import type { BuildSearchView } from '../../data/builds/build-search.ts'
import { durationText, momentText, shortenMiddle, type Zone } from '../../ui/format.ts'
import { unknownNames } from './group-term.ts'
import { isComplete, periodText } from './search-sentence.ts'

/** Which group fails most, in a sentence. Undefined where nothing is known yet. */
export function groupsSentence(
  answer: BuildGroups,
  by: BuildGrouping,
  zone: Zone,
  /** Whether it is known of any build how it ended. */
  hasOutcomes = true,
): string | undefined {
  const { builds, groups, allGroups } = answer
  if (builds === 0) return undefined
  if (by === 'failure') return failuresSentence(answer, zone, hasOutcomes)
  if (!hasOutcomes) return `${countOf(builds, 'build')}; the build server gives no outcomes.`
  // Of the groups only the largest are here.
  const failed = answer.failed ?? sum(groups, 'failed')
  const unknown = sum(groups, 'unknown')
  const known = `${countOf(builds - unknown, 'build')}${unknown === 0 ? '' : ' with a known outcome'}`
  if (by === 'outcome') {
    return `${countText(failed)} of ${known} failed (${shareText(failed, builds - unknown)}).`
  }
  const [only] = groups
  if (allGroups === 1 && only?.key === null) {
    const others = failed === 0 ? '' : ` ${countText(failed)} failed.`
    return `${countOf(builds, 'build')} ${builds === 1 ? 'has' : 'have'} no known ${plainName(by)}.${others}`
  }
  if (allGroups === 1 && only !== undefined) {
    const name = nameOf(only, by)
    const ended = `${countText(failed)}${unknown === 0 ? '' : ` of ${known}`} failed.`
    return builds === 1
      ? `The ${plainName(by)} of the only build: ${name}. ${ended}`
      : `All ${countOf(builds, 'build')} have the same ${plainName(by)}: ${name}. ${ended}`
  }
  const worst = mostOf(groups.filter(({ key }) => key !== null))
  if (worst === undefined || worst.failed === 0) {
    return failed === 0 ? `None of ${known} failed.` : undefined
  }
  const nameless = groups.find(({ key }) => key === null)
  const where =
    (nameless?.failed ?? 0) < worst.failed ? '' : `Where the ${plainName(by)} is known, `
  const equal = groups.filter(({ key, failed }) => key !== null && failed === worst.failed)
  if (equal.length > 1) {
    return `${where}${nameOf(worst, by)} and ${countOf(equal.length - 1, 'other')} fail most: ${countOf(worst.failed, 'build')} each.`
  }
  // Of builds that all failed, its own share says nothing.
  const [all, of] =
    failed === builds - unknown
      ? [failed, countOf(failed, 'failed build')]
      : [withOutcome(worst), countOf(withOutcome(worst), 'build')]
  return `${where}${nameOf(worst, by)} fails most: ${countText(worst.failed)} of ${of} (${shareText(worst.failed, all)}).`
}

function failuresSentence(
  answer: BuildGroups,
  zone: Zone,
  hasOutcomes: boolean,
): string | undefined {
  const { builds, groups } = answer
  if (groups.length === 0) {
    if (hasOutcomes) return 'No build failed.'
    return `It isn't known ${builds === 1 ? 'whether 1 build' : `which of ${countText(builds)} builds`} failed.`
  }
  const worst = mostOf(groups.filter(({ key }) => key !== null))
  if (worst === undefined) return undefined
  const all = failedBuilds(answer)
  const broken =
    all === undefined
      ? countOf(worst.failed, 'build')
      : `${countText(worst.failed)} of ${countOf(all, 'failed build')}`
  return `One failure broke ${broken}, since ${momentText(worst.firstSeen, zone)}: ${failureText(worst, 100)}`
}

/** How many builds failed; undefined where a server that counts them itself doesn't say. */
export function failedBuilds({ failed, groups, allGroups }: BuildGroups): number | undefined {
  if (failed !== undefined) return failed
  return allGroups === 1 ? groups[0]?.failed : undefined
}

/** Why counts of groups come to more than there are builds; undefined where they don't. */
export function overlapText(answer: BuildGroups): string | undefined {
  const failed = failedBuilds(answer)
  return failed === undefined || sum(answer.groups, 'failed') <= failed
    ? undefined
    : `A build with several failures counts in each group, so the counts add up to more than the ${countOf(failed, 'failed build')}.`
}

/** A failure as its newest build has it, on one line and not too long. */
export function failureText(
  { failure, key }: Pick<BuildGroup, 'failure' | 'key'>,
  longest = 240,
): string {
  const test = failure === undefined ? undefined : failedTestText(failure)
  const known = [test, failure?.message].filter(Boolean).join(': ')
  const text = (failure === undefined ? (key ?? unknownNames.failure) : known)
    .replace(/\s+/g, ' ')
    .trim()
  if (text.length <= longest) return text
  // Between words, unless one alone fills half of it.
  const [cut = ''] = /^.*(?=\s)/.exec(text.slice(0, longest)) ?? []
  return cut.length > longest / 2 ? `${cut}…` : shortText(text, longest)
}

/** Of how many builds of a group it is known how they ended. */
export function withOutcome({ builds, unknown = 0 }: BuildGroup): number {
  return builds - unknown
}

/** On how many builds an answer of the build server rests. */
export function countedText({ builds, isAll }: Pick<BuildGroups, 'builds' | 'isAll'>): string {
  return isAll === false
    ? `Counted by the build server: ${countOf(builds, 'build')}, not all that match.`
    : `Counted by the build server: ${allText(builds, 0)}.`
}

/** "all 40 builds that match"; `unsure` are those among them of which it isn't known. */
export function allText(builds: number, unsure: number): string {
  return `${builds === 1 ? 'the only build' : `all ${countOf(builds, 'build')}`} ${matchText(builds, unsure)}`
}

/** "that match", or with `unsure` of them of which it isn't known: "that may match". */
export function matchText(builds: number, unsure: number): string {
  const match = builds === 1 ? 'matches' : 'match'
  if (unsure === 0) return `that ${match}`
  return unsure === builds ? 'that may match' : `that ${match} or may match`
}

/** What a view rests on: "Based on all 40 builds", or "Steps in duration are based on all 40 builds". */
export function basedText(on: string, what?: string): string {
  return `${what === undefined ? 'Based' : `${what} are based`} on ${on}`
}

/** What a group is called. */
export function nameOf({ key }: Pick<BuildGroup, 'key'>, by: BuildGrouping): string {
  return key === null ? unknownNames[by] : nameText(key)
}

function plainName(by: BuildGrouping): string {
  return by === 'requested' ? 'requested work' : by
}

function mostOf(groups: readonly BuildGroup[]): BuildGroup | undefined {
  let most: BuildGroup | undefined
  for (const group of groups) if (group.failed > (most?.failed ?? -1)) most = group
  return most
}

function sum(groups: readonly BuildGroup[], name: 'failed' | 'unknown'): number {
  return groups.reduce((total, group) => total + (group[name] ?? 0), 0)
}

/** A step in words: "95th percentile of checkout test rose from 6 min to 9 min on Nov 14, 2026, 09:14 UTC, first build …". */
export function stepText(step: DurationStep, zone: Zone): string {
  return `${stepHeadline(step, zone)}, first build ${shortenMiddle(step.firstBuild)}`
}

/** The same without its first build, which a headline can't lead to. */
export function stepHeadline(step: DurationStep, zone: Zone): string {
  const { before, after } = step
  const isSlower = after.p50 > before.p50
  // Where the slowest builds stayed as they were, the others changed.
  const isOfSlowest = isSlower ? after.p95 > 1.15 * before.p95 : 1.15 * after.p95 < before.p95
  const [name, from, to] = isOfSlowest
    ? ['95th percentile', before.p95, after.p95]
    : ['The median', before.p50, after.p50]
  return `${name} of ${workText(step)} ${isSlower ? 'rose' : 'fell'} from ${durationText(from)} to ${durationText(to)} on ${momentText(step.at, zone)}`
}

/** Of which builds a step is: "checkout test". */
function workText({ project, requested }: Pick<DurationStep, 'project' | 'requested'>): string {
  const work = [project, requested].filter((part) => part !== null).join(' ')
  const text = work === '' ? 'builds without a project' : work
  return shortText(text, 80)
}

/** All builds of a trend as one. */
export function totalOf(trends: BuildTrends | undefined): TrendPoint | undefined {
  const all = trends?.series.find(({ key }) => key === null)
  return all?.total ?? (all === undefined ? undefined : sumOf(all.points))
}

/** Counts add up; quantiles of single stretches of time don't. */
function sumOf(points: readonly TrendPoint[]): TrendPoint {
  const add = (name: 'builds' | 'succeeded' | 'failed'): number =>
    points.reduce((total, point) => total + point[name], 0)
  const addKnown = (name: 'cacheHits' | 'cacheable'): number | null =>
    points.reduce<number | null>(
      (total, point) => (point[name] === null ? total : (total ?? 0) + point[name]),
      null,
    )
  return {
    from: points[0]?.from ?? 0,
    builds: add('builds'),
    succeeded: add('succeeded'),
    failed: add('failed'),
    p50: null,
    p95: null,
    cacheHits: addKnown('cacheHits'),
    cacheable: addKnown('cacheable'),
  }
}

/** How builds go, beside the time before: the newest step first, then success and duration. */
export function trendsSentence(
  now: TrendPoint | undefined,
  before: TrendPoint | undefined,
  period: string,
): string | undefined {
  if (now === undefined || now.builds === 0) return undefined
  const known = before !== undefined && before.builds > 0 ? before : undefined
  const rate = rateOf(now)
  const rateBefore = known === undefined ? undefined : rateOf(known)
  const ended = now.succeeded + now.failed
  const ofKnown = `${countOf(ended, 'build')}${ended === now.builds ? '' : ' with a known outcome'}`
  const parts = [
    rate !== undefined &&
      `${percentText(rate)} of ${ofKnown} succeeded${rateBefore === undefined ? '' : `, ${percentText(rateBefore)} in ${period} before`}.`,
    now.p95 !== null &&
      `95th percentile ${durationText(now.p95)}${changeText(now.p95, known?.p95)}.`,
    now.p50 !== null && `Median ${durationText(now.p50)}${changeText(now.p50, known?.p50)}.`,
  ].filter((part) => part !== false)
  return parts.length === 0
    ? `${countOf(now.builds, 'build')}; the server gives neither outcomes nor durations.`
    : parts.join(' ')
}

/** What the charts leave out of the builds of the list, because they are dated outside of the queried time. */
export function outsideText(builds: number): string | undefined {
  return builds === 0
    ? undefined
    : `Not in the charts: ${countOf(builds, 'build')} of the list, dated outside the queried time.`
}

/** Where the queried time has none at all. */
export function noneWithinText(outside: number): string {
  return `No builds in the queried time. ${countOf(outside, 'build')} of the list ${outside === 1 ? 'is' : 'are'} dated outside it.`
}

/** How many builds the time before has, or why that isn't known: it is still being read, or won't be. */
type CountBefore = number | 'reading' | 'unread'

/** What is known of the number of builds of the time before while none of them are counted. */
export function countBefore({
  state,
  found,
}: Pick<BuildSearchView, 'state' | 'found'>): CountBefore {
  if (found.length > 0 || ['idle', 'reading', 'waiting'].includes(state.is)) return 'reading'
  return isComplete({ state }) ? 0 : 'unread'
}

/** Which time before stands beside the charts: "Compared with the week before: 12 builds from Nov 8, 2026, 09:14 UTC to Nov 15, 2026, 09:14 UTC."; of more that
 * are still being read (`isReading`): "12 builds so far from …". */
export function comparedText(
  earlier: { readonly from: number; readonly to: number } | undefined,
  builds: CountBefore,
  zone: Zone,
  isReading = false,
): string | undefined {
  if (earlier === undefined) return undefined
  const time = `${momentText(earlier.from, zone)} to ${momentText(earlier.to, zone)}`
  const period = `the ${periodText(earlier.to - earlier.from)} before`
  if (builds === 'reading') return `Reading ${period}: ${time}…`
  if (builds === 'unread') return `Not compared with ${period}: ${time}.`
  return builds === 0
    ? `The build server has no builds from ${period}: ${time}.`
    : `Compared with ${period}: ${countOf(builds, 'build')}${isReading ? ' so far' : ''} from ${time}.`
}

/** The share of builds that succeeded, of those whose outcome is known; 0 up to 1. */
export function rateOf({ succeeded, failed }: TrendPoint): number | undefined {
  return succeeded + failed === 0 ? undefined : succeeded / (succeeded + failed)
}

/** The share of work that came from the build cache, of what could have; 0 up to 1. */
export function cacheRateOf({ cacheHits, cacheable }: TrendPoint): number | undefined {
  return cacheHits === null || cacheable === null || cacheable === 0
    ? undefined
    : cacheHits / cacheable
}

/** A share as a percentage that never claims all or none where that isn't so: "99.6%". */
export function percentText(share: number): string {
  const percent = 100 * share
  if (percent > 99 && percent < 100) return `${Math.min(99.9, percent).toFixed(1)}%`
  if (percent > 0 && percent < 1) return `${Math.max(0.1, percent).toFixed(1)}%`
  return `${Math.round(percent)}%`
}

/** Against the time before: ", 41% more", ", about the same as before"; empty where that isn't known. */
function changeText(now: number, before: number | null | undefined): string {
  if (before === null || before === undefined || before === 0) return ''
  const change = Math.round((100 * (now - before)) / before)
  if (Math.abs(change) < 2) return ', about as before'
  return change > 0
    ? `, ${countText(change)}% more than before`
    : `, ${percentText((before - now) / before)} less than before`
}
