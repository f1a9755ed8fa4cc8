import { infiniteQueryOptions, queryOptions, skipToken } from '@tanstack/react-query'
import {
  EvaluationList,
  EvaluationRecord,
  evaluationsPath,
  type EvaluationSummary,
  LatestEvaluations,
  latestEvaluationsPath,
} from '../../../protocol/evaluation.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import type { Request } from '../core/request.ts'
import type { PolicyScanQuestion } from './policy-scan.ts'

/** Which evaluations are wanted; what is left out or empty narrows nothing. */
export interface EvaluationFilter {
  /** A `packagePath`, or with `/*` in place of the version all of its versions. */
  readonly path?: string | undefined
  readonly scan?: string | undefined
  readonly sha256?: string | undefined
  readonly repository?: string | undefined
  readonly by?: string | undefined
}

/** The evaluations that the proxy recorded, the newest first, 50 of them at a time. */
export function evaluationsQuery(request: Request, filter: EvaluationFilter) {
  return infiniteQueryOptions({
    queryKey: ['evaluations', filter],
    queryFn: ({ pageParam, signal }) =>
      request(
        address(evaluationsPath, { ...filter, before: pageParam, limit: 50 }),
        EvaluationList,
        {
          signal,
        },
      ),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
  })
}

/** The newest evaluations before a run, fetched anew for each `run` of this page unless they are `known`. */
export function latestEvaluationsQuery(
  request: Request,
  question: PolicyScanQuestion,
  run: number | undefined,
  known: () => EvaluationList | undefined,
) {
  return queryOptions({
    initialData: known,
    queryKey: ['evaluations', artifactFilter(question), 'latest', run],
    queryFn:
      run === undefined ? skipToken : ({ signal }) => newestEvaluations(request, question, signal),
    staleTime: Infinity,
  })
}

/** The last recorded evaluations of a scan on an artifact, the newest first; fresh for each page. */
export function lastEvaluationsQuery(request: Request, question: PolicyScanQuestion | undefined) {
  return queryOptions({
    queryKey: ['evaluations', question && artifactFilter(question), 'last'],
    queryFn:
      question === undefined
        ? skipToken
        : ({ signal }) => newestEvaluations(request, question, signal),
    staleTime: Infinity,
    refetchOnMount: 'always',
  })
}

/** The recorded evaluations of one artifact: another digest or repository is another artifact. */
function artifactFilter(question: PolicyScanQuestion): EvaluationFilter {
  const { scan, sha256, repositoryUrl } = question
  return { path: packagePath(question.address), scan, sha256, repository: repositoryUrl }
}

/**
 * The newest ten, and before them what unfinished ones would hide: two complete ones, to show one and
 * compare it with the other, and those that found a policy unsatisfied before they broke off.
 */
async function newestEvaluations(
  request: Request,
  question: PolicyScanQuestion,
  signal: AbortSignal,
): Promise<EvaluationList> {
  const filter = artifactFilter(question)
  const newest = await request(address(evaluationsPath, { ...filter, limit: 10 }), EvaluationList, {
    signal,
  })
  const complete = newest.evaluations.filter(isComplete)
  if (newest.next === null || complete.length >= 2) return newest
  const wanted = { ...filter, ended: 'complete', before: newest.next, limit: 2 }
  const { scan, sha256, repositoryUrl } = question
  const place = { packagePath: packagePath(question.address), scan, sha256, repositoryUrl }
  const [older, failing] = await Promise.all([
    request(address(evaluationsPath, wanted), EvaluationList, { signal }),
    complete.length > 0
      ? { evaluations: [] }
      : request(latestEvaluationsPath, LatestEvaluations, {
          method: 'POST',
          body: { places: [place] },
          signal,
        }),
  ])
  const all = [newest, older, failing].flatMap(({ evaluations }) => evaluations)
  const byId = new Map(all.map((run) => [run.id, run]))
  const evaluations = [...byId.values()].sort((a, b) => (a.id < b.id ? 1 : -1))
  return { ...newest, evaluations }
}

/**
 * The run to show of a list, the newest first: a complete one says more than a newer unfinished one, and
 * one that found a policy unsatisfied before it broke off more than another one.
 */
export function runToShow(runs: readonly EvaluationSummary[]): EvaluationSummary | undefined {
  return (
    runs.find(isComplete) ?? runs.find(({ verdict }) => verdict === 'not-releasable') ?? runs[0]
  )
}

function isComplete({ ended }: EvaluationSummary): boolean {
  return ended === 'complete'
}

/** One recorded evaluation with all its results; it never changes. Without an id nothing is requested. */
export function evaluationQuery(request: Request, id: string | undefined) {
  return queryOptions({
    queryKey: ['evaluation', id],
    queryFn:
      id === undefined
        ? skipToken
        : ({ signal }) =>
            request(`${evaluationsPath}/${encodeURIComponent(id)}`, EvaluationRecord, { signal }),
    staleTime: Infinity,
    // Each may hold thousands of results.
    gcTime: 60_000,
  })
}

/** A path with a query; what is undefined or empty is left out. */
export function address(
  path: string,
  requested: Record<string, string | number | undefined>,
): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(requested)) {
    if (value !== undefined && value !== '') search.set(name, String(value))
  }
  return `${path}?${search.toString()}`
}
