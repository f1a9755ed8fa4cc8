import { createHash, timingSafeEqual } from 'node:crypto'
import type { Logger } from 'pino'
import { type ProblemError, problemError } from '../../../protocol/problem.ts'
import { matchRole, type RoleRules } from '../../../protocol/role-rules.ts'
import type { Identity, SignIn, SignInRequest } from '../sessions.ts'
import { createTrustedProxies, plainAddress } from '../trusted-proxies.ts'
import type { HeaderSettings } from './sign-in-schema.ts'

/**
 * A reverse proxy signs people in and names them in headers, which are believed if the connection
 * comes from one of its addresses and the request has the shared secret. Each renewal reads them
 * again. Whoever no rule gives a role is refused.
 */
export function createHeaderSignIn(options: {
  readonly settings: HeaderSettings
  readonly secret: { readonly reveal: () => string }
  readonly roles: RoleRules
  readonly logger: Logger
}): SignIn {
  const { settings, secret, roles, logger } = options
  const proxies = createTrustedProxies(settings.from)

  /** What the headers say. Throws a ProblemError 401 where they are not to be believed. */
  function claimsIn({ rawHeaders, address }: SignInRequest): Claims {
    const refuse = (reason: string, detail: string): ProblemError => {
      logger.warn({ reason, address }, 'refused to sign somebody in by headers')
      return problemError(401, 'signed-out', 'Signed out', detail, { mode: 'header' })
    }
    if (address === undefined || !proxies.has(plainAddress(address))) {
      throw refuse('the connection is not from a configured address', notThroughProxy)
    }
    const shown = valuesOf(rawHeaders, settings.secretHeader)
    if (!isSame(shown.length === 1 ? (shown[0] ?? '') : '', secret.reveal())) {
      const reason = `${settings.secretHeader} is missing or does not hold the secret`
      throw refuse(reason, notThroughProxy)
    }
    const mistake = mistakeIn(rawHeaders, settings)
    if (mistake !== undefined) throw refuse(mistake, noName)
    return {
      user: valuesOf(rawHeaders, settings.user)[0] ?? '',
      groups: groupsIn(rawHeaders, settings),
    }
  }

  function identityOf(request: SignInRequest): Identity {
    const claims = claimsIn(request)
    const matched = matchRole({ ...claims }, roles)
    if (matched === undefined) throw noRole(claims, settings)
    const { rule, ...may } = matched
    return {
      user: { name: claims.user, ...may },
      kind: 'person',
      subject: claims.user,
      claims: { ...claims },
      rule,
    }
  }

  return {
    mode: 'header',
    signIn: (request) => Promise.resolve().then(() => identityOf(request)),
    renew: (_before, request) => Promise.resolve().then(() => identityOf(request)),
    isStill: ({ subject }, request) => {
      try {
        return claimsIn(request).user === subject
      } catch {
        return false
      }
    },
    // Not all reverse proxies send it with every request; whoever forges it refuses their own.
    isOthers: ({ name }, { rawHeaders }) => {
      const [named = '', ...more] = valuesOf(rawHeaders, settings.user)
      return named !== '' && more.length === 0 && named !== name
    },
    ...(settings.signOutUrl === undefined
      ? {}
      : { signOut: () => Promise.resolve(settings.signOutUrl) }),
  }
}

/** What the rules of the configuration file can name. */
interface Claims {
  readonly user: string
  readonly groups: readonly string[]
}

/** Why the headers of the reverse proxy name nobody, for the log; it repeats none of them. */
function mistakeIn(
  rawHeaders: SignInRequest['rawHeaders'],
  { user, groups, secretHeader }: HeaderSettings,
): string | undefined {
  for (const name of [user, secretHeader, ...(groups === undefined ? [] : [groups])]) {
    if (valuesOf(rawHeaders, name).length > 1) return `${name} was sent more than once`
    if (hasVariant(rawHeaders, name)) return `${name} was sent with underscores as well`
  }
  const [name = ''] = valuesOf(rawHeaders, user)
  if (name === '') return `${user} is missing or empty`
  return /^[\x21-\x2b\x2d-\x7e](?:[\x20-\x2b\x2d-\x7e]{0,198}[\x21-\x2b\x2d-\x7e])?$/.test(name)
    ? undefined
    : `${user} is not one name of at most 200 printable ASCII characters`
}

/** In Node's own flat list, as names and values, because `Headers` joins what was sent twice. */
function valuesOf([...rawHeaders]: readonly string[], name: string): readonly string[] {
  return rawHeaders.flatMap((value, at) =>
    at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name.toLowerCase() ? [value.trim()] : [],
  )
}

/** Servers that turn names into variables take `X_User` for `X-User`, and so may whoever is in between. */
function hasVariant(rawHeaders: readonly string[], name: string): boolean {
  return rawHeaders.some(
    (given, at) =>
      at % 2 === 0 &&
      given.includes('_') &&
      given.replaceAll('_', '-').toLowerCase() === name.toLowerCase(),
  )
}

/** Separated by commas; a group whose name no rule can hold is left out. */
function groupsIn(
  rawHeaders: readonly string[],
  { groups }: Pick<HeaderSettings, 'groups'>,
): readonly string[] {
  const [list = ''] = groups === undefined ? [] : valuesOf(rawHeaders, groups)
  return list
    .split(',')
    .map((group) => group.trim())
    .filter((group) => /^[\x20-\x7e]{1,200}$/.test(group))
}

/** In constant time, whatever the lengths. */
function isSame(given: string, secret: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(given), hash(secret))
}

const notThroughProxy =
  'This request did not come through the reverse proxy that signs people in. Open Sightline at its usual address.'
const noName =
  "The reverse proxy in front of Sightline sent no user name that can be used. Sign in there, or ask an administrator to look at Sightline's log."

function noRole({ user, groups }: Claims, { signOutUrl }: HeaderSettings): ProblemError {
  const named = groups.length === 0 ? 'no groups' : `the groups ${groups.join(', ')}`
  const detail = `You are signed in as ${user} with ${named}, which gives no role in Sightline. Ask your administrator for access.`
  const failure = { detail, claims: { user, groups } }
  return problemError(403, 'no-role', 'No access', detail, {
    mode: 'header',
    failure,
    ...(signOutUrl !== undefined && { endSessionUrl: signOutUrl }),
  })
}
