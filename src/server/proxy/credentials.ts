import { createRedactor } from './redact.ts'
import type { UpstreamClient, UpstreamRequest, UpstreamResponse } from './upstream-client.ts'

/** A secret as the configuration holds it: it is shown by nobody who does not ask for it. */
interface Sealed {
  readonly reveal: () => string
}

/** What the configuration gives for an upstream. */
export type UpstreamCredential =
  | { readonly kind: 'none' }
  | { readonly kind: 'bearer'; readonly token: Sealed }
  | { readonly kind: 'basic'; readonly userAndPassword: Sealed }

/** How requests to one upstream are authorized. */
export interface Credentials {
  /** The Authorization header for a path, or null where none is sent. Never rejects. */
  readonly authorization: (path: string) => Promise<string | null>
  /** An answer was 401: whether the same request with a newly asked authorization makes sense. */
  readonly refused: (authorization: string) => boolean
  /** A text with every credential in it replaced. */
  readonly redact: (text: string) => string
}

/**
 * Adds the authorization to every request of a client, whatever the request itself carries. A
 * request that is refused with 401 is sent once more where `refused` says that this makes sense.
 */
export function withCredentials(client: UpstreamClient, credentials: Credentials): UpstreamClient {
  const send = async (
    request: UpstreamRequest,
    authorization: string | null,
  ): Promise<UpstreamResponse> =>
    client.request({
      ...request,
      headers: {
        ...request.headers,
        ...(authorization === null ? {} : { authorization }),
      },
    })
  return {
    request: async (request) => {
      const first = await credentials.authorization(request.path)
      const answer = await send(request, first)
      if (answer.status !== 401 || first === null || !credentials.refused(first)) return answer
      answer.cancel()
      return send(request, await credentials.authorization(request.path))
    },
    close: () => client.close(),
  }
}

/** A credential that is sent as it is: nothing can be renewed when it is refused. */
export function fixedCredentials(credential: UpstreamCredential): Credentials {
  const { authorization, secret } = headerOf(credential)
  return {
    authorization: () => Promise.resolve(authorization),
    refused: () => false,
    redact: createRedactor(secret === null ? [] : [secret]).redact,
  }
}

function headerOf(credential: UpstreamCredential): {
  readonly authorization: string | null
  readonly secret: string | null
} {
  switch (credential.kind) {
    case 'none':
      return { authorization: null, secret: null }
    case 'bearer': {
      const secret = credential.token.reveal()
      return { authorization: `Bearer ${secret}`, secret }
    }
    case 'basic': {
      const secret = credential.userAndPassword.reveal()
      // RFC 7617, with the UTF-8 that servers expect today.
      const encoded = Buffer.from(secret, 'utf8').toString('base64')
      return { authorization: `Basic ${encoded}`, secret }
    }
  }
}
