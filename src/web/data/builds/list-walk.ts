import type { BuildSummary } from '../../../protocol/build-data.ts'
import { isFilteredHere, type ListAbility, type ListAnswer } from './build-list-reader.ts'

/** The longest page that a server gives (docs/services.md#build-list-parameters). */
const longestPage = 1000

/** What a page brought, and how the walk goes on. */
export interface WalkStep {
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
export interface ListWalk {
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
export function createListWalk(from: number | undefined): ListWalk {
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
