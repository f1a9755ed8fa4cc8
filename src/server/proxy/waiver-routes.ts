import type { Context } from 'hono'
import { policyName } from '../../policy/policy-name.ts'
import { problem, ProblemError } from '../../protocol/problem.ts'
import type { User } from './sign-in.ts'
import { addWaiver, endWaiver, findWaiver, listWaivers } from '../store/waivers.ts'
import type { HistoryOptions } from './history.ts'
import { readQuery } from './history-query.ts'
import { dayMs } from './history-settings.ts'
import type { ProxyEnv } from './proxy-env.ts'
import { readRequestBody } from './request-body.ts'
import { readNewWaiver } from './waiver-body.ts'

type Answer = (c: Context<ProxyEnv>) => Promise<Response>

/** `GET /history/waivers`. */
export function waiverList({ database, clock, settings }: HistoryOptions): Answer {
  return async (c) => {
    const { path } = readQuery(c, ['path'])
    return c.json({
      waivers: await listWaivers(database, { path, now: clock.now() }),
      mayWaive: mayWaive(c.get('session').user),
      longestMs: settings.longestWaiverDays * dayMs,
    })
  }
}

/** `POST /history/waivers`: answers 201 with the waiver, given by the user of the session. */
export function giveWaiver({ database, clock, settings }: HistoryOptions): Answer {
  return async (c) => {
    const user = waiving(c)
    requireJson(c)
    const body = await readRequestBody(c.req.raw)
    const at = clock.now()
    const asked = readNewWaiver(body, { now: at, longestDays: settings.longestWaiverDays })
    const { carriedFrom, policyUri, scan, person, expiresAt, reason } = asked
    if (typeof carriedFrom === 'string' && !(await findWaiver(database, carriedFrom))) {
      throw refusal(
        400,
        'bad-waiver',
        'Bad waiver',
        'carriedFrom is no waiver that is known here.',
        {
          mistakes: [
            { field: 'carriedFrom', mistake: 'carriedFrom is no waiver that is known here.' },
          ],
        },
      )
    }
    const carried = typeof carriedFrom === 'string' ? ', carried on from another version' : ''
    const detail = `Waived ${policyName(policyUri).name} of ${scan} until ${isoDay(expiresAt)}${carried}; ${person} answers for it: ${reason}`
    return c.json(await addWaiver(database, asked, { at, by: user.name, detail }), 201)
  }
}

/** `POST /history/waivers/:id/end`: answers the waiver, ended by the user of the session. */
export function endGivenWaiver({ database, clock }: HistoryOptions): Answer {
  return async (c) => {
    const user = waiving(c)
    const id = c.req.param('id') ?? ''
    const waiver = await findWaiver(database, id)
    if (waiver === undefined) {
      throw refusal(404, 'no-waiver', 'No such waiver', 'There is no waiver with this id.')
    }
    const detail = `Ended the waiver of ${policyName(waiver.policyUri).name} of ${waiver.scan}.`
    const act = { at: clock.now(), by: user.name, detail }
    const ended = await endWaiver(database, id, act)
    if (ended !== undefined) return c.json(ended)
    const { endedBy } = (await findWaiver(database, id)) ?? waiver
    const why = endedBy === null ? 'It has expired already.' : `${endedBy} has ended it already.`
    throw refusal(409, 'waiver-is-over', 'The waiver is over', why)
  }
}

function mayWaive({ roles }: User): boolean {
  return roles.includes('publisher') || roles.includes('admin')
}

/** The user of the session. Throws a ProblemError 403 that names the roles it takes. */
function waiving(c: Context<ProxyEnv>): User {
  const { user } = c.get('session')
  if (mayWaive(user)) return user
  throw refusal(
    403,
    'may-not-waive',
    'Not allowed',
    'You may not waive policies: that takes the role publisher or admin.',
  )
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
  return new ProblemError(problem(status, code, title, detail, more))
}

/** `2026-03-01`, UTC. */
function isoDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
