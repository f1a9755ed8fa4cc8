import { z } from 'zod'
import { longestTokenDays } from '../../../protocol/access-token.ts'
import { dayMs } from '../../../protocol/clock.ts'
import { isLoopback } from '../../../protocol/loopback.ts'
import { isAddressRange } from '../trusted-proxies.ts'

// Messages go on from the name of the place, as those of config-file-schema.ts do.

/** Text of the configuration file; `filledText` has more than white space. */
export const text = z.string({
  error: ({ input }) => {
    if (input === undefined) return ' is missing.'
    if (input === null) return ' is empty.'
    return typeof input === 'object'
      ? ' must be one text, not a list or a map.'
      : ' must be text. Put it in quotes.'
  },
})
export const filledText = text.refine((value) => value.trim() !== '', { error: ' is empty.' })

/** Screens get their role with a code, and in no other way. */
const role = z.enum(['viewer', 'releaser', 'admin'], {
  error: ({ input }) =>
    input === undefined
      ? ' is missing.'
      : ` must be viewer, releaser or admin${typeof input === 'string' ? `, not “${input}”` : ''}.`,
})

const patterns = (what: string) =>
  z
    .array(filledText, { error: ` must be a list of ${what}, where * stands for any text.` })
    .min(1, ` has no ${what}. Remove it to allow all.`)

const limits = z.strictObject(
  { packages: patterns('packages').optional(), scans: patterns('policy scans').optional() },
  { error: ' must be a map of packages and scans.' },
)

const isDay = (value: string): boolean => z.iso.date().safeParse(value).success

/** A day (its beginning, UTC) or a time; becomes epoch ms. */
const time = text
  .regex(/^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z)?$/, {
    error: ' must be a date such as 2027-02-20, or a time such as 2027-02-20T12:00:00Z.',
    abort: true,
  })
  // `Date` takes February 30 for a day in March.
  .transform((value) => (isDay(value.slice(0, 10)) ? Date.parse(value) : NaN))
  .refine((ms) => !Number.isNaN(ms), { error: " isn't a date of the calendar." })

const TokenEntry = z
  .strictObject(
    {
      sha256: text
        .refine((value) => !value.startsWith('slt_'), {
          error:
            ' contains the token itself, which must not be stored. Put its SHA-256 hash here, and replace the token.',
          abort: true,
        })
        .regex(/^[0-9a-f]{64}$/i, ' must be 64 hexadecimal digits.')
        .transform((value) => value.toLowerCase()),
      prefix: text.regex(
        /^slt_[\w-]{1,8}$/,
        ' must be the first characters of the token: slt_ and at most 8 more.',
      ),
      created: time,
      expires: time,
    },
    { error: ' must have sha256, prefix, created and expires.' },
  )
  .refine(({ created, expires }) => expires > created, {
    error: ' must be after created.',
    path: ['expires'],
  })
  .refine(({ created, expires }) => expires - created <= longestTokenDays * dayMs, {
    error: ` is more than ${longestTokenDays} days after created. Tokens are valid for at most a year.`,
    path: ['expires'],
  })

/** Somebody who uses access tokens. */
const UserEntry = z
  .strictObject(
    {
      name: filledText,
      role: role.optional(),
      roles: z
        .array(role, { error: ' must be a list of roles.' })
        .min(1, ' has no roles.')
        .optional(),
      limits: limits.optional(),
      tokens: z.array(TokenEntry, { error: ' must be a list of tokens.' }).default([]),
    },
    { error: ' must have a name, a role and tokens.' },
  )
  .refine((user) => (user.role === undefined) !== (user.roles === undefined), {
    error: ' must have either role or roles.',
  })
  .transform(({ role: one, roles = [], ...user }) => ({
    ...user,
    roles: one === undefined ? roles : [one],
  }))

/** Somebody of the configuration file, and the hashes of their access tokens; times are epoch ms. */
export type ConfiguredUser = z.output<typeof UserEntry>

export const UserEntries = z
  .array(UserEntry, { error: ' must be a list of users.' })
  .superRefine((users, context) => {
    const seen = new Map<string, string>()
    users.forEach(({ tokens }, user) => {
      tokens.forEach(({ sha256 }, token) => {
        const first = seen.get(sha256)
        if (first === undefined) seen.set(sha256, `users[${user}].tokens[${token}]`)
        else {
          const message = ` is the one of ${first}. Every token belongs to one user.`
          context.addIssue({ code: 'custom', path: [user, 'tokens', token, 'sha256'], message })
        }
      })
    })
  })
  .default([])

/** Why a text isn't a URL: what is wrong behind a right beginning, otherwise how it has to begin. */
export function urlMistake(value: unknown, otherwise = ' must be a URL.'): string {
  return /^https?:\/\//i.test(String(value))
    ? ' must be a URL with a host, and a port of at most 65535 if any.'
    : otherwise
}

/** Which claim or group gives which role. */
const RuleEntry = z.strictObject(
  { claim: filledText, value: filledText, role, limits: limits.optional() },
  { error: ' must have a claim, a value and a role.' },
)

const headerName = text.regex(
  /^[A-Za-z0-9-]{1,64}$/,
  ' must be the name of a header: letters, digits and hyphens.',
)

const HeaderEntry = z.strictObject(
  {
    user: headerName,
    groups: headerName.optional(),
    from: z
      .array(
        filledText.refine(isAddressRange, {
          error: ' must be an IP address, or a range such as 10.0.0.0/8.',
        }),
        { error: ' must be a list of addresses.' },
      )
      .min(1, ' has no addresses. Add those of the reverse proxy that signs people in.'),
    secretHeader: headerName,
    /** Where a browser goes to sign out of the reverse proxy as well. */
    signOutUrl: text
      .regex(
        /^(?:\/(?!\/)|https:\/\/)[\x21-\x7e]*$/,
        ' must be a path, or a URL that starts with https://.',
      )
      .optional(),
  },
  { error: ' must have user, from and secretHeader.' },
)

/** How a trusted reverse proxy says who it is. */
export type HeaderSettings = z.output<typeof HeaderEntry>

/** Over plain http only where nobody can listen. */
const issuer = text
  .refine((value) => URL.canParse(value), { error: ({ input }) => urlMistake(input), abort: true })
  .transform((value) => new URL(value))
  .refine(
    (url) => url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname)),
    { error: ' must start with https://.' },
  )
  .refine((url) => url.search === '' && url.hash === '' && url.username === '', {
    error: ' must be a URL without a user name, query or fragment.',
  })

const OidcEntry = z.strictObject(
  {
    issuer,
    clientId: filledText,
    scopes: filledText
      .refine((value) => value.split(' ').includes('openid'), { error: ' must include openid.' })
      .default('openid profile email'),
    nameClaim: filledText.optional(),
  },
  { error: ' must have issuer and clientId.' },
)

/** The identity provider that people sign in with. */
export type OidcEntry = z.output<typeof OidcEntry>

export const SignInEntry = z.strictObject(
  {
    header: HeaderEntry.optional(),
    oidc: OidcEntry.optional(),
    roles: z.array(RuleEntry, { error: ' must be a list of rules.' }).default([]),
    everyoneElse: role.optional(),
  },
  { error: ' must be a map of header, oidc, roles and everyoneElse.' },
)

/** How people sign in, and which of them get which role. */
export type SignInRules = z.output<typeof SignInEntry>

/** The names that may stand where others do below `users` and `signIn`. */
export function signInKeysAt([list, ...path]: readonly (string | number)[]): readonly string[] {
  const place = path.find((step) => typeof step === 'string')
  if (path.includes('limits')) return Object.keys(limits.shape)
  if (list === 'users') {
    return place === 'tokens'
      ? ['sha256', 'prefix', 'created', 'expires']
      : ['name', 'role', 'roles', 'limits', 'tokens']
  }
  return Object.keys(
    place === 'header'
      ? HeaderEntry.shape
      : place === 'oidc'
        ? OidcEntry.shape
        : place === 'roles'
          ? RuleEntry.shape
          : SignInEntry.shape,
  )
}
