import type { Clock } from '../../protocol/clock.ts'
import { createAccessTokens } from './access-token.ts'
import { type Credentials, fixedCredentials, type UpstreamCredential } from './credentials.ts'
import { createRedactor } from './redact.ts'
import type { UpstreamClient } from './upstream-client.ts'

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
  const { redact, learn } = createRedactor([accessKey])
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
  }
}
