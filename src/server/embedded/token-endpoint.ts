import { Hono } from 'hono'
import { z } from 'zod'
import type { Clock } from '../../protocol/clock.ts'
import { tokenRefused } from './api-problem.ts'
import {
  type AccessTokens,
  type Authorisation,
  type Caller,
  isPermission,
  type Permission,
} from './credentials.ts'
import { decimalNumber, readQuery, texts } from './query-parameters.ts'

const hour = 3_600_000

const TokenRequest = z.object({
  permissions: texts.optional(),
  projectIds: texts.optional(),
  expiresInHours: decimalNumber.pipe(z.number().gt(0).max(24)).optional(),
})

/**
 * Makes short-lived access tokens (docs/services.md#access-tokens): never more than the caller's
 * own permissions, projects and lifetime. The answer is the token as plain text. Without
 * project-level access control projects are not looked at, and every token may see what has no
 * project.
 */
export function createTokenEndpoint(
  tokens: AccessTokens,
  authorisation: Authorisation,
  clock: Clock,
  projectAccessControl: boolean,
): Hono {
  const app = new Hono()
  app.post('/token', async (c) => {
    const caller = await authorisation.rest(c.req.header('Authorization'), null)
    const requested = readQuery(TokenRequest, c.req.queries())
    const permissions = grantedPermissions(caller, requested.permissions)
    if (!projectAccessControl) permissions.add('accessDataWithoutAssociatedProject')
    const projects = projectAccessControl
      ? grantedProjects(caller, requested.projectIds)
      : new Set<string>()
    const expiresAt = grantedUntil(caller, requested.expiresInHours, clock.now())
    return c.text(await tokens.sign({ user: caller.user, permissions, projects, expiresAt }))
  })
  return app
}

function grantedPermissions(
  caller: Caller,
  requested: readonly string[] | undefined,
): Set<Permission> {
  if (requested === undefined) return new Set(caller.permissions)
  const granted = requested.filter(isPermission).filter((one) => caller.permissions.has(one))
  const missing = requested.filter((one) => !granted.some((other) => other === one))
  if (missing.length > 0) {
    throw tokenRefused(
      'Missing requested permission.',
      `The permissions [${missing.join(', ')}] were requested for the access token, but were not granted to this user.`,
    )
  }
  return new Set(granted)
}

function grantedProjects(caller: Caller, requested: readonly string[] | undefined): Set<string> {
  if (requested === undefined) return new Set(caller.projects)
  const missing = requested.filter((one) => !caller.projects.has(one))
  if (missing.length > 0) {
    throw tokenRefused(
      'Missing requested projects.',
      `The projects [${missing.join(', ')}] were requested for the access token, but were not assigned to this user.`,
    )
  }
  return new Set(requested)
}

function grantedUntil(caller: Caller, hours: number | undefined, now: number): number {
  const end = caller.expiresAt ?? Infinity
  const requested = now + (hours ?? 2) * hour
  if (hours === undefined) return Math.min(requested, end)
  if (requested > end) {
    throw tokenRefused(
      'Requested expiration exceeds current.',
      `The credential used to authenticate this request expires at ${new Date(end).toISOString()}, which is sooner than the requested expiration time of ${hours} hours from now.`,
    )
  }
  return requested
}
