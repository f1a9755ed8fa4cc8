import type { ProblemError } from '../protocol/problem.ts'

/** Who refused, as far as the next step depends on it. */
export interface Asked {
  readonly who: string
  /** The setting of the credential that was shown; undefined where none was. */
  readonly credential: string | undefined
  readonly isServer: boolean
}

/** Why there is no answer, and who can do what next: one or two plain sentences. */
export function refusalSentence(
  fault: ProblemError,
  scan: string,
  { who, credential, isServer }: Asked,
): string {
  const { status, problem, message } = fault
  const said = `(${status}: ${message})`
  if (isServer && (problem.upstreamStatus === 401 || problem.upstreamStatus === 403)) return message
  switch (status) {
    case 400:
      return `Undecided: ${who} does not accept what it was asked. It says: ${message}`
    case 401:
      if (isServer) {
        return `Undecided: the Sightline server gives no session ${said}. Ask the service itself, by SIGHTLINE_GOVERNOR_URL.`
      }
      return credential === undefined
        ? `Undecided: ${who} wants a credential ${said}. Set SIGHTLINE_GOVERNOR_BASIC or SIGHTLINE_GOVERNOR_BEARER.`
        : `Undecided: ${who} does not accept the credential of ${credential} ${said}. It may be mistyped, expired or revoked.`
    case 403:
      return `Undecided: ${who} does not let this user read the package or its repository ${said}. Check --repository-url, or have the permission given.`
    case 404:
      return problem.type.endsWith(':no-governor')
        ? `Undecided: ${message}`
        : `Undecided: there is no policy scan “${scan}”, or it is hidden from this user ${said}. Check --scan and the address of the service.`
    case 429:
      return `Undecided: ${who} stayed too busy. ${message}`
    default:
      return `Undecided: ${message}`
  }
}
