import { ServerResponse } from 'node:http'
import type { MiddlewareHandler } from 'hono'
import { z } from 'zod'
import type { Clock } from '../../protocol/clock.ts'
import { problem, ProblemError } from '../../protocol/problem.ts'
import type { Fault } from './faults.ts'
import { spoiledBody } from './spoiled-body.ts'

/**
 * Does to the requests what the faults say; the first that fits a request is the one it meets. A
 * status is answered before the request is looked at, the other faults spoil the true answer.
 */
export function faultMiddleware(faults: readonly Fault[], clock: Clock): MiddlewareHandler {
  const used = new Map<Fault, number>()
  return async (c, next) => {
    const fault = faults.find(
      (one) =>
        c.req.path.startsWith(one.prefix ?? '/') && (used.get(one) ?? 0) < (one.times ?? Infinity),
    )
    if (fault !== undefined) used.set(fault, (used.get(fault) ?? 0) + 1)
    if (fault?.kind === 'status') throw practice(fault.status)
    await next()
    if (fault === undefined || c.res.body === null) return
    c.res = new Response(spoiledBody(c.res.body, fault, clock, hangUp(c.env)), c.res)
  }
}

function practice(status: number): ProblemError {
  return new ProblemError(
    problem(status, 'practice', 'Practice', `This server answers ${status} for practice.`),
    status === 503 || status === 429 ? { retryAfterMs: 1000 } : {},
  )
}

const Served = z.object({ outgoing: z.instanceof(ServerResponse) })

/** How to end the connection of a request that came through a socket. */
function hangUp(env: unknown): (() => void) | undefined {
  const served = Served.safeParse(env)
  return served.success ? () => served.data.outgoing.destroy() : undefined
}
