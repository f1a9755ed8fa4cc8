import { textMatcher } from '../../../search/evaluate/wildcard.ts'
import { callerByKey, callerByPassword, type EmbeddedCredential } from '../credentials.ts'
import { forbidden, notAuthenticated } from './governor-problem.ts'

/** Someone who uses the policy service. */
export interface PackageCaller {
  readonly user: string
  /** Throws a ProblemError (403) for a package that is not the caller's to read. */
  readonly mayUse: (packagePath: string) => void
  /** Throws a ProblemError (403) for a repository that is not the caller's to read. */
  readonly mayUseRepository: (repositoryUrl: string) => void
  /** Whether every repository is. */
  readonly mayUseEveryRepository: boolean
}

/**
 * The caller behind an Authorization header: HTTP Basic with a user's password or access key, or a
 * bearer access key (docs/services.md#policy-service-authentication). Throws a ProblemError (401)
 * without a valid one.
 */
export function packageCaller(
  credentials: readonly EmbeddedCredential[],
  header: string | undefined,
  now: number,
): PackageCaller {
  const [scheme = '', value = ''] = header?.trim().split(/ +/, 2) ?? []
  const found = credentials.find((credential) =>
    isShown(credential, scheme.toLowerCase(), value, now),
  )
  if (found === undefined) throw notAuthenticated()
  const ofPackage = allowed(found.packages)
  const ofRepository = allowed(found.repositories)
  return {
    user: found.user,
    mayUse: (packagePath) => {
      if (!ofPackage(packagePath)) throw forbidden()
    },
    mayUseRepository: (repositoryUrl) => {
      if (!ofRepository(repositoryPlace(repositoryUrl))) throw forbidden()
    },
    mayUseEveryRepository: found.repositories === undefined,
  }
}

/** Whether one of the patterns matches; everything is allowed where there are none to match. */
function allowed(patterns: readonly string[] | undefined): (text: string) => boolean {
  const matchers = patterns?.map((pattern) => {
    const [first = '', ...rest] = pattern.split('*')
    return textMatcher([first, ...rest])
  })
  return (text) => matchers?.some((matches) => matches(text)) !== false
}

function isShown(
  credential: EmbeddedCredential,
  scheme: string,
  value: string,
  now: number,
): boolean {
  if (scheme === 'bearer') return callerByKey([credential], value, now) !== undefined
  if (scheme !== 'basic') return false
  const text = Buffer.from(value, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  const user = text.slice(0, colon)
  const password = text.slice(colon + 1)
  return (
    callerByPassword([credential], user, password) !== undefined ||
    (user === credential.user && callerByKey([credential], password, now) !== undefined)
  )
}

/**
 * Where a repository is, one text for all spellings of it: host and path without the scheme, without
 * a slash at the end and without `..`. `repositoryUrl` is one that a body may hold
 * (package-request.ts); what permissions are compared with must not depend on how it was typed.
 */
export function repositoryPlace(repositoryUrl: string): string {
  const text = repositoryUrl.trim()
  const { host, pathname, search } = new URL(text.includes('://') ? text : `https://${text}`)
  return `${host}${pathname.replace(/\/+$/, '')}${search}`
}
