import { z } from 'zod'
import {
  type CreatedToken,
  mostTokenNames,
  type TokenRefusal,
} from '../../../protocol/access-token.ts'
import type { AccessTokenRequest } from '../../../protocol/build-data.ts'
import type { Clock } from '../../../protocol/clock.ts'
import { expiryText } from '../../../protocol/credential-state.ts'
import { ProblemError, problemError } from '../../../protocol/problem.ts'
import { type Audit, originOf } from '../history/audit.ts'
import type { RouteHandler } from '../sessions.ts'
import { mentions, refusalText, tokenEnd, tokenIn } from './access-token.ts'
import { readBounded } from './upstream-client.ts'
import { acceptResponse } from './upstream-response.ts'
import type { Upstream } from './upstream.ts'

/** What creates access tokens for people. */
export interface TokenRouteOptions {
  /** Whether the configuration allows it (`SIGHTLINE_CREATE_TOKENS`). */
  readonly isOn: boolean
  readonly upstream: Upstream
  readonly clock: Clock
  readonly audit: Audit
}

const list = (item: z.ZodString) =>
  z
    .array(z.string())
    .transform((values) => values.flatMap((value) => value.split(',')).map((one) => one.trim()))
    .pipe(z.array(item).max(mostTokenNames))

/** As the build server takes it (docs/services.md#access-tokens): lists with commas or repeated. */
const Query = z.strictObject({
  permissions: list(z.string().regex(/^[\w.-]{1,64}$/)).optional(),
  projectIds: list(z.string().regex(/^[^\p{Cc}]{1,200}$/u)).optional(),
  expiresInHours: z
    .tuple([z.string().regex(/^\d{1,2}(?:\.\d{1,6})?$/)])
    .transform(([hours]) => Number(hours))
    .pipe(z.number().gt(0).max(24))
    .optional(),
})

const maxAnswerBytes = 16 * 1024

/**
 * Creates an access token of the build server for somebody who may (docs/design.md#tokens). It is in
 * the response and nowhere else: not in a log, not in the audit log, which says who requested what.
 * Throws a ProblemError: 404 where it is off, 400 for parameters that no token can have, 403 where
 * the server refuses them, in words that hold nothing of the server's.
 */
export function tokenRoute(options: TokenRouteOptions): RouteHandler {
  const { isOn, upstream, clock, audit } = options
  return async (c) => {
    if (!isOn) throw problemError(404, 'tokens-off', 'Not available', tokensOff)
    const request = requestIn(c.req.queries())
    const record = (outcome: 'done' | 'failed', detail: string): void => {
      audit.record({
        ...originOf(c),
        action: 'access-token-created',
        subject: upstream.origin ?? upstream.name,
        detail: `${detail} Requested: ${requestText(request)}.`,
        outcome,
      })
    }
    try {
      const created = await createToken(request, c.req.raw.signal)
      const until =
        created.expiresAt === null ? '' : ` until ${new Date(created.expiresAt).toISOString()}`
      record('done', `Created an access token${until}.`)
      return c.json(created satisfies CreatedToken, 200, { 'cache-control': 'no-store' })
    } catch (error) {
      const reason =
        error instanceof ProblemError ? upstream.redact(error.sentence) : 'No response.'
      record('failed', `No access token was created: ${reason}`)
      throw error
    }
  }

  async function createToken(
    request: AccessTokenRequest,
    signal: AbortSignal,
  ): Promise<CreatedToken> {
    const answer = await upstream.requestToken(request, signal)
    if (answer.status === 400 || answer.status === 403) {
      throw refusal(request, await refusalText(answer), upstream, clock.now())
    }
    if (answer.status !== 200 && answer.status !== 201) {
      await acceptResponse(upstream, answer, clock.now())
      answer.cancel()
      throw notAToken()
    }
    const token = await readBounded(answer, maxAnswerBytes).then(
      (bytes) => tokenIn(bytes.toString('utf8')),
      () => null,
    )
    // A server that sends back the credential it was asked with must not publish it.
    if (token === null || upstream.redact(token) !== token) throw notAToken()
    return { token, expiresAt: tokenEnd(token, clock.now()) ?? null }
  }
}

function requestIn(queries: Record<string, string[]>): AccessTokenRequest {
  const read = Query.safeParse(queries)
  if (read.success) {
    const { permissions, projectIds, expiresInHours } = read.data
    return {
      ...(permissions === undefined ? {} : { permissions }),
      ...(projectIds === undefined ? {} : { projectIds }),
      ...(expiresInHours === undefined ? {} : { expiresInHours }),
    }
  }
  throw problemError(
    400,
    'bad-token-request',
    'Bad token request',
    `permissions and projectIds must be names separated by commas, at most ${mostTokenNames} each, and expiresInHours a number above 0, at most 24.`,
  )
}

const tokensOff =
  'Creating access tokens is off. An administrator can turn it on with SIGHTLINE_CREATE_TOKENS=on.'

function notAToken(): ProblemError {
  return problemError(
    502,
    'not-a-token',
    'Unusable response',
    "The build server's response isn't an access token. Check SIGHTLINE_BUILD_DATA_URL, and that the server is release 2024.1 or newer.",
  )
}

/** What was requested, for the audit log. */
function requestText({ permissions, projectIds, expiresInHours }: AccessTokenRequest): string {
  return [
    permissions === undefined ? 'all permissions' : `permissions ${permissions.join(', ')}`,
    projectIds === undefined ? 'all projects' : `projects ${projectIds.join(', ')}`,
    expiresInHours === undefined ? 'default lifetime' : `${expiresInHours} h`,
  ].join('; ')
}

/**
 * Why the server refuses a token, as far as its text says which part was too much; where it does not
 * say, what is left when one looks at what was requested.
 */
function refusal(
  request: AccessTokenRequest,
  text: string,
  upstream: Upstream,
  now: number,
): ProblemError {
  const { permissions = [], projectIds = [], expiresInHours } = request
  const missing = permissions.filter((one) => mentions(text, one))
  const foreign = projectIds.filter((one) => mentions(text, one))
  const saidReason: TokenRefusal['reason'] =
    missing.length > 0
      ? 'permission'
      : /expir|lifetime|outlast/i.test(text)
        ? 'lifetime'
        : foreign.length > 0
          ? 'project'
          : 'unknown'
  const possible: TokenRefusal['reason'][] = [
    ...(permissions.length > 0 ? (['permission'] as const) : []),
    ...(projectIds.length > 0 ? (['project'] as const) : []),
    ...(expiresInHours === undefined ? [] : (['lifetime'] as const)),
  ]
  const [only] = possible
  const reason =
    saidReason === 'unknown' && possible.length === 1 && only !== undefined ? only : saidReason
  const names =
    reason === 'permission'
      ? missing.length > 0
        ? missing
        : permissions
      : reason === 'project'
        ? foreign.length > 0
          ? foreign
          : projectIds
        : []
  const expires = expiryText(upstream.credential(), now)
  return problemError(
    403,
    'token-refused',
    'Token refused',
    refusalSentence(reason, names, expires),
    {
      reason,
      names: [...names],
    } satisfies TokenRefusal,
  )
}

function refusalSentence(
  reason: TokenRefusal['reason'],
  names: readonly string[],
  expires: string | undefined,
): string {
  const listed = new Intl.ListFormat('en').format(names)
  const several = names.length > 1
  switch (reason) {
    case 'permission':
      return `The user of Sightline's access key doesn't have the ${several ? 'permissions' : 'permission'} ${listed}. Leave ${several ? 'them' : 'it'} out, or have the build server's administrator grant ${several ? 'them' : 'it'}.`
    case 'project':
      return `The user of Sightline's access key doesn't have access to the ${several ? 'projects' : 'project'} ${listed}. Leave ${several ? 'them' : 'it'} out, or have the build server's administrator grant access.`
    case 'lifetime':
      return `The token would outlast Sightline's access key. ${expires === undefined ? '' : `${expires} `}Choose a shorter lifetime.`
    case 'unknown':
      return "The build server refuses the token without saying why: a permission or a project that the user of Sightline's access key doesn't have, or a lifetime beyond the key's. Request less."
  }
}
