import type { Clock } from '../../protocol/clock.ts'
import {
  type AccessTokens,
  type Caller,
  callerByKey,
  callerByPassword,
  type EmbeddedCredential,
  type Permission,
  permissionName,
} from './credentials.ts'
import { notAuthenticated, notPermitted } from './api-problem.ts'

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
  if (needed !== null && !caller.permissions.has(needed)) throw notPermitted(permissionName(needed))
  return caller
}

function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8')
}
