import { factsOfMessage } from '../../../facts/merged-facts.ts'
import { Attributes } from '../../../protocol/build-data.ts'
import { isBuildId } from '../../../protocol/build-message.ts'
import type { Clock } from '../../../protocol/clock.ts'
import { Facts } from '../../../protocol/facts.ts'
import { ProblemError } from '../../../protocol/problem.ts'
import { attributesOf, factsTextsOf, findBuild } from '../../store/build-listing.ts'
import { messageOf, type StoredBuild } from '../../store/build-rows.ts'
import type { Database } from '../../store/database.ts'
import { findBuilds } from '../find-builds.ts'
import { readSearch } from '../query-parameters.ts'
import { badRequest } from './governor-problem.ts'
import type { PackageRequest } from './package-request.ts'
import type { ClaimedBuild } from './statements-of-build.ts'

/** So many builds may stand behind one package. */
const mostBuilds = 100

/**
 * The builds with the ids, and the newest ones that the queries match (UTC), each once; `origin` is
 * where their pages are. Throws a ProblemError (400) for an id that is not known and for a query
 * that cannot be read.
 */
export async function selectBuilds(
  database: Database,
  clock: Clock,
  { ids, queries }: PackageRequest['buildScan'],
  origin: string,
): Promise<readonly ClaimedBuild[]> {
  const named = new Set(ids)
  if (named.size > mostBuilds) {
    throw badRequest(
      `Bad criteria (buildScan.ids: ${named.size} builds selected; at most ${mostBuilds} per package).`,
    )
  }
  const found = new Map<number, StoredBuild>()
  for (const id of named) {
    const build = isBuildId(id) ? await findBuild(database, id) : undefined
    if (build === undefined)
      throw badRequest(`Bad criteria (buildScan.ids: build ${id} not found).`)
    found.set(build.position, build)
  }
  for (const text of queries) {
    const query = readQuery(text)
    const page = await findBuilds(
      database,
      { newestFirst: true },
      { query, now: clock.now() },
      { max: mostBuilds + 1, isTimeOver: () => false, signal: new AbortController().signal },
    )
    for (const build of page.builds) found.set(build.position, build)
  }
  if (found.size > mostBuilds) {
    throw badRequest(
      `Bad criteria (buildScan: more than ${mostBuilds} builds selected; narrow the queries or select fewer).`,
    )
  }
  return claimedBuilds(database, [...found.values()], origin)
}

/** Builds with what attestations say of them. */
export async function claimedBuilds(
  database: Database,
  builds: readonly StoredBuild[],
  origin: string,
): Promise<readonly ClaimedBuild[]> {
  const positions = builds.map(({ position }) => position)
  const facts = await factsTextsOf(database, positions)
  const attributes = await attributesOf(database, positions)
  return builds.map((build) => {
    const factsText = facts.get(build.position)
    const attributesText = attributes.get(build.position)
    return {
      facts:
        factsText === undefined
          ? factsOfMessage(messageOf(build))
          : Facts.parse(JSON.parse(factsText)),
      attributes:
        attributesText === undefined ? null : Attributes.parse(JSON.parse(attributesText)),
      buildScanUri: `${origin}/s/${build.buildId}`,
    }
  })
}

function readQuery(text: string): ReturnType<typeof readSearch> {
  try {
    return readSearch(text)
  } catch (error) {
    if (error instanceof ProblemError)
      throw badRequest(`Bad criteria (buildScan.queries: ${error.message})`)
    throw error
  }
}
