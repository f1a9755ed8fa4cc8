import { isLoopback } from '../../protocol/loopback.ts'
import { problem, ProblemError } from '../../protocol/problem.ts'

/**
 * Refuses a request for a host name that is not this proxy's own: a page of somebody else's whose
 * name was made to point here (DNS rebinding) would otherwise count as the same origin. Loopback
 * names are always allowed, on any port; `allowed` adds names, on any port unless it names one.
 * Throws a ProblemError 421.
 */
export function requireAllowedHost(host: string, allowed: readonly string[]): void {
  const name = host.toLowerCase().replace(/:\d+$/, '')
  if (isLoopback(name)) return
  const known = allowed.map((entry) => entry.toLowerCase())
  if (known.includes(name) || known.includes(host.toLowerCase())) return
  throw new ProblemError(
    problem(
      421,
      'unknown-host',
      'Misdirected request',
      'This proxy does not go by the host name in the request. If it should, add the name to SIGHTLINE_ALLOWED_HOSTS.',
    ),
  )
}
