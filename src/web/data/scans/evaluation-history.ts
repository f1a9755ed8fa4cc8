import { infiniteQueryOptions, queryOptions, skipToken } from '@tanstack/react-query'
import { EvaluationList, EvaluationRecord, evaluationsPath } from '../../../protocol/evaluation.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import type { Request } from '../core/request.ts'
import type { PolicyScanQuestion } from './policy-scan.ts'

/** Which evaluations are wanted; what is left out or empty narrows nothing. */
export interface EvaluationFilter {
  /** A `packagePath`, or with `/*` in place of the version all of its versions. */
  readonly path?: string | undefined
  readonly scan?: string | undefined
  readonly sha256?: string | undefined
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

/**
 * The newest evaluations of a scan on an artifact, for what went before a run. `run` changes with
 * each run of this page, so that they are requested anew, unless they are `known`.
 */
export function latestEvaluationsQuery(
  request: Request,
  filter: EvaluationFilter,
  run: number | undefined,
  known: () => EvaluationList | undefined,
) {
  return queryOptions({
    initialData: known,
    queryKey: ['evaluations', filter, 'latest', run],
    queryFn:
      run === undefined
        ? skipToken
        : ({ signal }) =>
            request(address(evaluationsPath, { ...filter, limit: 10 }), EvaluationList, { signal }),
    staleTime: Infinity,
  })
}

/** The last recorded evaluations of a scan on an artifact, the newest first; fresh for each page. */
export function lastEvaluationsQuery(request: Request, question: PolicyScanQuestion | undefined) {
  const filter = question && {
    path: packagePath(question.address),
    scan: question.scan,
    sha256: question.sha256,
  }
  return queryOptions({
    queryKey: ['evaluations', filter, 'last'],
    queryFn:
      filter === undefined
        ? skipToken
        : ({ signal }) =>
            request(address(evaluationsPath, { ...filter, limit: 10 }), EvaluationList, { signal }),
    staleTime: Infinity,
    refetchOnMount: 'always',
  })
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
