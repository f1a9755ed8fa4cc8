import { textMatcher } from '../../../search/wildcard.ts'
import { callerByKey, callerByPassword, type EmbeddedCredential } from '../credentials.ts'
import { forbidden, notAuthenticated } from './governor-problem.ts'

/** Somebody who asks about packages. */
export interface PackageCaller {
  readonly user: string
  /** Throws a ProblemError (403) for a package that is not the caller's to read. */
  readonly mayUse: (packagePath: string) => void
}

/**
 * The caller behind an Authorization header: HTTP Basic with a user's password or access key, or a
 * bearer access key (spec/1 "Authentication"). Throws a ProblemError (401) without a valid one.
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
  const patterns = found.packages?.map((pattern) => {
    const [first = '', ...rest] = pattern.split('*')
    return textMatcher([first, ...rest])
  })
  return {
    user: found.user,
    mayUse: (packagePath) => {
      if (patterns?.some((matches) => matches(packagePath)) === false) throw forbidden()
    },
  }
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
