import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { onLoopback } from '../free-port.test-support.ts'

/** A question that reached the server. */
export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly authorization: string | undefined
  readonly prefer: string | undefined
  readonly body: string
}

/** How the server answers; `attempt` counts from 1 for each path. */
export type Answering = (answer: ServerResponse, request: ReceivedRequest, attempt: number) => void

/** A plain HTTP server on a free port of this machine that answers as a test says. */
export interface SpecServer {
  readonly url: string
  readonly requests: readonly ReceivedRequest[]
  readonly stop: () => Promise<void>
}

/** Starts it. */
export async function startSpecServer(answering: Answering): Promise<SpecServer> {
  const requests: ReceivedRequest[] = []
  const server = createServer((request, answer) => {
    void textOf(request).then((body) => {
      const { method = '', url: path = '', headers } = request
      const { authorization } = headers
      const prefer = request.headersDistinct.prefer?.join()
      const one = { method, path, authorization, prefer, body }
      requests.push(one)
      answering(answer, one, requests.filter((other) => other.path === path).length)
    })
  })
  const { url, close } = await onLoopback(server)
  return { url, requests, stop: close }
}

/** See docs/services.md#policy-service-problems. */
export function sendProblem(
  answer: ServerResponse,
  status: number,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  answer.writeHead(status, { 'content-type': 'application/problem+json', ...headers })
  answer.end(JSON.stringify({ type: 'about:blank', title: `Status ${status}`, status, detail }))
}

/** Results as a JSON array. */
export function sendArray(answer: ServerResponse, results: readonly object[]): void {
  answer.writeHead(200, { 'content-type': 'application/json' })
  answer.end(JSON.stringify(results))
}

/** See docs/services.md#policy-result. */
export function specResult(
  policy: string,
  status: string,
  told: Readonly<Record<string, unknown>> = {},
): object {
  return {
    labels: { severity: 'high' },
    status,
    policyUri: `/policies/${policy}`,
    policyDescription: 'It is as it should be.',
    policyRemediation: status === 'satisfied' ? '' : 'Build it again.',
    attestationUri: '/packages/oci/checkout/2.4.0/sha256:ab/attestations/af:evidence/1',
    sourcedFromUri: null,
    details: {},
    ...told,
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}
