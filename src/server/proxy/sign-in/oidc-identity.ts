import { compactVerify } from 'jose'
import { fetchUserInfo } from 'openid-client'
import { z } from 'zod'
import type { Clock } from '../../../protocol/clock.ts'
import { matchRole, type RoleRules, valuesOf } from '../../../protocol/role-rules.ts'
import type { Identity } from '../sessions.ts'
import type { Redactor } from '../upstream/credentials.ts'
import { type OidcSettings, type Provider, signatureAlgorithms } from './oidc-connection.ts'

type Claims = Readonly<Record<string, unknown>>

/** The answer of the token endpoint, its ID token checked in all but its signature. */
export interface OidcTokens {
  readonly access_token: string
  readonly refresh_token?: string | undefined
  readonly id_token?: string | undefined
  readonly claims: () => Claims | undefined
}

/** Finds out who somebody is by what the provider says of them. Throws a `NoRole`. */
export type Identify = (
  provider: Provider,
  tokens: OidcTokens,
  before?: Identity,
) => Promise<Identity>

/** Why somebody whom the provider knows may not use Sightline. */
export class NoRole extends Error {
  readonly user: string
  readonly claims: Claims

  constructor(user: string, claims: Claims) {
    super(
      `${user} is signed in with the identity provider but has no role in Sightline: no rule in its configuration matches. Ask an administrator for access.`,
    )
    this.user = user
    this.claims = claims
  }
}

/** With the roles that the rules give now for the claims of then. Throws a `NoRole`. */
export function withRoles(before: Identity, roles: RoleRules): Identity {
  const { name } = before.user
  return { ...before, ...rolesOf(name, before.claims, before.claims, roles) }
}

function rolesOf(
  name: string,
  claims: Claims,
  shown: Claims,
  roles: RoleRules,
): Pick<Identity, 'user' | 'rule'> {
  const matched = matchRole(claims, roles)
  if (matched === undefined) throw new NoRole(name, shown)
  const { rule, ...granted } = matched
  return { user: { name, ...granted }, rule }
}

/** Roles come from the claims by rules; where a claim of a rule is missing, the user info is read. */
export function identifyBy({
  settings,
  roles,
  clock,
  redact,
}: {
  readonly settings: OidcSettings
  readonly roles: RoleRules
  readonly clock: Clock
  readonly redact: Redactor['redact']
}): Identify {
  /** Groups are often found at the user info endpoint only. */
  const userInfo = async (
    { configuration }: Provider,
    { access_token }: OidcTokens,
    { sub }: Claims,
  ): Promise<Claims> => {
    const endpoint = configuration.serverMetadata().userinfo_endpoint
    if (endpoint === undefined || typeof sub !== 'string') return {}
    return fetchUserInfo(configuration, access_token, sub)
  }

  /** Of the protocol, but for what a rule is about: it is looked at again at each renewal. */
  const hidden = protocolClaims.filter(
    (name) => !roles.rules.some(({ claim }) => `${claim}.`.startsWith(`${name}.`)),
  )

  return async (provider, tokens, before) => {
    // Signatures are checked even of what came over TLS: the provider may stand behind others.
    const { id_token } = tokens
    if (id_token !== undefined) {
      const algorithms = [...signatureAlgorithms]
      await provider.withKeys((keys) => compactVerify(id_token, keys, { algorithms }))
    }
    const idToken = tokens.claims()
    const keptBefore = before && keptOf(before)
    // A renewal may bring no ID token. What only the user info had is read anew, or a group that
    // somebody has left would stay.
    const known = idToken ?? without(before?.claims ?? {}, keptBefore?.fromUserInfo ?? [])
    const isComplete =
      idToken !== undefined && roles.rules.every(({ claim }) => valuesOf(idToken, claim).length > 0)
    const more = isComplete ? {} : await userInfo(provider, tokens, known)
    const claims = { ...known, ...more }
    const subject = subjectOf(settings.issuer, z.string().parse(claims.sub))
    // A refresh is for who has signed in (OpenID Connect Core 1.0, 12.2).
    if (before !== undefined && subject !== before.subject) {
      throw new Error('the ID token of a refresh is for somebody else')
    }
    // A provider may put what it was sent into a claim.
    const shown = Shown.parse(
      JSON.parse(JSON.stringify(without(claims, hidden)), (_, value: unknown) =>
        typeof value === 'string' ? redact(value) : value,
      ),
    )
    const names = settings.nameClaim === undefined ? usualNames : [settings.nameClaim, 'sub']
    const name = names
      .flatMap((claim) => valuesOf(claims, claim))
      .map(shownName)
      .find(Boolean)
    const granted = rolesOf(name ?? 'unknown', claims, shown, roles)
    const sid = idToken?.sid ?? before?.providerSession
    const refreshToken = tokens.refresh_token ?? keptBefore?.refreshToken
    const kept: Kept = {
      ...(refreshToken && { refreshToken }),
      checkedAt: clock.now(),
      fromUserInfo: Object.keys(more).filter((claim) => !Object.hasOwn(known, claim)),
    }
    return {
      ...granted,
      kind: 'person',
      subject,
      claims: shown,
      sealed: JSON.stringify(kept),
      ...(typeof sid === 'string' ? { providerSession: sid } : {}),
    }
  }
}

const Shown = z.record(z.string(), z.unknown())

/** What stays with the session for its next renewal. */
const Kept = z.object({
  refreshToken: z.string().optional(),
  checkedAt: z.number(),
  /** The refresh token was sent and never answered: the provider may have replaced it. */
  isUnsure: z.boolean().optional(),
  /** The claims that only the user info had. */
  fromUserInfo: z.array(z.string()).default([]),
})
type Kept = z.infer<typeof Kept>

/** What `identifyBy` has left with a session; undefined where it cannot be opened any more. */
export function keptOf({ sealed }: Identity): Kept | undefined {
  return sealed === undefined ? undefined : Kept.parse(JSON.parse(sealed))
}

/** Goes on as before, but for what is known of its refresh token; of a new one nothing is unsure. */
export function withRefreshToken(
  before: Identity,
  known: Pick<Kept, 'isUnsure'> | Pick<Kept, 'refreshToken' | 'checkedAt'>,
): Identity {
  const kept = keptOf(before)
  return { ...before, sealed: JSON.stringify({ ...kept, isUnsure: undefined, ...known }) }
}

/**
 * A name that stays one line and in its own direction, at most 200 characters long; empty where there
 * is nothing to be seen.
 */
export function shownName(name: string): string {
  const line = name
    .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()
  return /[^\p{Z}\p{Cf}]/u.test(line) ? line.slice(0, 200).replace(/[\ud800-\udbff]$/, '') : ''
}

function without(claims: Claims, names: readonly string[]): Claims {
  return Object.fromEntries(Object.entries(claims).filter(([name]) => !names.includes(name)))
}

/** What names a person: `sub` is unique at its issuer only. */
export function subjectOf(issuer: URL, sub: string): string {
  return `${issuer.href}#${sub}`
}

const usualNames = ['preferred_username', 'email', 'name', 'sub']

/** Of the protocol, not of the person. */
const protocolClaims =
  'acr amr at_hash aud auth_time azp c_hash exp iat jti nbf nonce rat s_hash sid'.split(' ')
