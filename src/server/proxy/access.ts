import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { Logger } from 'pino'
import { accessTokensPath, createTokenPath } from '../../protocol/access-token.ts'
import { assignmentsPath } from '../../protocol/assignment.ts'
import { actionsExportPath, actionsPath } from '../../protocol/audit-log.ts'
import { boardRunPath } from '../../protocol/board-run.ts'
import { claimEndPath, claimsPath } from '../../protocol/claim.ts'
import { decisionsPath } from '../../protocol/decision.ts'
import { deliveriesPath } from '../../protocol/delivery.ts'
import { evaluationsPath, latestEvaluationsPath } from '../../protocol/evaluation.ts'
import { bundlePath } from '../../protocol/evidence-bundle.ts'
import { cachesPath, earlierBuildsPath, factsPath, failuresPath } from '../../protocol/insight.ts'
import { changesPath } from '../../protocol/live-change.ts'
import { livePath } from '../../protocol/live-feed.ts'
import {
  isWithin,
  mayDo,
  type Permission,
  type PermissionSubject,
  subjectAt,
  whyNot,
} from '../../protocol/permission.ts'
import { problemError } from '../../protocol/problem.ts'
import { configPath } from '../../protocol/proxy-config.ts'
import { quarantinePath } from '../../protocol/quarantine.ts'
import {
  clearQueryRunsPath,
  queryRunsPath,
  savedQueriesPath,
  savedQueryImportPath,
} from '../../protocol/saved-query.ts'
import { activationClaimPath, activationPath, screensPath } from '../../protocol/screen.ts'
import { sessionPath } from '../../protocol/session.ts'
import { sharedSearchPath } from '../../protocol/shared-search.ts'
import { statusReportPath } from '../../protocol/status-report.ts'
import { testsPath } from '../../protocol/test-insight.ts'
import {
  waiverApprovalPath,
  waiverBulkPath,
  waiverEndPath,
  unmatchedWaiversPath,
  waiversPath,
} from '../../protocol/waiver.ts'
import { wallsPath } from '../../protocol/wall.ts'
import type { ProxyEnv, User, VerifiedSession } from './sessions.ts'
import { type AllowList, canonicalTarget, routesAt, targetOf } from './upstream/allow-list.ts'
import { buildDataAllowList, governorAllowList } from './upstream/routes.ts'

/** Who may use a route. */
export interface AccessRow {
  /** `ALL` for what answers nothing but that there is nothing. HEAD goes by GET. */
  readonly method: 'GET' | 'POST' | 'DELETE' | 'ALL'
  /** As the route is registered; of what is forwarded, with the pattern of its allow-list. */
  readonly path: string
  /** `free` takes no session. */
  readonly needs: Permission | 'free'
  /** Also for what a page of another site sends: what people open by a link, and health. */
  readonly fromAnySite?: true
}

export const buildDataPrefix = '/upstream/build-data'
export const governorPrefix = '/upstream/governor'

/** What is registered for all requests: the pages, and what looks at each request. */
const everything = '/*'
const pages: AccessRow = { method: 'GET', path: everything, needs: 'free', fromAnySite: true }

/**
 * Who may do what: a row for every route of the proxy, and for every operation that it forwards. A
 * route without a row is refused (docs/design.md#who-may-do-what).
 */
export const accessTable: readonly AccessRow[] = [
  pages,
  { method: 'GET', path: '/healthz', needs: 'free', fromAnySite: true },
  { method: 'POST', path: sessionPath, needs: 'free' },
  { method: 'GET', path: sessionPath, needs: 'watch' },
  { method: 'DELETE', path: sessionPath, needs: 'free' },
  // The identity provider sends browsers to the one, and speaks to the other by itself.
  { method: 'GET', path: `${sessionPath}/sign-in`, needs: 'free', fromAnySite: true },
  { method: 'GET', path: `${sessionPath}/callback`, needs: 'free', fromAnySite: true },
  { method: 'POST', path: `${sessionPath}/logout`, needs: 'free', fromAnySite: true },
  { method: 'GET', path: accessTokensPath, needs: 'read-audit-log' },
  { method: 'POST', path: activationPath, needs: 'free' },
  { method: 'POST', path: activationClaimPath, needs: 'free' },
  { method: 'ALL', path: `${activationPath}/*`, needs: 'free' },
  { method: 'ALL', path: `${sessionPath}/*`, needs: 'read' },

  { method: 'GET', path: configPath, needs: 'watch' },
  { method: 'GET', path: livePath, needs: 'watch' },
  { method: 'GET', path: sharedSearchPath, needs: 'watch' },
  // To a screen only what walls show (changes.ts).
  { method: 'GET', path: changesPath, needs: 'watch' },
  { method: 'ALL', path: '/live/*', needs: 'read' },

  { method: 'GET', path: '/readyz', needs: 'read' },
  { method: 'GET', path: '/metrics', needs: 'read' },
  { method: 'GET', path: statusReportPath, needs: 'read' },

  { method: 'GET', path: screensPath, needs: 'manage-screens' },
  { method: 'POST', path: screensPath, needs: 'manage-screens' },
  { method: 'DELETE', path: `${screensPath}/:id`, needs: 'manage-screens' },
  { method: 'ALL', path: `${screensPath}/*`, needs: 'read' },

  { method: 'GET', path: evaluationsPath, needs: 'read' },
  { method: 'GET', path: `${evaluationsPath}/:id`, needs: 'read' },
  { method: 'POST', path: latestEvaluationsPath, needs: 'read' },
  { method: 'GET', path: bundlePath, needs: 'read' },
  // Sends along which cells a board has, and changes nothing.
  { method: 'POST', path: bundlePath, needs: 'read' },
  { method: 'GET', path: waiversPath, needs: 'read' },
  { method: 'GET', path: unmatchedWaiversPath, needs: 'read' },
  { method: 'GET', path: decisionsPath, needs: 'read' },
  { method: 'GET', path: `${decisionsPath}/:id`, needs: 'read' },
  { method: 'POST', path: decisionsPath, needs: 'decide' },
  { method: 'POST', path: waiversPath, needs: 'waive' },
  { method: 'POST', path: `${waiversPath}/:id/end`, needs: 'waive' },
  { method: 'POST', path: waiverBulkPath, needs: 'waive' },
  { method: 'POST', path: waiverEndPath, needs: 'waive' },
  { method: 'POST', path: waiverApprovalPath, needs: 'waive' },
  { method: 'GET', path: assignmentsPath, needs: 'read' },
  { method: 'POST', path: assignmentsPath, needs: 'assign' },
  { method: 'GET', path: savedQueriesPath, needs: 'read' },
  // One's own queries change nothing for others; those of all take more (saved-query-routes.ts).
  { method: 'POST', path: savedQueriesPath, needs: 'read' },
  { method: 'POST', path: `${savedQueriesPath}/:id`, needs: 'read' },
  { method: 'POST', path: `${savedQueriesPath}/:id/delete`, needs: 'read' },
  { method: 'POST', path: `${savedQueriesPath}/:id/restore`, needs: 'read' },
  { method: 'POST', path: savedQueryImportPath, needs: 'read' },
  { method: 'GET', path: queryRunsPath, needs: 'read' },
  { method: 'POST', path: queryRunsPath, needs: 'read' },
  { method: 'POST', path: clearQueryRunsPath, needs: 'read' },
  { method: 'GET', path: quarantinePath, needs: 'read' },
  { method: 'POST', path: quarantinePath, needs: 'quarantine' },
  { method: 'POST', path: `${quarantinePath}/:id/end`, needs: 'quarantine' },
  // On every screen it stands who is on what fails.
  { method: 'GET', path: claimsPath, needs: 'watch' },
  { method: 'POST', path: claimsPath, needs: 'claim' },
  { method: 'POST', path: claimEndPath, needs: 'claim' },
  { method: 'GET', path: wallsPath, needs: 'read' },
  { method: 'GET', path: `${wallsPath}/:name`, needs: 'read' },
  { method: 'POST', path: `${wallsPath}/:name`, needs: 'edit-walls' },
  { method: 'POST', path: `${wallsPath}/:name/delete`, needs: 'edit-walls' },
  { method: 'POST', path: `${wallsPath}/:name/restore`, needs: 'edit-walls' },
  { method: 'GET', path: deliveriesPath, needs: 'read' },
  { method: 'POST', path: `${deliveriesPath}/:id/retry`, needs: 'decide' },
  // What is shared of them; the whole log takes more (action-routes.ts).
  { method: 'GET', path: actionsPath, needs: 'read' },
  { method: 'GET', path: actionsExportPath, needs: 'read-audit-log' },
  { method: 'ALL', path: '/history/*', needs: 'read' },

  { method: 'POST', path: failuresPath, needs: 'read' },
  { method: 'POST', path: cachesPath, needs: 'read' },
  { method: 'POST', path: factsPath, needs: 'read' },
  { method: 'GET', path: earlierBuildsPath, needs: 'read' },
  { method: 'POST', path: testsPath, needs: 'read' },
  { method: 'ALL', path: '/insight/*', needs: 'read' },

  { method: 'POST', path: boardRunPath, needs: 'evaluate' },
  { method: 'POST', path: createTokenPath, needs: 'create-access-tokens' },
  ...rowsOfUpstream(buildDataPrefix, {
    'GET /build-export/:exportVersion/builds/since/:date': 'read',
    'GET /build-export/:exportVersion/builds/sinceBuild/:buildId': 'read',
    'GET /build-export/:exportVersion/build/:buildId/events': 'read',
    'GET /api/builds': 'read',
    'GET /api/builds/groups': 'read',
    'GET /api/builds/trends': 'read',
    'GET /api/builds/:buildId': 'read',
    'GET /api/builds/:buildId/:attributes': 'read',
    'GET /api/version': 'read',
  }),
  ...['/packages/:type/:namespace/:name/:version', '/packages/:type/:name/:version'].flatMap(
    (address) =>
      rowsOfUpstream(governorPrefix, {
        [`POST ${address}/attestations`]: 'publish',
        [`POST ${address}/policy-scans/:scan`]: 'evaluate',
        [`GET ${address}/:digest/attestations/:instance/:id`]: 'read',
      }),
  ),
  { method: 'ALL', path: '/upstream/*', needs: 'read' },
]

function rowsOfUpstream(
  prefix: string,
  operations: Readonly<Record<string, Permission>>,
): readonly AccessRow[] {
  return Object.entries(operations).map(([operation, needs]) => {
    const [method, pattern = ''] = operation.split(' ')
    return { method: method === 'POST' ? 'POST' : 'GET', path: `${prefix}${pattern}`, needs }
  })
}

/** What the table is enforced with. */
export interface AccessOptions {
  /** The session of a request. Throws a ProblemError 401. */
  readonly verify: (c: Context<ProxyEnv>) => Promise<VerifiedSession>
  /** Throws a ProblemError 403 for what a page of another site has sent. */
  readonly requireSameOrigin: (c: Context<ProxyEnv>) => void
  /** What was thrown at somebody with a session, or undefined. */
  readonly onRefused: (c: Context<ProxyEnv>, error: unknown) => void
  readonly logger: Logger
}

/**
 * Lets through what the table allows, names the route for logs and metrics, and sets `session` for
 * all that is not free. The rows are those of the routes that Hono has found for the request, so that
 * what is checked is what answers. Throws a ProblemError 401 without a session, and 403 that names
 * what it takes.
 */
export function enforceAccess(options: AccessOptions): MiddlewareHandler<ProxyEnv> {
  return async (c, next) => {
    const rows = rowsFor(c)
    const [first] = rows
    if (first === undefined) {
      const { method, path } = c.req
      options.logger.error({ method, path }, 'refused a route that the access table does not list')
      throw problemError(
        403,
        'no-access-row',
        'Not allowed',
        'Nobody may use this address yet: it has no row in the access table. Report this as a bug.',
      )
    }
    if (first.path !== everything) c.set('route', first.path)
    if (rows.some(({ fromAnySite }) => fromAnySite !== true)) options.requireSameOrigin(c)
    const closed = rows.filter(({ needs }) => needs !== 'free')
    if (closed.length > 0) {
      const session = await options.verify(c)
      c.set('session', session)
      try {
        for (const row of closed) requireRow(session.user, row, c)
      } catch (error) {
        options.onRefused(c, error)
        throw error
      }
    }
    await next()
    // What a handler has refused is an error by now, and its response.
    if (closed.length > 0) options.onRefused(c, c.error)
  }
}

function requireRow(user: User, { path, needs }: AccessRow, c: Context<ProxyEnv>): void {
  if (needs === 'free') return
  requirePermission(user, needs)
  // Reading is never limited, and waivers and decisions name their packages in the body.
  if (needs === 'evaluate' || needs === 'publish')
    requirePermission(user, needs, subjectIn(path, c))
}

/**
 * Throws a ProblemError 403 that says which roles may, or what the limits are, to who may not do
 * something to a package or a policy scan.
 */
export function requirePermission(
  user: User,
  requires: Permission,
  subject: PermissionSubject = {},
): void {
  const reason = whyNot(user, requires, subject)
  if (reason === undefined) return
  if (!mayDo(user, 'read')) {
    throw problemError(
      403,
      'no-permission',
      user.roles.includes('screen') ? 'Not available to screens' : 'Not allowed',
      user.roles.includes('screen')
        ? 'A screen can read only what walls show. Sign in for everything else.'
        : reason,
      { requires },
    )
  }
  throw isWithin(user, subject)
    ? problemError(403, 'no-permission', 'Not allowed', reason, { requires })
    : problemError(403, 'outside-limits', 'Outside your limits', reason, {
        requires,
        limits: user.limits,
      })
}

/** Every row must let the request through; none: it is refused. */
function rowsFor(c: Context<ProxyEnv>): readonly AccessRow[] {
  const method = c.req.method === 'HEAD' ? 'GET' : c.req.method
  const matched = matchedRoutes(c).filter(({ path }) => path !== everything)
  const paths = new Set(matched.map(({ path }) => path))
  if (paths.size === 0) return [pages]
  const own = new Set(matched.flatMap((route) => (route.method === method ? [route.path] : [])))
  if (own.size > 0) return allOf([...own].map((path) => rowOf(method, path)))
  for (const [prefix, list] of upstreams) {
    const patterns = paths.has(`${prefix}/*`) ? forwardedPatterns(c, prefix, list, method) : []
    if (patterns.length > 0) return allOf(patterns.map((at) => rowOf(method, `${prefix}${at}`)))
  }
  // Another method than the path takes, or nothing below a prefix: 405 or 404 for who may know.
  const around = accessTable.filter(({ path }) => paths.has(path))
  const [first] = around
  if (first === undefined) return []
  const isFree = around.some(({ needs }) => needs === 'free')
  return [{ method: 'ALL', path: first.path, needs: isFree ? 'free' : 'read' }]
}

const upstreams: readonly (readonly [string, AllowList])[] = [
  [buildDataPrefix, buildDataAllowList],
  [governorPrefix, governorAllowList],
]

/** The same for what a body names: a package by its path, and one of its policy scans. */
export function requireForPackage(
  user: User,
  requires: Permission,
  place: Parameters<typeof subjectAt>[0],
): void {
  requirePermission(user, requires, subjectAt(place))
}

function rowOf(method: string, path: string): AccessRow | undefined {
  return accessTable.find((row) => row.method === method && row.path === path)
}

function allOf(rows: readonly (AccessRow | undefined)[]): readonly AccessRow[] {
  const known = rows.filter((row) => row !== undefined)
  return known.length === rows.length ? known : []
}

/** More than one where a path can be read in two ways: the upstream decides which, so both count. */
function forwardedPatterns(
  c: Context<ProxyEnv>,
  prefix: string,
  list: AllowList,
  method: string,
): readonly string[] {
  const below = segmentsOf(c).slice(prefix.split('/').length - 1)
  return routesAt(list, below).flatMap((route) => (route.method === method ? [route.pattern] : []))
}

function segmentsOf(c: Context<ProxyEnv>): readonly string[] {
  const check = canonicalTarget(targetOf(c.req.url))
  return check.ok ? check.target.segments : []
}

/** The package and the policy scan that a path names where the pattern has them. */
function subjectIn(pattern: string, c: Context<ProxyEnv>): PermissionSubject {
  const segments = segmentsOf(c)
  const named = new Map(
    pattern
      .slice(1)
      .split('/')
      .map((part, at) => [part, segments[at] ?? '']),
  )
  const scan = named.get(':scan')
  const parts = [':type', ':namespace', ':name'].flatMap((part) => named.get(part) ?? [])
  return {
    ...(parts.length === 0 ? {} : { packageName: parts.join('/') }),
    ...(scan === undefined ? {} : { scan }),
  }
}
