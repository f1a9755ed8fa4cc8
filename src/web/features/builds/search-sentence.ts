import { countOf, countText, shareText } from '../../../protocol/count.ts'
import type { Facts } from '../../../protocol/facts.ts'
import type { ProblemError } from '../../../protocol/problem.ts'
import { nameText } from '../../../search/values/text.ts'
import type { BuildSearchView } from '../../data/builds/build-search.ts'
import { durationText } from '../../ui/format.ts'
import { isFilteredHere } from '../../data/builds/build-list-reader.ts'

/** How many builds the same query had in the period of the same length before. */
export interface Before {
  readonly count: number
  /** The length of the period, ms. */
  readonly lengthMs: number
}

/** The answer of the page in one sentence or two: how many builds, against before, and which fail. */
export function searchSentence(
  view: Pick<BuildSearchView, 'state' | 'found' | 'read' | 'unsure' | 'ability'>,
  standings: Standings,
  before: Before | undefined,
  isNarrowed: boolean,
): string {
  const { state, unsure } = view
  const isAll = isComplete(view)
  if (state.is === 'refused') {
    return state.problem.problem.type.endsWith(':query-too-long')
      ? 'The query is too long.'
      : 'The build server rejects this query.'
  }
  if (standings.total === 0) return nothingFound(view, isNarrowed)
  const count =
    isNarrowed && isFilteredHere(view)
      ? filteredText(standings.total - unsure, view)
      : `${countOf(standings.total, 'build')}${isAll ? '' : ' so far'}`
  const change = isAll && before !== undefined ? changeText(standings.total, before) : ''
  return [`${count}${change}.`, failuresText(standings)].filter(Boolean).join(' ')
}

/** Whether all that matches was found: the list came to its end, and didn't end otherwise (with a note). */
export function isComplete({ state }: Pick<BuildSearchView, 'state'>): boolean {
  return state.is === 'done' && state.note === undefined
}

/** Why the list broke off; undefined where it didn't. */
export function faultOf({ state }: Pick<BuildSearchView, 'state'>): ProblemError | undefined {
  return state.is === 'failed' ? state.problem : undefined
}

/** Since when a page of the list is awaited, epoch ms; undefined where none is. */
export function awaitedSince({ state }: Pick<BuildSearchView, 'state'>): number | undefined {
  return state.is === 'reading' ? state.since : undefined
}

/** Whether a page of the list takes many requests: the server has no such list, or no facts in it. */
export function isBySteps({ ability, byEvents }: BuildSearchView): boolean {
  return ability.walk !== 'none' || byEvents.all > 0
}

/** What stands in the place of counts while there are none. */
export function uncountedText(
  view: Pick<BuildSearchView, 'state' | 'found' | 'read' | 'unsure' | 'ability'>,
  isNarrowed: boolean,
): string {
  const { state, found, read } = view
  const isFirst = read === 0 && ['idle', 'reading'].includes(state.is)
  if (isFirst || found.length > 0) return 'Counting builds…'
  return state.is === 'failed'
    ? "Can't count builds."
    : searchSentence(view, standingsOf([]), undefined, isNarrowed)
}

/** Of the builds that were read, how many are known to match, and how many may match. */
function filteredText(
  sure: number,
  { read, unsure }: Pick<BuildSearchView, 'read' | 'unsure'>,
): string {
  const all = `of ${countOf(read, 'build')} checked`
  const known =
    sure === 0
      ? `None ${all} matches for certain`
      : `${countText(sure)} ${all} ${sure === 1 ? 'matches' : 'match'}`
  return unsure === 0 ? known : `${known}; ${countText(unsure)} may match`
}

function nothingFound(
  { state, read }: Pick<BuildSearchView, 'state' | 'read'>,
  isNarrowed: boolean,
): string {
  switch (state.is) {
    case 'idle':
    case 'reading':
      return read === 0
        ? 'Searching the build server…'
        : `No match in ${countOf(read, 'build')} so far.`
    case 'waiting':
      return 'The build server is busy.'
    case 'failed':
      return "Can't show builds."
    case 'cancelled':
    case 'resting':
      return read === 0 ? 'Stopped.' : `No match in ${countOf(read, 'build')} so far.`
    case 'done':
    case 'refused':
      if ('note' in state) {
        return read === 0 ? "Can't show builds." : `No match in ${countOf(read, 'build')} so far.`
      }
      return isNarrowed ? 'No builds match.' : 'The server has no builds yet.'
  }
}

function failuresText({ total, failed, unknown, mostFailing }: Standings): string {
  if (unknown === total) return ''
  const known = total - unknown
  const [ofKnown, others] =
    unknown === 0 ? ['', ''] : [` of ${countText(known)} known`, `, ${countText(unknown)} unknown`]
  if (failed === 0) return `None failed${others}.`
  const share =
    failed === total && total > 1
      ? 'All failed.'
      : `${countText(failed)} failed (${shareText(failed, known)}${ofKnown})${others}.`
  return mostFailing === undefined || mostFailing.failed < 2
    ? share
    : `${share} Most often: ${nameText(mostFailing.project)} (${countText(mostFailing.failed)}).`
}

function changeText(count: number, { count: before, lengthMs }: Before): string {
  const period = `the ${periodText(lengthMs)} before`
  if (before === 0) return `, and the server has none from ${period}`
  const change = Math.round((100 * (count - before)) / before)
  if (change === 0) return `, about as many as ${period}`
  return `, ${countText(Math.abs(change))}% ${change < 0 ? 'fewer' : 'more'} than ${period}`
}

const minute = 60_000
const named = new Map([
  [60 * minute, 'hour'],
  [24 * 60 * minute, 'day'],
  [7 * 24 * 60 * minute, 'week'],
])

/** A length of time after “the” and before “before”: “day”, or “3 h” where it has no name; `ms` is rounded to minutes. */
export function periodText(ms: number): string {
  const nearest = Math.round(ms / minute) * minute
  return named.get(nearest) ?? durationText(nearest)
}

/** What stands out among builds. */
export interface Standings {
  readonly total: number
  readonly failed: number
  readonly succeeded: number
  readonly unknown: number
  /** The project that failed most often; undefined where not several did. */
  readonly mostFailing: { readonly project: string; readonly failed: number } | undefined
  /** The build that took longest. */
  readonly slowest: (Facts & { readonly durationMs: number }) | undefined
}

/** Counts them. Of several that are alike the one that comes first stands out. */
export function standingsOf(builds: readonly Facts[]): Standings {
  const counts = { failed: 0, succeeded: 0, unknown: 0 }
  const failures = new Map<string, number>()
  let slowest: Standings['slowest']
  for (const facts of builds) {
    const { outcome, project, durationMs } = facts
    counts[outcome ?? 'unknown'] += 1
    if (outcome === 'failed' && typeof project === 'string' && project !== '') {
      failures.set(project, (failures.get(project) ?? 0) + 1)
    }
    if (typeof durationMs === 'number' && durationMs > (slowest?.durationMs ?? -1)) {
      slowest = { ...facts, durationMs }
    }
  }
  let mostFailing: Standings['mostFailing']
  for (const [project, failed] of failures) {
    const isMost = failures.size > 1 && failed > (mostFailing?.failed ?? 0)
    if (isMost) mostFailing = { project, failed }
  }
  return { total: builds.length, ...counts, mostFailing, slowest }
}
