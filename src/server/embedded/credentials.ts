import { jwtVerify, SignJWT } from 'jose'
import { createHash, timingSafeEqual } from 'node:crypto'
import { parse } from 'yaml'
import { z } from 'zod'
import type { Clock } from '../../protocol/clock.ts'
import { problemError } from '../../protocol/problem.ts'
import { notAuthenticated, notPermitted } from './api-problem.ts'
import { mistakes } from './build-intake.ts'

/** Someone who may use the embedded services. */
export interface EmbeddedCredential {
  readonly user: string
  /** Long-lived; sent as a bearer token. */
  readonly accessKey?: string | undefined
  /** Epoch ms; an access key without never expires. */
  readonly accessKeyExpiresAt?: number | undefined
  /**
   * For HTTP Basic with the user's name, where the person signs in directly
   * (docs/services.md#export-authentication).
   */
  readonly password?: string | undefined
  readonly permissions: readonly Permission[]
  /** Ids of the projects that the user is assigned to. */
  readonly projects?: readonly string[] | undefined
  /**
   * Packages that the user may read and publish, as paths with `*` (`/packages/maven/*`); all where
   * it is left out.
   */
  readonly packages?: readonly string[] | undefined
  /**
   * Repositories that the user may read and publish of, as host and path with `*`, without a scheme
   * (`registry.example.com/shop`); all where it is left out. A request needs both
   * (docs/services.md#policy-service-authentication).
   */
  readonly repositories?: readonly string[] | undefined
}

/** Who makes a request: what a credential or a token made from it allows. */
export interface Caller {
  readonly user: string
  readonly permissions: ReadonlySet<Permission>
  readonly projects: ReadonlySet<string>
  /** When the credential that was shown ends, epoch ms; null for never. */
  readonly expiresAt: number | null
}

/** The caller to whom this access key belongs; undefined where it is wrong or has expired. */
export function callerByKey(
  credentials: readonly EmbeddedCredential[],
  key: string,
  now: number,
): Caller | undefined {
  const found = only(
    credentials,
    ({ accessKey }) => accessKey !== undefined && same(accessKey, key),
  )
  const expiresAt = found?.accessKeyExpiresAt ?? null
  return found === undefined || (expiresAt !== null && expiresAt <= now)
    ? undefined
    : caller(found, expiresAt)
}

/** The caller with this name and password. */
export function callerByPassword(
  credentials: readonly EmbeddedCredential[],
  user: string,
  password: string,
): Caller | undefined {
  const found = only(
    credentials,
    (one) =>
      one.password !== undefined && same(`${one.user}:${one.password}`, `${user}:${password}`),
  )
  return found === undefined ? undefined : caller(found, null)
}

function caller(credential: EmbeddedCredential, expiresAt: number | null): Caller {
  return {
    user: credential.user,
    permissions: new Set(credential.permissions),
    projects: new Set(credential.projects ?? []),
    expiresAt,
  }
}

/** Looks at every credential whatever it finds, so that the time taken reveals nothing. */
function only(
  credentials: readonly EmbeddedCredential[],
  matches: (credential: EmbeddedCredential) => boolean,
): EmbeddedCredential | undefined {
  const [first] = credentials.filter(matches)
  return first
}

function same(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/**
 * The permissions by their configuration values (docs/services.md#permissions), and the names that
 * people know them by.
 */
const names = {
  exportData: 'Export API',
  accessBuildDataViaApi: 'Access build data via the API',
  publishScan: 'Publish Build Scan',
  readCache: 'Read build cache data',
  writeCache: 'Read and write build cache data',
  accessDataWithoutAssociatedProject: 'Access all data without an associated project',
  administerGe: 'Administer',
} as const

export type Permission = keyof typeof names

/** Every permission there is. */
export const allPermissions: readonly Permission[] = [
  'exportData',
  'accessBuildDataViaApi',
  'publishScan',
  'readCache',
  'writeCache',
  'accessDataWithoutAssociatedProject',
  'administerGe',
]

/** Whether there is such a permission. */
export function isPermission(text: string): text is Permission {
  return Object.hasOwn(names, text)
}

/** Makes and reads short-lived access tokens (docs/services.md#access-tokens). */
export interface AccessTokens {
  /** A signed token with what `caller` allows, until its `expiresAt`. */
  readonly sign: (caller: Caller & { readonly expiresAt: number }) => Promise<string>
  /** Whose token it is; undefined where it is not one of ours or has expired. */
  readonly verify: (token: string) => Promise<Caller | undefined>
}

const issuer = 'embedded'
const algorithm = 'HS256'

const Claims = z.object({
  username: z.string(),
  permissions: z.array(z.string()),
  projects: z.record(z.string(), z.number()),
  exp: z.number(),
})

/** Tokens are valid wherever the same key is used: at all processes of a database. */
export function createAccessTokens(clock: Clock, key: Uint8Array): AccessTokens {
  return {
    sign: ({ user, permissions, projects, expiresAt }) =>
      new SignJWT({
        username: user,
        permissions: [...permissions],
        projects: Object.fromEntries([...projects].map((id, index) => [id, index + 1])),
        token_type: 'access_token',
      })
        .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
        .setSubject(user)
        .setIssuer(issuer)
        .setAudience(issuer)
        .setIssuedAt(Math.floor(clock.now() / 1000))
        .setExpirationTime(Math.floor(expiresAt / 1000))
        .sign(key),
    verify: async (token) => {
      const claims = await jwtVerify(token, key, {
        algorithms: [algorithm],
        issuer,
        audience: issuer,
        currentDate: new Date(clock.now()),
      }).then(
        ({ payload }) => Claims.safeParse(payload).data,
        () => undefined,
      )
      return claims === undefined
        ? undefined
        : {
            user: claims.username,
            permissions: new Set(claims.permissions.filter(isPermission)),
            projects: new Set(Object.keys(claims.projects)),
            expiresAt: claims.exp * 1000,
          }
    },
  }
}

/**
 * Who may call. `rest` takes an access key or token as it is
 * (docs/services.md#build-data-authentication). `export` also takes the key in base64, as the
 * official samples send it, and HTTP Basic (docs/services.md#export-authentication).
 */
export interface Authorisation {
  /**
   * The caller behind an Authorization header, if it holds the needed permission. Throws a
   * ProblemError: 401 without a valid credential, 403 without the permission.
   */
  readonly rest: (header: string | undefined, needed: Permission | null) => Promise<Caller>
  readonly export: (header: string | undefined, needed: Permission) => Promise<Caller>
}

/** Makes the authorisation over a list of credentials. */
export function createAuthorisation(
  credentials: readonly EmbeddedCredential[],
  tokens: AccessTokens,
  clock: Clock,
): Authorisation {
  async function byBearer(secret: string): Promise<Caller | undefined> {
    return callerByKey(credentials, secret, clock.now()) ?? (await tokens.verify(secret))
  }

  async function byAny({ scheme, value }: Shown): Promise<Caller | undefined> {
    if (scheme === 'bearer') return (await byBearer(value)) ?? (await byBearer(fromBase64(value)))
    const [user = '', ...password] = fromBase64(value).split(':')
    return scheme === 'basic' ? callerByPassword(credentials, user, password.join(':')) : undefined
  }

  async function byKeyOrToken({ scheme, value }: Shown): Promise<Caller | undefined> {
    return scheme === 'bearer' ? byBearer(value) : undefined
  }

  return {
    rest: async (header, needed) => permitted(await identify(header, byKeyOrToken), needed),
    export: async (header, needed) => permitted(await identify(header, byAny), needed),
  }
}

/**
 * Whether a request shows a bearer token, which alone may come from another origin
 * (docs/services.md#export-cross-origin).
 */
export function isBearer(header: string | undefined): boolean {
  return shown(header)?.scheme === 'bearer'
}

interface Shown {
  readonly scheme: string
  readonly value: string
}

function shown(header: string | undefined): Shown | undefined {
  const text = header?.trim() ?? ''
  const space = text.indexOf(' ')
  return space === -1
    ? undefined
    : { scheme: text.slice(0, space).toLowerCase(), value: text.slice(space + 1).trim() }
}

async function identify(
  header: string | undefined,
  find: (shown: Shown) => Promise<Caller | undefined>,
): Promise<Caller> {
  const credential = shown(header)
  if (credential === undefined) {
    throw notAuthenticated('The request has no credentials. Send an Authorization header.')
  }
  const caller = await find(credential)
  if (caller === undefined) {
    throw notAuthenticated('The credential is unknown or has expired.')
  }
  return caller
}

function permitted(caller: Caller, needed: Permission | null): Caller {
  if (needed !== null && !caller.permissions.has(needed)) throw notPermitted(names[needed])
  return caller
}

function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8')
}

/** Who may use the embedded services, as a file says it. */
export interface Accounts {
  readonly credentials: readonly EmbeddedCredential[]
  /** Whether tokens are bound to projects (docs/services.md#access-tokens). */
  readonly projectAccessControl: boolean
}

const someText = z.string().min(1)
const patterns = z.array(someText).optional()

const Account = z
  .strictObject({
    user: someText.regex(/^[^:]+$/, 'must not contain a colon'),
    password: someText.optional(),
    accessKey: someText.optional(),
    accessKeyExpiresAt: z
      .string()
      .refine((at) => Number.isFinite(Date.parse(at)), 'not a date, such as 2027-01-31T10:00:00Z')
      .transform((at) => Date.parse(at))
      .optional(),
    permissions: z.union(
      [z.literal('all').transform(() => allPermissions), z.array(z.enum(allPermissions))],
      {
        error: ({ input }) => {
          const unknown = [input]
            .flat()
            .filter((one) => typeof one === 'string' && !isPermission(one))
          const named = unknown.length === 0 ? '' : `, not ${unknown.join(', ')}`
          return `must be all, or a list of ${allPermissions.join(', ')}${named}`
        },
      },
    ),
    projects: patterns,
    packages: patterns,
    repositories: patterns,
  })
  .refine(({ password, accessKey }) => password !== undefined || accessKey !== undefined, {
    error: 'has neither a password nor an access key',
  })

const AccountsFile = z
  .strictObject({
    projectAccessControl: z.boolean().default(false),
    accounts: z.array(Account),
  })
  .refine(({ accounts }) => new Set(accounts.map(({ user }) => user)).size === accounts.length, {
    error: 'two accounts have the same user',
  })

/**
 * Reads the accounts of the embedded services from YAML or JSON (docs/services.md#accounts-of-the-embedded-services).
 * Throws a ProblemError (400) that says what is wrong where; `name` is what the text is called in it.
 */
export function readAccounts(source: string, name: string): Accounts {
  try {
    const { accounts, projectAccessControl } = AccountsFile.parse(
      parse(source, { logLevel: 'error' }),
    )
    return { credentials: accounts, projectAccessControl }
  } catch (error) {
    // The other lines of what is wrong with YAML show the text, with its passwords.
    const [first = ''] = String(error).split('\n')
    const what = error instanceof z.core.$ZodError ? mistakes(error) : first.replace(/:$/, '')
    throw problemError(400, 'accounts', "Can't read the accounts", `${name}: ${what}.`)
  }
}
