import { factsFromAttributes } from '../../../facts/facts-from-attributes.ts'
import { mergedFacts } from '../../../facts/merged-facts.ts'
import {
  type BuildSummary,
  toBuildMessage,
  toolsWithAttributes,
} from '../../../protocol/build-data.ts'
import type { Facts } from '../../../protocol/facts.ts'
import type { ProblemError } from '../../../protocol/problem.ts'
import { asProblem } from '../core/attempts.ts'
import type { ReadFacts } from '../insight/server-insight.ts'
import {
  type BuildListReader,
  isFilteredHere,
  type ListAbility,
  type ListAnswer,
  type PageAnswer,
  untriedAbility,
} from './build-list-reader.ts'
import { readerOfQuery } from './split-list.ts'

/** Whether a build matches a query, as far as its facts show. */
export type Verdict = 'yes' | 'no' | 'unknown'

export interface SearchRequest {
  /** In the search language, times with their zones, as a server is to get it; undefined: all. */
  readonly query: string | undefined
  /** The same, evaluated here. */
  readonly verdict: (facts: Facts) => Verdict
  /** Epoch ms: no build that started before this matches. Not called before a page is here. */
  readonly from?: () => number | undefined
}

export interface FoundBuild {
  readonly facts: Facts
  /** `unknown` where the facts leave it open; always `yes` where the server searches. */
  readonly verdict: 'yes' | 'unknown'
}

export interface FoundPage {
  readonly ok: true
  /** Newest first. */
  readonly found: readonly FoundBuild[]
  /** How many builds the server has given, matching or not; none of them was in a page before. */
  readonly read: number
  /** How many match according to the server, though not by their facts. */
  readonly disputed: number
  /** Of how many the events were asked for, each in a request of its own. */
  readonly byEvents: number
  /** Elements of the list that were no builds. */
  readonly malformed: number
  /** When the last of them was received, epoch ms. */
  readonly reached: number | undefined
  readonly ability: ListAbility
  /** Set where it is the last one; with a note where the list ended otherwise than by an empty page. */
  readonly end?: { readonly note?: string }
}

/** The pages of the builds that match, one after the other. */
export interface BuildPages {
  /**
   * The next page, or why the server does not accept the query. Throws a ProblemError where it could
   * not be had: called again it goes on where it was, and no build comes twice.
   */
  readonly next: (
    signal: AbortSignal,
  ) => Promise<FoundPage | { readonly ok: false; readonly refusal: ProblemError }>
  /** What matches and came since the first page or the last call, newest first; `isOpen` after `most` were read. */
  readonly newer: (most: number, signal: AbortSignal) => Promise<NewerBuilds>
}

interface NewerBuilds {
  readonly found: readonly FoundBuild[]
  readonly isOpen: boolean
}

/** So many newer builds are requested at once: mostly there are few. */
const newerPageSize = 25

/** Of so many builds the events are read before they are shown: the first rows wait for no more. */
const readAtOnce = 20
/** A server without events is asked for no more of them. */
const mostInVain = 100

export interface BuildPagesOptions {
  readonly reader: BuildListReader
  /** What is known of a build from elsewhere. */
  readonly factsOf: (buildId: string) => Facts | undefined
  /** Reads it of builds of which the list and `factsOf` say nothing. */
  readonly readFacts: ReadFacts
  /** How many builds are requested at once, at first. */
  readonly pageSize: number
  /** Called before each request with how many builds it is for. */
  readonly onRequest?: (pageSize: number) => void
}

/** Reads the list by cursor, in smaller parts where the server is too slow for a page (504). */
export function createBuildPages(
  wanted: SearchRequest,
  { reader: lists, factsOf, readFacts, pageSize, onRequest }: BuildPagesOptions,
): BuildPages {
  const reader = readerOfQuery(lists, wanted.query)
  const walk = createListWalk(wanted.from)
  let size = pageSize
  let taken: (WalkStep & { readonly malformed: number; readonly ability: ListAbility }) | undefined
  /** How many builds' events were asked for, and of how many in a row nothing could be read. */
  let [byEvents, inVain] = [0, 0]

  async function readPage(signal: AbortSignal): Promise<PageAnswer> {
    const { query } = wanted
    for (;;) {
      onRequest?.(size)
      try {
        const after = walk.last()
        return await reader.page({ query, after, max: size, withAttributes: true }, signal)
      } catch (error) {
        if (signal.aborted || asProblem(error).status !== 504 || size === 1) throw error
        size = Math.floor(size / 2)
      }
    }
  }

  /** Those of which neither the list nor others say how they went. */
  function unknownOf(builds: readonly BuildSummary[]): readonly string[] {
    if (inVain >= mostInVain) return []
    return builds.flatMap((build) =>
      isWithoutDetails(build) && factsOf(build.id)?.outcome === undefined ? build.id : [],
    )
  }

  /** Reads their events; what can't be read stays unknown. */
  async function learnedOf(
    builds: readonly BuildSummary[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Facts>> {
    const none = new Map<string, Facts>()
    const buildIds = unknownOf(builds)
    if (buildIds.length === 0) return none
    byEvents += buildIds.length
    const learned = await readFacts(buildIds, signal).catch(() => {
      signal.throwIfAborted()
      return none
    })
    inVain = learned.size > 0 ? 0 : inVain + buildIds.length
    return learned
  }

  function judge(
    build: BuildSummary,
    learned: ReadonlyMap<string, Facts>,
    isHere: boolean,
  ): { readonly found: FoundBuild | undefined; readonly isDisputed: boolean } {
    const given = factsFromAttributes(toBuildMessage(build), build.models ?? {})
    const facts =
      given.outcome === undefined
        ? (mergedFacts(given, factsOf(build.id), learned.get(build.id)) ?? given)
        : given
    const verdict = wanted.verdict(facts)
    if (!isHere) return { found: { facts, verdict: 'yes' }, isDisputed: verdict === 'no' }
    // What was received before the queried time didn't start in it, known or not.
    const isBefore = verdict === 'unknown' && build.availableAt < (wanted.from?.() ?? 0)
    return {
      found: isBefore || verdict === 'no' ? undefined : { facts, verdict },
      isDisputed: false,
    }
  }

  /** Those that came since and were looked at, matching or not. */
  const lookedAt = new Set<string>()

  async function newer(most: number, signal: AbortSignal): Promise<NewerBuilds> {
    const { query } = wanted
    // From the beginning of the list again.
    const list = readerOfQuery(lists, query)
    const fresh: BuildSummary[] = []
    let ability: ListAbility = untriedAbility
    let isOpen = false
    for (let isAtEnd = false; !isAtEnd && !isOpen; isOpen = !isAtEnd && fresh.length >= most) {
      const after = fresh.at(-1)
      const max = newerPageSize
      const wish = { query, after, max, withAttributes: true }
      const answer = await list.page(wish, signal)
      if (!answer.ok) throw answer.refusal
      const { page } = answer
      ability = answer.ability
      const unread = page.builds.filter(({ id }) => !fresh.some((build) => build.id === id))
      const known = unread.findIndex(({ id }) => walk.has(id) || lookedAt.has(id))
      fresh.push(...unread.slice(0, known === -1 ? unread.length : known))
      isAtEnd = known !== -1 || unread.length === 0
    }
    const learned = await learnedOf(fresh, signal)
    for (const { id } of fresh) lookedAt.add(id)
    const isHere = isFilteredHere({ ability }) && query !== undefined
    return { found: fresh.flatMap((build) => judge(build, learned, isHere).found ?? []), isOpen }
  }

  return {
    newer,
    next: async (signal) => {
      if (taken === undefined) {
        const answer = await readPage(signal)
        if (!answer.ok) return answer
        signal.throwIfAborted()
        const { page, ability } = answer
        taken = { ...walk.take(page, ability, size), malformed: page.malformed, ability }
      }
      const { fresh, malformed, ability, end } = taken
      const isWhole = unknownOf(fresh).length <= readAtOnce
      const builds = isWhole ? fresh : fresh.slice(0, readAtOnce)
      const byEventsBefore = byEvents
      const learned = await learnedOf(builds, signal)
      signal.throwIfAborted()
      const rest = fresh.slice(builds.length)
      taken = rest.length === 0 ? undefined : { fresh: rest, malformed: 0, ability, end }
      const isHere = isFilteredHere({ ability }) && wanted.query !== undefined
      const judged = builds.map((build) => judge(build, learned, isHere))
      return {
        ok: true,
        found: judged.flatMap(({ found }) => found ?? []),
        read: builds.length,
        byEvents: byEvents - byEventsBefore,
        disputed: judged.filter(({ isDisputed }) => isDisputed).length,
        malformed,
        reached: builds.at(-1)?.availableAt,
        ability,
        ...(rest.length === 0 && end !== undefined && { end }),
      }
    },
  }
}

/**
 * Whether the list says nothing of how a build went: it gives no model of it, and not for the reason
 * that none is for its tool (docs/services.md#build-models). That holds for tools that have one.
 */
function isWithoutDetails({ buildToolType, models = {} }: BuildSummary): boolean {
  const given = Object.values(models)
  if (given.some(({ model }) => model !== undefined && model !== null)) return false
  const isOfNoTool = given.every(({ problem }) =>
    problem?.type.endsWith(':build-model-not-applicable'),
  )
  const hasModel = toolsWithAttributes.some((tool) => tool === buildToolType)
  return !isOfNoTool || !hasModel || given.length < toolsWithAttributes.length
}

/** How many of those found may not match. */
export function unsureOf(found: readonly FoundBuild[]): number {
  return found.filter(({ verdict }) => verdict === 'unknown').length
}

interface WalkStep {
  /** The builds that no page before had. */
  readonly fresh: readonly BuildSummary[]
  /** Set where no page follows; with a note where the list ended otherwise than by an empty page. */
  readonly end: { readonly note?: string } | undefined
}

/**
 * A walk that nothing makes endless: it ends with an empty page, with one whose builds were all read before,
 * and, where the server does not search by itself, before `from`, before which no build is wanted.
 */
function createListWalk(from: SearchRequest['from']) {
  const seen = new Set<string>()
  let last: BuildSummary | undefined

  function endOf(
    { builds, malformed }: ListAnswer,
    fresh: readonly BuildSummary[],
    ability: ListAbility,
    max: number,
  ): WalkStep['end'] {
    const [repeated] = builds
    // Some begin each page with the last build of the one before: alone it is as good as an empty page.
    const isOverlap = builds.length === 1 && max > 1 && repeated?.id === last?.id
    if (isOverlap && malformed === 0) return {}
    if (repeated === undefined) {
      return malformed === 0
        ? {}
        : { note: "The next page of the list isn't readable, so the list ends here." }
    }
    if (fresh.length === 0) {
      const note = `The server returned build ${repeated.id} again instead of the next page, so the list ends here.`
      return { note }
    }
    if (!isFilteredHere({ ability })) return undefined
    return (builds.at(-1)?.availableAt ?? 0) < (from?.() ?? 0) ? {} : undefined
  }

  return {
    last: () => last,
    /** Takes the page behind `last`, for which `max` builds were requested. */
    take: (page: ListAnswer, ability: ListAbility, max: number) => {
      const fresh = page.builds.filter(({ id }) => !seen.has(id))
      const end = endOf(page, fresh, ability, max)
      for (const { id } of fresh) seen.add(id)
      last = page.builds.at(-1) ?? last
      return { fresh, end }
    },
    has: (buildId: string) => seen.has(buildId),
  }
}
