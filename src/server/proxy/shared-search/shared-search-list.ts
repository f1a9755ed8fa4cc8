import { factsFromAttributes } from '../../../facts/facts-from-attributes.ts'
import {
  attributesModel,
  type BuildListQuery,
  type BuildSummary,
  impossibleQuery,
  plainestQuery,
  readListedBuild,
  toBuildMessage,
  toolsOverTime,
  type ToolWithAttributes,
} from '../../../protocol/build-data.ts'
import type { Clock } from '../../../protocol/clock.ts'
import type { Facts } from '../../../protocol/facts.ts'
import type { UnreadableField } from '../../../protocol/read-fields.ts'
import { problemError, ProblemError } from '../../../protocol/problem.ts'
import { sharedSearchBuilds } from '../../../protocol/shared-search.ts'
import { check } from '../../../search/check.ts'
import { parse } from '../../../search/parse.ts'
import { canonicalQuery } from '../../../search/to-api.ts'
import { fetchBuildList } from '../live/build-list.ts'
import { namedId, type OnLoss } from '../live/build-reader.ts'
import type { UpstreamClient } from '../upstream/upstream-client.ts'

/** The newest builds of a query, newest first, or that the server does not search. */
export type SearchResult = readonly Facts[] | 'unsupported'

/** Asks the build server for the newest builds of a query. */
export interface SearchList {
  /**
   * One search; an empty query is every build. Throws a ProblemError with the status that the server
   * answered: `search-refused` where it searches, but does not accept this query.
   */
  readonly newest: (query: string, signal: AbortSignal) => Promise<SearchResult>
  /** One page of a search as the list has it, newest first. Throws as `newest`. */
  readonly page: (
    query: string,
    from: Pick<BuildListQuery, 'fromBuild' | 'maxBuilds'>,
    signal: AbortSignal,
  ) => Promise<readonly BuildSummary[] | 'unsupported'>
}

/**
 * Searches servers of any age. What a server can is found out by trying, kept to, and tried again
 * after an hour where it was nothing: it may be a newer one by then. A server that answers a query which
 * no build matches with builds has left the query out (docs/services.md#build-list).
 */
export function createSearchList(client: UpstreamClient, clock: Clock, onLoss: OnLoss): SearchList {
  // The same builds come with each search: what could not be read of them is reported once.
  const reported = new Set<string>()
  const report = (build: string | null, { field, reason }: UnreadableField): void => {
    const key = `${build ?? ''} ${field}`
    if (reported.has(key)) return
    reported.add(key)
    if (reported.size > rememberedLosses) reported.delete(reported.values().next().value ?? '')
    onLoss({ endpoint: 'GET /api/builds', build, field, reason })
  }
  const factsOf = (summary: BuildSummary): Facts =>
    factsFromAttributes(toBuildMessage(summary), summary.models ?? {}, (unreadable) => {
      report(summary.id, unreadable)
    })

  /** Once an answer has shown that it searches. */
  let ability: { readonly tools: readonly ToolWithAttributes[] } | undefined
  let unsupportedUntil = -Infinity
  /** It lists nothing at all, so nothing shows whether it searches. */
  let isEmpty = false
  let learning: Promise<void> | undefined

  const list = async (query: string, more: BuildListQuery, signal: AbortSignal) => {
    const question = { reverse: true, ...more, ...(query === '' ? {} : { query }) }
    const items = await fetchBuildList(client, clock, question, signal)
    return items.flatMap(
      (item) =>
        readListedBuild(item, (fault) => {
          report(namedId(item, 'id'), fault)
        }) ?? [],
    )
  }
  const isAccepted = async (
    query: string,
    models: readonly string[],
    signal: AbortSignal,
  ): Promise<boolean> => {
    try {
      await list(query, { maxBuilds: 1, models }, signal)
      return true
    } catch (error) {
      if (isRefusal(error)) return false
      throw error
    }
  }

  const ignoresQueries = async (signal: AbortSignal): Promise<boolean> => {
    try {
      return (await list(impossibleQuery, { maxBuilds: 1 }, signal)).length > 0
    } catch (error) {
      // Who finds fault with it has read it.
      if (isRefusal(error)) return false
      throw error
    }
  }

  /** What it lists; builds only `since` a time that a request names: then an empty answer says nothing of a query. */
  const listed = async (signal: AbortSignal): Promise<'all' | 'since' | 'nothing'> => {
    if ((await list('', { maxBuilds: 1 }, signal)).length > 0) return 'all'
    return (await list('', { since: 0, maxBuilds: 1 }, signal)).length > 0 ? 'since' : 'nothing'
  }

  /** The tools whose attributes it gives with what a query finds; undefined where it refuses queries. */
  const offeredTools = async (signal: AbortSignal) => {
    for (const offered of toolsOverTime) {
      if (await isAccepted(plainestQuery, offered.map(attributesModel), signal)) return offered
    }
    return undefined
  }

  /** Finds out once, for all who wait, in as few steps as it takes: they may be long; after a fault the next one tries again. */
  const learn = async (signal: AbortSignal): Promise<void> => {
    const tools = await offeredTools(signal).catch(noneWhereMissing)
    if (tools === 'no list') {
      isEmpty = false
      unsupportedUntil = clock.now() + lookAgainMs
      return
    }
    const [ignores, lists] =
      tools === undefined
        ? [true, 'since']
        : await Promise.all([ignoresQueries(signal), listed(signal)])
    isEmpty = !ignores && lists === 'nothing'
    if (!ignores && lists === 'all' && tools !== undefined) ability = { tools }
    else unsupportedUntil = clock.now() + (isEmpty ? emptyMs : askAgainMs)
  }

  /** Undefined where it does not search. */
  const toolsOf = async (signal: AbortSignal) => {
    if (ability === undefined && clock.now() >= unsupportedUntil) {
      learning ??= learn(signal).finally(() => {
        learning = undefined
      })
    }
    await learning
    return ability?.tools
  }

  return {
    newest: async (query, signal) => {
      try {
        const tools = await toolsOf(signal)
        if (tools === undefined) return isEmpty ? [] : 'unsupported'
        const models = tools.map(attributesModel)
        const found = await list(query, { maxBuilds: sharedSearchBuilds, models }, signal)
        return found.slice(0, sharedSearchBuilds).map(factsOf)
      } catch (error) {
        if (error instanceof ProblemError && error.status === 403) throw forbidden()
        throw isRefusal(error) ? refused() : error
      }
    },
    page: async (query, from, signal) => {
      const isKnown = ability !== undefined || clock.now() < unsupportedUntil
      // Requested beside what is still to be learned, it is there as soon as that is.
      const early = isKnown ? undefined : list(query, from, signal)
      early?.catch(() => undefined)
      if ((await toolsOf(signal)) === undefined) return isEmpty ? [] : 'unsupported'
      try {
        return await (early ?? list(query, from, signal))
      } catch (error) {
        throw isRefusal(error) ? refused() : error
      }
    },
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof ProblemError && error.status === 400
}

/** A server may have no list, or hide it: then there is only the feed. Throws everything else. */
function noneWhereMissing(error: unknown): 'no list' {
  if (error instanceof ProblemError && [404, 405, 501].includes(error.status)) return 'no list'
  throw error
}

function refused(): ProblemError {
  return problemError(
    400,
    'search-refused',
    'Query rejected',
    "The build server rejects this query. Open it on the Builds page to see what's wrong.",
  )
}

function forbidden(): ProblemError {
  return problemError(
    403,
    'search-forbidden',
    'Search not allowed',
    "Sightline's user lacks the permission “Access build data via the API” (403).",
  )
}

const rememberedLosses = 1000

/** A server that is replaced by a newer one may search. */
const askAgainMs = 60 * 60 * 1000
/** And one whose list is missing may only just be starting. */
const lookAgainMs = 5 * 60 * 1000

/** Its first build comes over the live feed. */
const emptyMs = 10_000

/**
 * The canonical form of a query, in which those that differ by their spelling alone meet, as the API
 * is asked; times without a zone are UTC. Throws a ProblemError 400 with `queryMistakes`, `{from, to,
 * message}` each, where the query has an error, and one where it is too long.
 */
export function readSharedQuery(text: string): string {
  const query = parse(text)
  const mistakes = check(query).filter(({ severity }) => severity === 'error')
  const [first] = mistakes
  if (first !== undefined) {
    throw problemError(400, 'bad-query', 'Invalid query', first.message, {
      queryMistakes: mistakes
        .slice(0, toldAtMost)
        .map(({ from, to, code, message }) => ({ from, to, code, message })),
    })
  }
  const canonical = canonicalQuery(query)
  // It goes upstream in an address, and servers refuse long ones.
  if (new URLSearchParams({ query: canonical }).toString().length > longestEncoded) throw tooLong()
  return canonical
}

const longestEncoded = 4000

function tooLong(): ProblemError {
  return problemError(
    400,
    'query-too-long',
    'Query too long',
    'The query is too long for the build server. Shorten it.',
  )
}

const toldAtMost = 20
