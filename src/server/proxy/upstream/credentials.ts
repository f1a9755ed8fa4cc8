import type { Clock } from '../../../protocol/clock.ts'
import { createAccessTokens } from './access-token.ts'
import type { SecretForms } from './mask-secrets.ts'
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
  /** Every credential in every form that is looked for; another list when there is a new one. */
  readonly secrets: SecretForms
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
  const { redact, secrets } = createRedactor(secret === null ? [] : [secret])
  return {
    authorization: () => Promise.resolve(authorization),
    refused: () => false,
    redact,
    secrets,
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

/** How the build data server is authorized. */
export interface BuildDataCredentialOptions {
  /** Sends without a credential of its own; access tokens are requested through it. */
  readonly client: UpstreamClient
  readonly credential: UpstreamCredential
  /** `base64`: the export service takes the base64 of the access key, as old samples send it. */
  readonly exportBearer: 'raw' | 'base64'
  readonly clock: Clock
  /** Told, in a sentence without secrets, when tokens cannot be had. */
  readonly notice: (sentence: string) => void
}

/**
 * The credentials of the build data server: HTTP Basic as it is; an access key by short-lived
 * tokens made from it (docs/services.md#access-tokens), for the export service as well (a token is
 * usable wherever a key is) unless that wants the key in base64.
 */
export function buildDataCredentials(options: BuildDataCredentialOptions): Credentials {
  const { credential } = options
  return credential.kind === 'bearer'
    ? keyCredentials(options, credential.token.reveal())
    : fixedCredentials(credential)
}

function keyCredentials(options: BuildDataCredentialOptions, accessKey: string): Credentials {
  const { redact, learn, secrets } = createRedactor([accessKey])
  const tokens = createAccessTokens({ ...options, accessKey, learn })
  const encoded = Buffer.from(accessKey, 'utf8').toString('base64')
  return {
    authorization: async (path) =>
      options.exportBearer === 'base64' && path.startsWith('/build-export/')
        ? `Bearer ${encoded}`
        : `Bearer ${await tokens.bearer()}`,
    refused: (authorization) => {
      const bearer = authorization.slice('Bearer '.length)
      return bearer !== encoded && tokens.refused(bearer)
    },
    redact,
    secrets,
  }
}

/** Keeps secrets out of what is shown or logged. */
export interface Redactor {
  /** A text with every known secret in it replaced by `[secret]`. */
  readonly redact: (text: string) => string
  /** Every known secret in every form. */
  readonly secrets: SecretForms
  /** Learns one more secret, such as a token that was just made; the newest 16 are kept. */
  readonly learn: (secret: string) => void
}

const shortestSecret = 4
const learntSecrets = 16

/**
 * A redactor that knows `secrets` in every form in which they travel: as they are, base64, and
 * percent-encoded; of `user:password` the password alone as well. What merely looks like a
 * credential (an Authorization value, a user and password in an address) is replaced too. A secret
 * under 4 characters is not looked for, as it would be found everywhere.
 */
function createRedactor(secrets: readonly string[]): Redactor {
  const fixed = formsOf(secrets)
  let learnt: readonly string[] = []
  let all = fixed
  return {
    secrets: () => all,
    redact: (text) =>
      all
        .reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)
        .replace(/\b(Bearer|Basic|HMAC)\s+[\w.~+/=-]{4,}/gi, '$1 [secret]')
        .replace(/(:\/\/)[^\s/@"']+@/g, '$1[secret]@'),
    learn: (secret) => {
      learnt = [...learnt, secret].slice(-learntSecrets)
      all = formsOf([...secrets, ...learnt])
    },
  }
}

function formsOf(secrets: readonly string[]): readonly string[] {
  const forms = secrets.flatMap((secret) => {
    const colon = secret.indexOf(':')
    const plain = colon === -1 ? [secret] : [secret, secret.slice(colon + 1)]
    return plain.flatMap((text) => [
      text,
      Buffer.from(text, 'utf8').toString('base64'),
      Buffer.from(text, 'utf8').toString('base64').replace(/=+$/, ''),
      encodeURIComponent(text),
      // As JSON writes it, with and without its needless escapes.
      JSON.stringify(text).slice(1, -1),
      text.replaceAll('/', '\\/'),
    ])
  })
  // Longest first, so that no secret is left half replaced by a shorter one inside it.
  return [...new Set(forms)]
    .filter((text) => text.length >= shortestSecret)
    .sort((a, b) => b.length - a.length)
}
