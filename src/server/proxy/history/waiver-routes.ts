import type { Context } from 'hono'
import { z } from 'zod'
import { policyName } from '../../../policy/policy-group.ts'
import { decodedSegment, packageNameOf, packagePath } from '../../../protocol/package-address.ts'
import { readPackageReference } from '../../../protocol/package-reference.ts'
import type { ProblemError } from '../../../protocol/problem.ts'
import { problemError } from '../../../protocol/problem.ts'
import type { NewWaiver, Waiver } from '../../../protocol/waiver.ts'
import { withoutCredentials } from '../../store/actions.ts'
import { addWaiver, endWaiver, findWaiver, listWaivers } from '../../store/waivers.ts'

import { requirePermission } from '../access.ts'
import { readRequestBody } from '../request-body.ts'
import type { ProxyEnv, VerifiedSession } from '../sessions.ts'
import { originOf } from './audit.ts'
import { readListQuery } from './history-query.ts'
import { dayMs, type HistoryOptions } from './history.ts'

type Answer = (c: Context<ProxyEnv>) => Promise<Response>

/** `GET /history/waivers`. */
export function waiverList({ database, clock, settings }: HistoryOptions): Answer {
  return async (c) => {
    const { path } = readListQuery(c, ['path'])
    return c.json({
      waivers: await listWaivers(database, { path, now: clock.now() }),
      longestMs: settings.longestWaiverDays * dayMs,
    })
  }
}

/** `POST /history/waivers`: answers 201 with the waiver, given by the user of the session. */
export function giveWaiver({ database, clock, settings, changes }: HistoryOptions): Answer {
  return async (c) => {
    requireJson(c)
    const body = await readRequestBody(c.req.raw)
    const at = clock.now()
    const asked = readNewWaiver(body, { now: at, longestDays: settings.longestWaiverDays })
    requireWithinLimits(c.get('session'), asked)
    const { carriedFrom, policyUri, scan, person, expiresAt, reason } = asked
    if (typeof carriedFrom === 'string' && !(await findWaiver(database, carriedFrom))) {
      throw refusal(
        400,
        'bad-waiver',
        'Bad waiver',
        "carriedFrom isn't the id of a known waiver.",
        {
          mistakes: [
            { field: 'carriedFrom', mistake: "carriedFrom isn't the id of a known waiver." },
          ],
        },
      )
    }
    const carried = typeof carriedFrom === 'string' ? ', carried over from another version' : ''
    const detail = `Waived ${nameOf(policyUri)} of ${scan} until ${isoDay(expiresAt)}${carried}; approved by ${person}: ${reason}`
    const waiver = await addWaiver(database, asked, { ...originOf(c), at, detail })
    changes.publish('waivers', waiver.packagePath)
    return c.json(waiver, 201)
  }
}

/** `POST /history/waivers/:id/end`: answers the waiver, ended by the user of the session. */
export function endGivenWaiver({ database, clock, changes }: HistoryOptions): Answer {
  return async (c) => {
    const id = c.req.param('id') ?? ''
    const waiver = await findWaiver(database, id)
    if (waiver === undefined) {
      throw refusal(404, 'no-waiver', 'Waiver not found', 'No waiver has this id.')
    }
    requireWithinLimits(c.get('session'), waiver)
    const detail = `Ended the waiver of ${nameOf(waiver.policyUri)} of ${waiver.scan}.`
    const act = { ...originOf(c), at: clock.now(), detail }
    const ended = await endWaiver(database, id, act)
    if (ended !== undefined) {
      changes.publish('waivers', waiver.packagePath)
      return c.json(ended)
    }
    const { endedBy } = (await findWaiver(database, id)) ?? waiver
    const why = endedBy === null ? 'It has already expired.' : `${endedBy} has already ended it.`
    throw refusal(409, 'waiver-is-over', 'Waiver already ended', why)
  }
}

/** Throws a ProblemError 403 that names the limits of who may not waive it for this package. */
function requireWithinLimits(
  { user }: VerifiedSession,
  { packagePath, scan }: Pick<Waiver, 'packagePath' | 'scan'>,
): void {
  const [, , ...name] = packageNameOf(packagePath).split('/').map(decodedSegment)
  requirePermission(user, 'waive', { packageName: name.join('/'), scan })
}

function requireJson(c: Context<ProxyEnv>): void {
  if (/^application\/json(?:;|$)/i.test(c.req.header('content-type') ?? '')) return
  throw refusal(
    415,
    'unsupported-body',
    'Unsupported media type',
    'The body must be application/json.',
  )
}

function refusal(
  status: number,
  code: string,
  title: string,
  detail: string,
  more: Record<string, unknown> = {},
): ProblemError {
  return problemError(status, code, title, detail, more)
}

/** The name is a part of the address: what a credential in it looks like is seen before. */
function nameOf(policyUri: string): string {
  return policyName(withoutCredentials(policyUri)).name
}

/** `2026-03-01`, UTC. */
function isoDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** Clocks differ: by so much a waiver may last longer than is allowed, ms. */
const skewMs = 60_000

/**
 * Reads what somebody asks for who waives a policy. Throws a ProblemError 400 whose detail has a
 * sentence for each mistake, and whose `mistakes` name the fields.
 */
function readNewWaiver(
  body: Uint8Array,
  { now, longestDays }: { readonly now: number; readonly longestDays: number },
): NewWaiver {
  const read = waiverBody(now, longestDays).safeParse(parsed(body))
  if (read.success) return read.data
  const mistakes = read.error.issues.map(({ path, message }) => ({
    field: String(path[0] ?? 'body'),
    mistake: path.length === 0 ? message : `${String(path[0])} ${message}`,
  }))
  const detail = mistakes.map(({ mistake }) => mistake).join(' ')
  throw problemError(400, 'bad-waiver', 'Bad waiver', detail, { mistakes })
}

// Messages follow the name of their field.
function waiverBody(now: number, longestDays: number) {
  const latest = now + longestDays * dayMs + skewMs
  return z.object(
    {
      packagePath: required.transform((path, context) => {
        const read = readPackageReference(path)
        if (read.ok && path.startsWith('/packages/') && read.reference.scan === undefined) {
          return packagePath(read.reference.address)
        }
        context.addIssue({
          code: 'custom',
          message: 'must be the path of a package: /packages/type/namespace/name/version.',
        })
        return z.NEVER
      }),
      sha256: z
        .string(missing)
        .regex(/^[0-9a-f]{64}$/i, 'must be 64 hexadecimal digits.')
        .transform((text) => text.toLowerCase()),
      scan: required.max(256, 'has more than 256 characters.'),
      policyUri: required,
      reason: filled('is empty. Explain why the policy is waived.', 2000),
      person: filled('is empty. Name the person who approves it.', 200),
      expiresAt: z
        .int({ error: 'must be a time in milliseconds since 1970. Every waiver must end.' })
        .gt(now, "isn't in the future.")
        .lte(latest, `is too far ahead. A waiver can last at most ${longestDays} days.`),
      carriedFrom: z
        .string('must be the id of a waiver, or null.')
        .max(100, 'must be the id of a waiver.')
        .nullish(),
    },
    { error: 'The body must be a JSON object with the fields of a waiver.' },
  )
}

const missing = {
  error: ({ input }: { readonly input?: unknown }) =>
    input === undefined ? 'is missing.' : 'must be text.',
}

const required = z.string(missing).min(1, 'is empty.').max(2000, 'has more than 2000 characters.')

function filled(empty: string, longest: number) {
  return z.string(missing).trim().min(1, empty).max(longest, `has more than ${longest} characters.`)
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    return undefined
  }
}
