import {
  attributesModel,
  type BuildListQuery,
  type BuildSummary,
  isAscending,
  readListedBuild,
  toBuildMessage,
  toolsWithAttributes,
} from '../protocol/build-data.ts'
import { dayMs } from '../protocol/clock.ts'
import { branchOf, type Facts } from '../protocol/facts.ts'
import { ProblemError } from '../protocol/problem.ts'
import { factsFromAttributes } from './facts-from-attributes.ts'
import { mergedFacts } from './merged-facts.ts'
import type { FailureStreak } from './failure-streak.ts'

/** As many builds before one as show how long its project and branch have been failing. */
const mostEarlier = 50
/** Successes of other work on the branch may stand before the one that is looked for. */
const mostSuccesses = 20
const mostFailures = 100

/**
 * Builds of the same project and branch that were received before this one, the newest first, from
 * the build data API. A server that cannot search gives any builds: the caller looks for the
 * right ones among them.
 */
export function earlierBuilds(build: Facts): BuildListQuery {
  return around(build, { terms: [], onBranch: true, laterMs: 0, most: mostEarlier })
}

/** Those of them that succeeded, on its own branch or on any. */
export function earlierSuccesses(build: Facts, onBranch: boolean): BuildListQuery {
  const terms = [['buildOutcome', 'succeeded']] as const
  return around(build, { terms, onBranch, laterMs: 0, most: mostSuccesses })
}

/** Failed builds of the project until a day after this one, newest first; without search on the server also others. */
export function failuresAround(build: Facts): BuildListQuery {
  const terms = [['buildOutcome', 'failed']] as const
  return around(build, { terms, onBranch: false, laterMs: dayMs, most: mostFailures })
}

/** What a list of them says, without the build itself. */
function factsAround(build: Facts, list: readonly BuildSummary[]): readonly Facts[] {
  return list
    .filter(({ id }) => id !== build.buildId)
    .map((summary) => factsFromAttributes(toBuildMessage(summary), summary.models ?? {}))
}

/** Where builds around one are read; all throw a ProblemError where that fails. */
export interface AroundSource {
  readonly list: (query: BuildListQuery) => Promise<readonly unknown[]>
  /** The newest builds received before a time, epoch ms, or until now. */
  readonly earlier: (before: number | undefined, most: number) => Promise<readonly BuildSummary[]>
  /** What builds' events say; those that can't be read are left out. */
  readonly readFacts: (buildIds: readonly string[]) => Promise<ReadonlyMap<string, Facts>>
}

/** So many builds, of whatever project, are looked through on a server that can't search. */
const mostUnsearched = 200

/**
 * The builds of one of the lists above. A server that doesn't know the search is asked without it; where
 * its list doesn't begin with the newest, or can't be had, the builds received before are looked
 * through, and events are read where it lists no details. Throws a ProblemError.
 */
export async function readAround(
  build: Facts,
  asked: BuildListQuery,
  source: AroundSource,
): Promise<readonly Facts[]> {
  const { query: _, ...rest } = asked
  let missing: ProblemError | undefined
  let understood = asked
  const given = await source.list(asked).catch((error: unknown) => {
    if (!(error instanceof ProblemError)) throw error
    if (error.status === 400) {
      understood = rest
      return source.list(rest)
    }
    const { status, problem } = error
    const isThere = status !== 404 && status !== 504
    if (isThere && problem.upstreamStatus !== 401 && problem.upstreamStatus !== 403) throw error
    missing = error
    return undefined
  })
  const listed = given?.flatMap(readBuild)
  // A list that gives details has found what was asked for.
  const since = async (time: number): Promise<readonly BuildSummary[]> =>
    listed?.every(isWithoutModels) === true
      ? (await source.list({ since: time, maxBuilds: 1 }))
          .flatMap(readBuild)
          .filter(({ availableAt }) => availableAt <= (asked.fromInstant ?? Infinity))
      : []
  const again = async () => (await source.list(understood)).flatMap(readBuild)
  const builds =
    listed === undefined || (await isAscending(listed, { since, again }))
      ? await source
          .earlier(asked.fromInstant && asked.fromInstant + 1, mostUnsearched)
          .catch((error: unknown) => {
            // Who may read neither learns which permission is missing.
            throw missing ?? error
          })
      : listed
  const isBare = builds.every(isWithoutModels)
  const buildIds = isBare && asked.models?.length !== 0 ? builds.map(({ id }) => id) : []
  const known = buildIds.length === 0 ? new Map<string, Facts>() : await source.readFacts(buildIds)
  return factsAround(build, builds).map((one) => mergedFacts(one, known.get(one.buildId)) ?? one)
}

function readBuild(item: unknown): BuildSummary | readonly [] {
  return readListedBuild(item, () => undefined) ?? []
}

function isWithoutModels({ models }: BuildSummary): boolean {
  return models === undefined
}

/** How far back other branches are looked at, days. */
export const originDays = 14
/** Of the row before a build as many are compared as show whether its failure is new. */
const mostOfRow = 10
const mostOfOthers = 60

/** Failed builds of other branches, and how far back all of them are known. */
export interface FailuresElsewhere {
  /** Of the same project, the newest first. */
  readonly others: readonly Facts[]
  /** Days before the build: fewer than `originDays` where not all are looked at; undefined where unlisted. */
  readonly days: number | undefined
}

/** What the list of `failuresAround`, undefined where it couldn't be had, says of other branches in the last days. */
export function failuresElsewhere(
  build: Facts,
  failed: readonly Facts[] | undefined,
): FailuresElsewhere {
  if (failed === undefined) return { others: [], days: undefined }
  const oldest = build.receivedAt - originDays * dayMs
  const all = failed.filter(
    (one) =>
      one.outcome === 'failed' &&
      one.project === build.project &&
      one.receivedAt >= oldest &&
      branchOf(one) !== branchOf(build),
  )
  const others = all.slice(0, mostOfOthers)
  // The build itself isn't among those of the list.
  const isListCut = failed.length >= mostFailures - 1
  const last = others.length < all.length ? others.at(-1) : isListCut ? failed.at(-1) : undefined
  const from = Math.max(oldest, last?.receivedAt ?? oldest)
  return { others, days: Math.max(0, (build.receivedAt - from) / dayMs) }
}

/** The builds whose failures are compared with that of a build, itself first. */
export function comparedBuilds(
  build: Facts,
  { before }: FailureStreak,
  elsewhere: readonly Facts[],
): readonly string[] {
  const ids = [build, ...before.slice(0, mostOfRow), ...elsewhere].map(({ buildId }) => buildId)
  return [...new Set(ids)]
}

type Term = readonly [field: string, value: string]

function around(
  build: Facts,
  wanted: {
    readonly terms: readonly Term[]
    readonly onBranch: boolean
    readonly laterMs: number
    readonly most: number
  },
): BuildListQuery {
  const branch = wanted.onBranch ? branchOf(build) : undefined
  const terms: readonly Term[] = [
    ['project', build.project ?? ''],
    ['buildTool', build.buildTool],
    ...(branch === undefined ? [] : [['value', `Git branch=${branch}`] as const]),
    ...wanted.terms,
  ]
  return {
    fromInstant: build.receivedAt + wanted.laterMs,
    reverse: true,
    maxBuilds: wanted.most,
    models: toolsWithAttributes.filter((tool) => tool === build.buildTool).map(attributesModel),
    query: terms
      .filter(([, value]) => value !== '' && !/["\\\p{Surrogate}]/u.test(value) && fits(value))
      .map(([name, value]) => `${name}:"${value}"`)
      .join(' '),
  }
}

/** A project and a branch fit into one URL; a name that does not is left to the reader. */
function fits(value: string): boolean {
  return value.length <= longestValue && encodeURIComponent(value).length <= longestValue
}

const longestValue = 3000
