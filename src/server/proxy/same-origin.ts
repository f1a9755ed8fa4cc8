import { problem, ProblemError } from '../../protocol/problem.ts'

/**
 * Refuses what a browser sends on behalf of another site's page: by Fetch Metadata where it is sent
 * (`Sec-Fetch-Site` other than `same-origin`, or `none` for an address that a person has typed), and
 * by an Origin that is not this host or one of `allowed`. Programs that are no browsers send neither.
 * Throws a ProblemError 403.
 */
export function requireSameOrigin(
  headers: Headers,
  host: string,
  allowed: readonly string[],
): void {
  const site = headers.get('sec-fetch-site')
  const origin = headers.get('origin')
  const fromElsewhere = site !== null && site !== 'same-origin' && site !== 'none'
  if (!fromElsewhere && (origin === null || isOwn(origin, host, allowed))) return
  throw new ProblemError(
    problem(
      403,
      'cross-site',
      'Request from another site',
      'The request comes from a page of another site. Open the dashboard at its own address.',
    ),
  )
}

function isOwn(origin: string, host: string, allowed: readonly string[]): boolean {
  const own = /^https?:\/\/(?<host>[^/]+)$/.exec(origin.toLowerCase())?.groups?.host
  return (
    own !== undefined &&
    (own === host.toLowerCase() || allowed.some((entry) => entry.toLowerCase() === own))
  )
}
