import type { ServerResponse } from 'node:http'
import { problem, problemJson } from '../../../protocol/problem.ts'

/** Tells a reader that there is no place for it, and when to come back. */
export function refuseReader(outgoing: ServerResponse, why: 'all' | 'session' | 'closing'): void {
  const body = JSON.stringify(refusals[why])
  outgoing.writeHead(refusals[why].status, {
    'content-type': problemJson,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'retry-after': '10',
  })
  outgoing.end(body)
}

const refusals = {
  all: problem(
    503,
    'live-full',
    'Too many readers',
    'The live feed has as many readers as it can serve. Try again in a few seconds.',
  ),
  session: problem(
    429,
    'live-session-full',
    'Too many readers of one session',
    'This session has too many live feeds open. Close a tab that shows builds, or wait a few seconds.',
  ),
  closing: problem(
    503,
    'live-closing',
    'The proxy is shutting down',
    'The live feed is closing, most likely for a restart. Try again in a few seconds.',
  ),
} as const
