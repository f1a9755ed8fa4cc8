import * as z from 'zod/mini'
import {
  attributesModel,
  buildListPath,
  type BuildListQuery,
  type BuildSummary,
  impossibleQuery,
  isAscending,
  plainestQuery,
  readListedBuild,
  toolsOverTime,
  toolsWithAttributes,
  type ToolWithAttributes,
} from '../../../protocol/build-data.ts'
import type { Clock } from '../../../protocol/clock.ts'
import { countText } from '../../../protocol/count.ts'
import { EarlierBuilds, earlierBuildsAt } from '../../../protocol/insight.ts'
import { ProblemDetail, ProblemError, problemError } from '../../../protocol/problem.ts'
import type { Loss } from '../../../protocol/status-report.ts'
import { asProblem, shouldRetry } from '../core/attempts.ts'
import type { Request } from '../core/request.ts'
import { withTimeLimit } from '../core/response.ts'

/** Whether builds are filtered here, as the server does not search. */
export function isFilteredHere({ ability }: { readonly ability: ListAbility }): boolean {
  return ability.search === 'refused' || ability.search === 'ignored'
}

export interface WantedPage {
  /** In the search language, as the server is to get it; undefined for all builds. */
  readonly query: string | undefined
  /** The last build that was read; the page goes on behind it. */
  readonly after: BuildSummary | undefined
  readonly max: number
  readonly withAttributes: boolean
}

/** A page, or why the server does not accept this query. */
export type PageAnswer =
  | { readonly ok: true; readonly page: ListAnswer; readonly ability: ListAbility }
  | { readonly ok: false; readonly refusal: ProblemError }

/** Called for each field, and each element, that could not be read. */
export type OnLoss = (loss: Omit<Loss, 'at'>) => void

const nobody: OnLoss = () => undefined

/** Reads the list of a build server of any age. */
export interface BuildListReader {
  /** One page, newest first; only an empty one is the end. Throws a ProblemError for all but mistakes in the query. */
  readonly page: (wanted: WantedPage, signal: AbortSignal) => Promise<PageAnswer>
}

/**
 * Finds out by trying what the server is able to do, keeps to it, and reports it with each page: a
 * query is sent once for something impossible, to notice a server that does not search
 * (docs/services.md#build-list).
 */
export function createBuildListReader(
  request: Request,
  clock: Clock,
  onLoss: OnLoss = nobody,
): BuildListReader {
  let ability = untriedAbility
  /** Whether it has listed builds without being told a time. */
  let listsUnasked = false
  /** Whether it had no list when it was last asked for one. */
  let isListMissing = false
  /** When the list responded last; it isn't tried before the other, once it was silent. Epoch ms. */
  let [heardAt, silentUntil] = [-Infinity, -Infinity]

  /** Undefined where it takes longer. */
  async function within<Value>(
    ms: number,
    task: (signal: AbortSignal) => Promise<Value>,
    signal: AbortSignal,
  ): Promise<Value | undefined> {
    try {
      const value = await withTimeLimit(clock, ms, signal, task)
      heardAt = clock.now()
      return value
    } catch (error) {
      if (asProblem(error).problem.type.endsWith(':no-answer')) return undefined
      throw error
    }
  }

  /** A list of which even one build doesn't come is no slow one: throws that it is silent. */
  async function askedUnlessSilent(wanted: WantedPage, signal: AbortSignal): Promise<AskedPage> {
    if (ability.walk === 'none' && clock.now() - heardAt > knownMs) {
      const soon = await within(slowMs, (either) => ask(wanted, either), signal)
      if (soon !== undefined) return soon
      const probe = (limit: AbortSignal) =>
        fetchListPage(request, { reverse: true, maxBuilds: 1 }, limit)
      if ((await within(probeMs, probe, signal)) === undefined) {
        silentUntil = clock.now() + silentMs
        throw silentList()
      }
    }
    const asked = await ask(wanted, signal)
    heardAt = clock.now()
    return asked
  }

  function questionOf(wanted: WantedPage): ListQuestion {
    const { query, after, max, withAttributes } = wanted
    const tools = withAttributes ? ability.tools : []
    return {
      reverse: true,
      maxBuilds: max,
      tools,
      ...(after === undefined ? {} : { fromBuild: after.id }),
      ...(query === undefined || !canSearch(ability) ? {} : { query }),
    }
  }

  /** Has the proxy walk the list backwards, or the export stream. */
  async function earlier({ after, max }: WantedPage, signal: AbortSignal): Promise<ListAnswer> {
    // They come without attributes, so long pages come soon, and a server is asked less often.
    const path = earlierBuildsAt(after?.availableAt, after === undefined ? max : longerPage)
    const { builds, malformed, source } = await request(path, EarlierBuilds, { signal })
    const search = ability.search === 'refused' ? 'refused' : 'ignored'
    // Some give models though nobody asked for any.
    const tools = builds.some(({ models }) => models !== undefined) ? toolsWithAttributes : []
    ability = { search, tools, areToolsKnown: true, walk: source, fault: ability.fault }
    return { builds, malformed }
  }

  async function walked(wanted: WantedPage, signal: AbortSignal): Promise<AskedPage> {
    const page = await earlier(wanted, signal)
    return { page, search: ability.search }
  }

  async function ask(wanted: WantedPage, signal: AbortSignal): Promise<AskedPage> {
    if (ability.walk !== 'none') return walked(wanted, signal)
    const question = questionOf(wanted)
    const isSent = question.query !== undefined
    const { search } = ability
    // By an upgrade it may have learned to search.
    const isTriedAgain =
      search === 'ignored' && wanted.query !== undefined && wanted.after === undefined
    const [page, ignores] = await Promise.all([
      fetchListPage(request, question, signal, onLoss),
      isTriedAgain || (isSent && search === 'untried')
        ? ignoresQueries(request, signal)
        : undefined,
    ])
    if (page.builds.length > 0) listsUnasked = true
    if (ignores !== undefined) ability = { ...ability, search: ignores ? 'ignored' : 'yes' }
    if (isTriedAgain && ignores === false) return ask(wanted, signal)
    // A page of what a query finds, or behind a build, is of the end that was asked for.
    const isFirst = wanted.after === undefined && ability.search !== 'yes'
    const since = async (time: number): Promise<readonly BuildSummary[]> =>
      isFirst ? (await fetchListPage(request, { since: time, maxBuilds: 1 }, signal)).builds : []
    const again = async () => (await fetchListPage(request, question, signal)).builds
    const isWrongEnd =
      (await isAscending(page.builds, { since, again })) ||
      (page.builds.length === 0 && (await needsSince(signal)))
    // A page of the wrong end of the list is no use.
    return isWrongEnd ? walked(wanted, signal) : { page, search: isSent ? ability.search : search }
  }

  /** Why the server has no list, or none that Sightline's user gets; undefined where it may have one. */
  function listFault({ status, problem: { type, upstreamStatus } }: ProblemError): ListFault {
    if (ability.walk !== 'none') return undefined
    if (type.endsWith(silence)) return 'silent'
    if (listsUnasked) return undefined
    if (upstreamStatus === 401) return 'rejected'
    if (upstreamStatus === 403) return 'denied'
    return [404, 405, 501].includes(status) ? 'missing' : undefined
  }

  /**
   * Whether the server lists builds only where a request names a time, as those may that know only
   * `since` (docs/services.md#build-list-parameters): an empty page doesn't mean there are none.
   */
  async function needsSince(signal: AbortSignal): Promise<boolean> {
    if (listsUnasked) return false
    const first = async (more: ListQuestion): Promise<boolean> =>
      (await fetchListPage(request, { maxBuilds: 1, ...more }, signal)).builds.length > 0
    listsUnasked = await first({ reverse: true })
    return !listsUnasked && (await first({ since: 0 }))
  }

  /** Tries what older servers understand, until one of it is not refused. */
  async function learn(wanted: WantedPage, signal: AbortSignal): Promise<void> {
    const isAccepted = (more: ListQuestion): Promise<boolean> =>
      isUnderstood(request, { reverse: true, maxBuilds: 1, ...more }, signal)
    const query = wanted.query ?? ''
    for (const question of query === '' ? [{}] : [{ query }, { query: plainestQuery }, {}]) {
      for (const tools of toolsOverTime) {
        if (!(await isAccepted({ ...question, tools }))) continue
        ability = { ...ability, tools, areToolsKnown: true }
        if (query !== '' && !('query' in question)) ability = { ...ability, search: 'refused' }
        return
      }
    }
    ability = { search: 'refused', tools: [], areToolsKnown: true, walk: 'list' }
  }

  async function answer(wanted: WantedPage, signal: AbortSignal): Promise<PageAnswer> {
    if (isTooLong(wanted.query ?? ''))
      return { ok: false, refusal: queryTooLong(wanted.query?.length ?? 0) }
    // It may have got one by an upgrade, or its user the permission to read it.
    if (isListMissing && wanted.after === undefined && clock.now() >= silentUntil) {
      isListMissing = false
      ability = untriedAbility
    }
    for (let tries = 0; ; tries++) {
      try {
        const { page, search } = await askedUnlessSilent(wanted, signal)
        ability = { ...ability, ...offeredTools(ability, page, wanted) }
        return { ok: true, page, ability: { ...ability, search } }
      } catch (error) {
        const fault = error instanceof ProblemError ? listFault(error) : undefined
        if (fault !== undefined) {
          ability = { ...ability, fault }
          const page = await earlier(wanted, signal).catch((other: unknown) => {
            // What may help a moment later says more than that there is no list.
            throw shouldRetry(0, asProblem(other)) ? other : error
          })
          isListMissing = true
          return { ok: true, page, ability }
        }
        if (!(error instanceof ProblemError) || !isRefusal(error)) throw error
        const isSearch = wanted.query !== undefined && canSearch(ability)
        if (isSearch && mistakesIn(error.problem) !== undefined)
          return { ok: false, refusal: error }
        if (tries > 0 || (ability.areToolsKnown && ability.search !== 'untried')) {
          if (isSearch) return { ok: false, refusal: error }
          throw error
        }
        await learn(wanted, signal)
      }
    }
  }

  return { page: answer }
}

function canSearch({ search }: ListAbility): boolean {
  return search === 'untried' || search === 'yes'
}

const longerPage = 500

const silence = 'silent-list'
/** So long a list that responded counts as there; then a page may take so long, and the probe for one build, ms. */
const [knownMs, slowMs, probeMs] = [60_000, 8000, 4000]
/** A list that was silent is tried again after so long, ms. */
const silentMs = 5 * 60_000

function silentList(): ProblemError {
  const sentence = "The build server's list of builds doesn't respond."
  return problemError(504, silence, 'No response', sentence)
}

/** The proxy sends values of so many characters, and an address of 8 KiB: so many of it are left for a query, encoded. */
const longestQuery = { plain: 4096, encoded: 7000 }

/** Whether a query is longer than servers read; such a request is not made. */
export function isTooLong(query: string): boolean {
  const { plain, encoded } = longestQuery
  // Half a character is sent as a whole one.
  const sent = query.replace(/\p{Surrogate}/gu, '\ufffd')
  return query.length > plain || encodeURIComponent(sent).length > encoded
}

/** Why a query is not sent, and what helps. */
export function queryTooLong(length: number): ProblemError {
  const sentence = `The query has ${countText(length)} characters; a request takes ${countText(longestQuery.plain)}, or fewer with many special ones. Only a query that is one long list of alternatives, such as tag:a or tag:b, can be longer. Remove parts of the others, or use * for values that begin alike.`
  return problemError(400, 'query-too-long', 'Query too long', sentence)
}

/** A 400 of the server itself; the proxy has its own for what it does not send on. */
function isRefusal({ status, problem }: ProblemError): boolean {
  return status === 400 && problem.type !== 'urn:sightline:problem:bad-query'
}

/** Undefined where it could not be found out: the next search tries again. */
async function ignoresQueries(request: Request, signal: AbortSignal): Promise<boolean | undefined> {
  try {
    const question = { query: impossibleQuery, reverse: true, maxBuilds: 1 }
    return (await fetchListPage(request, question, signal)).builds.length > 0
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    // Who finds fault with it has read it.
    return isRefusal(error) ? false : undefined
  }
}

async function isUnderstood(
  request: Request,
  question: ListQuestion,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await fetchListPage(request, question, signal)
    return true
  } catch (error) {
    if (error instanceof ProblemError && isRefusal(error)) return false
    throw error
  }
}

/** A server that does not know `models` answers builds that have none. */
function offeredTools(
  { tools, areToolsKnown }: ListAbility,
  { builds }: ListAnswer,
  { withAttributes }: WantedPage,
): Pick<ListAbility, 'tools' | 'areToolsKnown'> {
  if (!withAttributes || builds.length === 0) return { tools, areToolsKnown }
  const isGiven = builds.some(({ models }) => models !== undefined)
  return { tools: isGiven ? tools : [], areToolsKnown: true }
}

/** What a build server was found to be able to do with its list; learned by asking. */
export interface ListAbility {
  /**
   * Whether it answers `query` (docs/services.md#build-list-parameters). Older ones refuse it
   * (`refused`), and ones that know only since and maxBuilds may answer as if nothing had been
   * asked (`ignored`).
   */
  readonly search: 'untried' | 'yes' | 'refused' | 'ignored'
  /** The tools whose attributes it gives with the list; empty where it gives none. */
  readonly tools: readonly ToolWithAttributes[]
  /** Whether some answer has confirmed `tools`. */
  readonly areToolsKnown: boolean
  /** What the proxy walks back in time, as its list begins with the oldest or is none (`export`: the export stream). */
  readonly walk: 'none' | EarlierBuilds['source']
  /** Why it isn't the list that is read. */
  readonly fault?: ListFault
}

/** `missing` may also mean that Sightline's user may not read it. */
type ListFault = 'missing' | 'denied' | 'rejected' | 'silent' | undefined

/** What is hoped for before a server has answered anything. */
export const untriedAbility: ListAbility = {
  search: 'untried',
  tools: toolsWithAttributes,
  areToolsKnown: false,
  walk: 'none',
}

export interface ListAnswer {
  readonly builds: readonly BuildSummary[]
  /** Elements that were no builds, and were skipped. */
  readonly malformed: number
}

/** A page, and what the server did with the query for it: other searches may learn otherwise meanwhile. */
interface AskedPage {
  readonly page: ListAnswer
  readonly search: ListAbility['search']
}

/** What is requested of the list: see `BuildListQuery`, with tools in place of the names of models. */
interface ListQuestion extends Omit<BuildListQuery, 'models'> {
  /** The tools whose attributes are requested with each build. */
  readonly tools?: readonly ToolWithAttributes[]
}

/** One page of the build server's list, through the proxy. Throws a ProblemError, of 502 where it is no list. */
async function fetchListPage(
  request: Request,
  { tools = [], ...question }: ListQuestion,
  signal: AbortSignal,
  onLoss: OnLoss = nobody,
): Promise<ListAnswer> {
  const models = tools.map(attributesModel)
  const path = `/upstream/build-data${buildListPath({ ...question, models })}`
  const items = await request(path, z.unknown(), { signal })
  if (!isList(items)) throw unreadableList(items)
  const builds = items.flatMap(
    (item) =>
      readListedBuild(item, ({ field, reason }) => {
        const build = Identified.safeParse(item).data?.id ?? null
        onLoss({ server: 'build server', endpoint: 'GET /api/builds', build, field, reason })
      }) ?? [],
  )
  return { builds, malformed: items.length - builds.length }
}

const Identified = z.looseObject({ id: z.string() })

function isList(answer: unknown): answer is readonly unknown[] {
  return Array.isArray(answer)
}

/** A 200 may hold a problem, or nothing. */
function unreadableList(answer: unknown): ProblemError {
  const { title, detail } = ProblemDetail.safeParse(answer).data ?? {}
  const said = detail ?? title
  const instead = said === undefined ? '' : ` Instead, it sent: "${said.slice(0, 300)}"`
  const sentence = `The build server's list of builds can't be read.${instead}`
  return problemError(502, 'unreadable-answer', 'Unreadable response', sentence)
}

/** Where a server found a mistake in a query: offsets in the text that was sent to it. */
const QueryMistake = z.looseObject({
  from: z.int().check(z.nonnegative()),
  to: z.int().check(z.nonnegative()),
  message: z.string().check(z.minLength(1)),
})
export type QueryMistake = z.infer<typeof QueryMistake>

const WithMistakes = z.looseObject({ queryMistakes: z.array(QueryMistake).check(z.minLength(1)) })

/** The mistakes that a refusal names, undefined where it names none. */
export function mistakesIn(problem: ProblemDetail): readonly QueryMistake[] | undefined {
  return WithMistakes.safeParse(problem).data?.queryMistakes
}
