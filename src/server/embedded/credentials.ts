import { createHash, timingSafeEqual } from 'node:crypto'
import type { Permission } from './permissions.ts'

/** Somebody who may ask the embedded services for something. */
export interface EmbeddedCredential {
  readonly user: string
  /** Long-lived; sent as a bearer token. */
  readonly accessKey?: string
  /** Epoch ms; an access key without never expires. */
  readonly accessKeyExpiresAt?: number
  /**
   * For HTTP Basic with the user's name, where the person signs in directly
   * (docs/services.md#export-authentication).
   */
  readonly password?: string
  readonly permissions: readonly Permission[]
  /** Ids of the projects that the user is assigned to. */
  readonly projects?: readonly string[]
  /**
   * Packages that the user may read and publish, as paths with `*` (`/packages/maven/*`); all where
   * it is left out.
   */
  readonly packages?: readonly string[]
  /**
   * Repositories that the user may read and publish of, as host and path with `*`, without a scheme
   * (`registry.example.com/shop`); all where it is left out. A request needs both
   * (docs/services.md#policy-service-authentication).
   */
  readonly repositories?: readonly string[]
}

/** Who is asking, once it is known: what a credential or a token made from it allows. */
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

/** Looks at every credential whatever it finds, so that the time taken tells nothing. */
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
