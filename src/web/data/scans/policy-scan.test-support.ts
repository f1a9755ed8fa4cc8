import { createServer, type RequestListener, type Server } from 'node:http'
import type { Clock } from '../../../protocol/clock.ts'
import { createManualClock, type ManualClock } from '../../../protocol/manual-clock.test-support.ts'
import {
  createSendScan,
  createPolicyScan,
  type PolicyScan,
  type PolicyScanQuestion,
  type PolicyScanView,
} from './policy-scan.ts'
import { createSession } from '../core/session.ts'
import { createStreamedRequest } from '../core/request.ts'
import { onLoopback } from '../../../free-port.test-support.ts'

interface AnsweredRequest {
  readonly accept: string | undefined
  readonly prefer: string | undefined
  readonly body: string
}

/** A server that answers as a test wants. */
export interface AnsweringServer {
  readonly origin: string
  /** The requests so far, as `Accept`, `Prefer` and body. */
  readonly requests: readonly AnsweredRequest[]
  readonly stop: () => Promise<void>
}

/** Starts it on the loopback interface; `answer` is called when the body is read. */
export async function answeringServer(answer: RequestListener): Promise<AnsweringServer> {
  const requests: AnsweredRequest[] = []
  const server: Server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (text: string) => (body += text))
    request.on('end', () => {
      const { accept } = request.headers
      requests.push({ accept, prefer: request.headersDistinct.prefer?.join(), body })
      answer(request, response)
    })
  })
  const { url: origin, close } = await onLoopback(server)
  return { origin, requests, stop: close }
}

/** Sends what a page would send to the proxy to another place. */
export type Way = (path: string, init: RequestInit | undefined) => Promise<Response>

/** An evaluation over this way, and what a test asks of it. */
export interface WatchedScan {
  readonly scan: PolicyScan
  readonly clock: ManualClock
  /** Everything that was shown, from the start. */
  readonly views: readonly PolicyScanView[]
  /** Resolves with the first view from now on, or at this moment, that is so. */
  readonly until: (isSo: (view: PolicyScanView) => boolean) => Promise<PolicyScanView>
}

/** Opens an evaluation whose time stands still, and looks at it. */
export function watchScan(question: PolicyScanQuestion, way: Way): WatchedScan {
  const clock = createManualClock(1_000_000)
  const scan = openScan(question, way, clock)
  const views: PolicyScanView[] = []
  const waiting = new Set<() => void>()
  scan.subscribe(() => {
    views.push(scan.getSnapshot())
    for (const look of waiting) look()
  })
  scan.run()
  return {
    scan,
    clock,
    views,
    until: (isSo) =>
      new Promise((resolve) => {
        const look = (): void => {
          const view = scan.getSnapshot()
          if (!isSo(view)) return
          waiting.delete(look)
          resolve(view)
        }
        waiting.add(look)
        look()
      }),
  }
}

function openScan(question: PolicyScanQuestion, way: Way, clock: Clock): PolicyScan {
  const send: typeof fetch = (input, init) => {
    const path = input instanceof Request ? input.url : input.toString()
    return path === '/session'
      ? Promise.resolve(
          Response.json({ token: 't', expiresAt: 9e9, user: { name: 'a', roles: [] } }),
        )
      : way(path.replace('/upstream/governor', ''), init)
  }
  const isOnline = (): boolean => true
  const session = createSession({ fetch: send, clock, isOnline })
  const sendScan = createSendScan(createStreamedRequest({ fetch: send, session, clock, isOnline }))
  return createPolicyScan(question, { send: sendScan, clock, random: () => 0.5 })
}
