import {
  attributesModel,
  type BuildListQuery,
  readListedBuild,
  toBuildMessage,
  toolsWithAttributes,
} from '../protocol/build-data.ts'
import { dayMs } from '../protocol/clock.ts'
import type { Facts } from '../protocol/facts.ts'
import { factsFromAttributes } from './facts-from-attributes.ts'
import { branchOf, type FailureStreak } from './failure-streak.ts'

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

/**
 * Failed builds of the same project on any branch, up to a day after this one, the newest first; on a
 * server that cannot search also others.
 */
export function failuresAround(build: Facts): BuildListQuery {
  const terms = [['buildOutcome', 'failed']] as const
  return around(build, { terms, onBranch: false, laterMs: dayMs, most: mostFailures })
}

/** What a list of them says, as the server answered it, without the build itself and what is no build. */
export function factsAround(build: Facts, list: readonly unknown[]): readonly Facts[] {
  return list
    .flatMap((item) => readListedBuild(item, () => undefined) ?? [])
    .filter(({ id }) => id !== build.buildId)
    .map((summary) => factsFromAttributes(toBuildMessage(summary), summary.models ?? {}))
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
  /**
   * Before the build, days: fewer than `originDays` where there are more than are looked at; undefined where
   * they couldn't be listed.
   */
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
      .filter(([, value]) => value !== '' && !/["\\]/.test(value) && fits(value))
      .map(([name, value]) => `${name}:"${value}"`)
      .join(' '),
  }
}

/** A project and a branch fit into one URL; a name that does not is left to the reader. */
function fits(value: string): boolean {
  return value.length <= longestValue && encodeURIComponent(value).length <= longestValue
}

const longestValue = 3000
