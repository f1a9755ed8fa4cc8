import { factsFromAttributes } from '../../../facts/facts-from-attributes.ts'
import { mergedFacts } from '../../../facts/merged-facts.ts'
import { type BuildSummary, toBuildMessage } from '../../../protocol/build-data.ts'
import type { Facts } from '../../../protocol/facts.ts'
import type { ProblemError } from '../../../protocol/problem.ts'
import { asProblem } from '../core/attempts.ts'
import {
  type BuildListReader,
  isFilteredHere,
  type ListAbility,
  type ListAnswer,
  type PageAnswer,
} from './build-list-reader.ts'
import { readerOfQuery } from './split-list.ts'

/** Whether a build matches a query, as far as its facts show. */
export type Verdict = 'yes' | 'no' | 'unknown'

/** What is searched for. */
export interface SearchRequest {
  /** In the search language, times with their zones, as a server is to get it; undefined: all. */
  readonly query: string | undefined
  /** The same, evaluated here. */
  readonly verdict: (facts: Facts) => Verdict
  /** Epoch ms: no build that started before this matches. */
  readonly from?: number
}

/** A build that was found. */
export interface FoundBuild {
  readonly facts: Facts
  /**
   * `unknown` where the server does not search and the facts leave it open; of a server that
   * searches it is always `yes`.
   */
  readonly verdict: 'yes' | 'unknown'
}

/** A page of what matches. */
export interface FoundPage {
  readonly ok: true
  /** In the order of the list. */
  readonly found: readonly FoundBuild[]
  /** How many builds the server has given, matching or not; none of them was in a page before. */
  readonly read: number
  /** How many match according to the server, though not by their facts. */
  readonly disputed: number
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
  /**
   * The builds that match and came since the first page, or since this was called last, newest first.
   * After `most` that were read it gives up: then the list has more of them (`isOpen`).
   */
  readonly newer: (most: number, signal: AbortSignal) => Promise<NewerBuilds>
}

/** What came since. */
interface NewerBuilds {
  readonly found: readonly FoundBuild[]
  readonly isOpen: boolean
}

/** So many newer builds are requested at once: mostly there are few. */
const newerPageSize = 25

/** What pages are read with. */
export interface BuildPagesOptions {
  readonly reader: BuildListReader
  /** What is known of a build from elsewhere. */
  readonly factsOf: (buildId: string) => Facts | undefined
  /** How many builds are requested at once, at first. */
  readonly pageSize: number
  /** Called before each request with how many builds it is for. */
  readonly onRequest?: (pageSize: number) => void
}

/** Reads the list by cursor, in smaller parts where the server is too slow for a page (504). */
export function createBuildPages(
  wanted: SearchRequest,
  { reader: lists, factsOf, pageSize, onRequest }: BuildPagesOptions,
): BuildPages {
  const reader = readerOfQuery(lists, wanted.query)
  const walk = createListWalk(wanted.from)
  let size = pageSize

  async function readPage(signal: AbortSignal): Promise<PageAnswer> {
    const { query, from } = wanted
    for (;;) {
      onRequest?.(size)
      try {
        const after = walk.last()
        return await reader.page({ query, after, from, max: size, withAttributes: true }, signal)
      } catch (error) {
        if (signal.aborted || asProblem(error).status !== 504 || size === 1) throw error
        walk.isTooLong(size)
        size = Math.floor(size / 2)
      }
    }
  }

  function judge(build: BuildSummary, isHere: boolean): Judged {
    const given = factsFromAttributes(toBuildMessage(build), build.models ?? {})
    const facts =
      given.outcome === undefined ? (mergedFacts(given, factsOf(build.id)) ?? given) : given
    const verdict = wanted.verdict(facts)
    if (!isHere) return { found: { facts, verdict: 'yes' }, isDisputed: verdict === 'no' }
    return { found: verdict === 'no' ? undefined : { facts, verdict }, isDisputed: false }
  }

  /** Those that came since and were looked at, matching or not. */
  const lookedAt = new Set<string>()

  async function newer(most: number, signal: AbortSignal): Promise<NewerBuilds> {
    const { query } = wanted
    // From the beginning of the list again.
    const list = readerOfQuery(lists, query)
    const fresh: BuildSummary[] = []
    let isHere = false
    let isOpen = false
    for (let isAtEnd = false; !isAtEnd && !isOpen; isOpen = !isAtEnd && fresh.length >= most) {
      const after = fresh.at(-1)
      const max = newerPageSize
      const wish = { query, after, from: undefined, max, withAttributes: true }
      const answer = await list.page(wish, signal)
      if (!answer.ok) throw answer.refusal
      const { page, ability } = answer
      isHere = isFilteredHere({ ability }) && query !== undefined
      const known = page.builds.findIndex(({ id }) => walk.has(id) || lookedAt.has(id))
      fresh.push(...page.builds.slice(0, known === -1 ? page.builds.length : known))
      isAtEnd = known !== -1 || page.builds.length === 0
    }
    for (const { id } of fresh) lookedAt.add(id)
    return { found: fresh.flatMap((build) => judge(build, isHere).found ?? []), isOpen }
  }

  return {
    newer,
    next: async (signal) => {
      const answer = await readPage(signal)
      if (!answer.ok) return answer
      signal.throwIfAborted()
      const { page, ability } = answer
      const { fresh, then } = walk.take(page, ability, size)
      if (then.is === 'longer') size = then.pageSize
      const isHere = isFilteredHere({ ability }) && wanted.query !== undefined
      const judged = fresh.map((build) => judge(build, isHere))
      return {
        ok: true,
        found: judged.flatMap(({ found }) => found ?? []),
        read: fresh.length,
        disputed: judged.filter(({ isDisputed }) => isDisputed).length,
        malformed: page.malformed,
        reached: fresh.at(-1)?.availableAt,
        ability,
        ...(then.is === 'end' && { end: then.note === undefined ? {} : { note: then.note } }),
      }
    },
  }
}

interface Judged {
  readonly found: FoundBuild | undefined
  readonly isDisputed: boolean
}

/** How many of those found may not match. */
export function unsureOf(found: readonly FoundBuild[]): number {
  return found.filter(({ verdict }) => verdict === 'unknown').length
}

/** The longest page that a server gives (docs/services.md#build-list-parameters). */
const longestPage = 1000

/** What a page brought, and how the walk goes on. */
interface WalkStep {
  /** The builds that no page before had. */
  readonly fresh: readonly BuildSummary[]
  readonly then:
    | { readonly is: 'on' }
    /** Only a longer page leads on. */
    | { readonly is: 'longer'; readonly pageSize: number }
    /** With a note where the list ended otherwise than by an empty page. */
    | { readonly is: 'end'; readonly note?: string }
}

/** A walk through the build list from page to page. */
interface ListWalk {
  /** The last build that was read. */
  readonly last: () => BuildSummary | undefined
  readonly take: (page: ListAnswer, ability: ListAbility, pageSize: number) => WalkStep
  /** Whether a page had this build. */
  readonly has: (buildId: string) => boolean
  /** Remembers that the server was too slow for a page of this length. */
  readonly isTooLong: (pageSize: number) => void
}

/**
 * A walk that nothing makes endless: it ends with an empty page, with builds that were read before,
 * and, where the server does not search by itself, before `from` (epoch ms), from which no build is
 * wanted.
 */
function createListWalk(from: number | undefined): ListWalk {
  const seen = new Set<string>()
  let last: BuildSummary | undefined
  let tooLong = Infinity

  function stepOf(
    { builds, malformed }: ListAnswer,
    fresh: readonly BuildSummary[],
    ability: ListAbility,
    pageSize: number,
  ): WalkStep['then'] {
    if (builds.length === 0) {
      return malformed === 0
        ? { is: 'end' }
        : { is: 'end', note: "The next page of the list isn't readable, so the list ends here." }
    }
    if (ability.order === 'oldest-first') return stepFromOldest(builds, fresh, pageSize)
    const repeated = builds.find((build) => !fresh.includes(build))
    if (repeated !== undefined) {
      const note = `The server returned build ${repeated.id} again instead of the next page, so the list ends here.`
      return { is: 'end', note }
    }
    const isBefore = (builds.at(-1)?.availableAt ?? 0) < (from ?? 0)
    return { is: isBefore && isFilteredHere({ ability }) ? 'end' : 'on' }
  }

  /** Pages overlap by the builds that share the last instant, which may be more than a page. */
  function stepFromOldest(
    builds: readonly BuildSummary[],
    fresh: readonly BuildSummary[],
    pageSize: number,
  ): WalkStep['then'] {
    if (fresh.length > 0) return { is: 'on' }
    if (builds.length < pageSize) return { is: 'end' }
    const longer = Math.min(longestPage, pageSize * 2)
    if (pageSize < longer && longer < tooLong) return { is: 'longer', pageSize: longer }
    const note = 'The server has too many builds with the same timestamp, so the list ends here.'
    return { is: 'end', note }
  }

  return {
    last: () => last,
    take: (page, ability, pageSize) => {
      const fresh = page.builds.filter(({ id }) => !seen.has(id))
      for (const { id } of fresh) seen.add(id)
      last = page.builds.at(-1) ?? last
      return { fresh, then: stepOf(page, fresh, ability, pageSize) }
    },
    has: (buildId) => seen.has(buildId),
    isTooLong: (pageSize) => {
      tooLong = Math.min(tooLong, pageSize)
    },
  }
}
