import type {
  UpstreamClient,
  UpstreamClientOptions,
  UpstreamResponse,
} from '../server/proxy/upstream/upstream-client.ts'

/** What answers requests: a Hono app fits. */
interface RequestHandler {
  readonly fetch: (request: Request) => Response | Promise<Response>
}

/**
 * Connects the proxy to an app in the same process: no socket, so nothing is refused, times out or
 * is compressed on the way. An aborted request throws the signal's reason, and its body ends.
 */
export function connectToApp(
  app: RequestHandler,
): (options: Pick<UpstreamClientOptions, 'baseUrl' | 'userAgent'>) => UpstreamClient {
  return ({ baseUrl, userAgent }) => ({
    request: async ({ path, method = 'GET', headers, body, signal }) => {
      signal?.throwIfAborted()
      const url = `${baseUrl.origin}${path}`
      const gone = new AbortController()
      const request = new Request(url, {
        method,
        headers: { 'user-agent': userAgent, ...headers },
        body: body === undefined ? null : new Uint8Array(Buffer.from(body)),
        signal: gone.signal,
      })
      let leave: (reason: unknown) => void = () => undefined
      const left = new Promise<never>((_resolve, reject) => {
        leave = reject
      })
      left.catch(() => undefined)
      signal?.addEventListener('abort', () => {
        gone.abort(signal.reason)
        leave(signal.reason)
      })
      const response = await Promise.race([app.fetch(request), left])
      return responseOf(response, url, left, gone)
    },
    close: () => Promise.resolve(),
  })
}

function responseOf(
  response: Response,
  url: string,
  left: Promise<never>,
  gone: AbortController,
): UpstreamResponse {
  const reader = response.body?.getReader()
  const cancel = (): void => {
    gone.abort()
    // A body that failed already has nothing to give up.
    reader?.cancel().catch(() => undefined)
  }
  return {
    url,
    status: response.status,
    wasGzip: false,
    header: (name) => response.headers.get(name),
    cancel,
    body: (async function* () {
      try {
        while (reader !== undefined) {
          const piece = await Promise.race([reader.read(), left])
          if (piece.done) return
          yield piece.value
        }
      } finally {
        cancel()
      }
    })(),
  }
}
