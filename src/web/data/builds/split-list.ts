import type { BuildSummary } from '../../../protocol/build-data.ts'
import { splitQuery } from '../../../search/split.ts'
import {
  type BuildListReader,
  isFilteredHere,
  isTooLong,
  type ListAbility,
  type PageAnswer,
  queryTooLong,
  untriedAbility,
  type WantedPage,
} from './build-list-reader.ts'

/** So many lists are read side by side at most; each page of the whole may need a page of each. */
const mostParts = 24

/**
 * The reader for the pages of one query, in their order. One that is too long for an address and is a long
 * list of alternatives is read as several lists, one after the other as they are needed, and merged:
 * newest first, each build once. Any other is read, or refused, as it is. A walk that begins anew
 * (`after` undefined) begins all of them anew.
 */
export function readerOfQuery(reader: BuildListReader, query: string | undefined): BuildListReader {
  if (query === undefined || !isTooLong(query)) return reader
  const parts = splitQuery(query, (text) => !isTooLong(text))
  if (parts === undefined || parts.length > mostParts) {
    return { page: () => Promise.resolve({ ok: false, refusal: queryTooLong(query.length) }) }
  }
  let merge = createMerge(reader, parts)
  return {
    page: async (wanted, signal) => {
      if (wanted.after === undefined) merge = createMerge(reader, parts)
      return merge(wanted, signal)
    },
  }
}

/** One of the lists: what was read of it and not given yet, newest first. */
interface Part {
  readonly query: string
  builds: BuildSummary[]
  last: BuildSummary | undefined
  isOver: boolean
}

function createMerge(reader: BuildListReader, queries: readonly string[]): BuildListReader['page'] {
  const parts = queries.map((query): Part => ({
    query,
    builds: [],
    last: undefined,
    isOver: false,
  }))
  const given = new Set<string>()
  /** The next page as far as it is known: what one that failed half way had taken is in the one after it. */
  let builds: BuildSummary[] = []
  let malformed = 0
  /** What the server can do, as the last page showed; undefined before the first one. */
  let ability: ListAbility | undefined

  /** Reads the next page of one list; what refuses it. A page that could not be had changes nothing. */
  async function fill(
    part: Part,
    wanted: WantedPage,
    signal: AbortSignal,
  ): Promise<PageAnswer | undefined> {
    const answer = await reader.page({ ...wanted, query: part.query, after: part.last }, signal)
    if (!answer.ok) return answer
    const { page } = answer
    ability = answer.ability
    part.last = page.builds.at(-1) ?? part.last
    part.isOver = page.builds.length === 0
    part.builds = [...page.builds]
    malformed += page.malformed
    return undefined
  }

  return async (wanted, signal) => {
    // Its list is the same for each part, and is filtered by who reads it.
    if (ability !== undefined && isFilteredHere({ ability })) {
      return reader.page({ ...wanted, query: parts[0]?.query }, signal)
    }
    while (builds.length < wanted.max) {
      for (const part of parts) {
        while (part.builds.length === 0 && !part.isOver) {
          const refused = await fill(part, wanted, signal)
          if (refused !== undefined) return refused
          if (ability !== undefined && isFilteredHere({ ability })) {
            return { ok: true, page: { builds: part.builds, malformed }, ability }
          }
        }
      }
      const build = takeNewest(parts)
      if (build === undefined) break
      if (given.has(build.id)) continue
      given.add(build.id)
      builds.push(build)
    }
    const page = { builds, malformed }
    builds = []
    malformed = 0
    return { ok: true, page, ability: ability ?? untriedAbility }
  }
}

function takeNewest(parts: readonly Part[]): BuildSummary | undefined {
  let newest: Part | undefined
  for (const part of parts) {
    const at = part.builds[0]?.availableAt
    if (at !== undefined && at > (newest?.builds[0]?.availableAt ?? -Infinity)) newest = part
  }
  return newest?.builds.shift()
}
