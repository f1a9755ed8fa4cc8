import { createRemoteJWKSet, type JWTVerifyGetKey } from 'jose'
import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  clockTolerance,
  ClientError,
  Configuration,
  discovery,
  None,
} from 'openid-client'
import type { Logger } from 'pino'
import { backOffMs } from '../../../protocol/back-off.ts'
import { type Clock, wait } from '../../../protocol/clock.ts'
import { problem, ProblemError } from '../../../protocol/problem.ts'

/** What the configuration says of the identity provider. */
export interface OidcSettings {
  readonly issuer: URL
  readonly clientId: string
  /** Absent for a public client. */
  readonly clientSecret: { readonly reveal: () => string } | undefined
  /** Separated by spaces; `openid` is one of them. */
  readonly scopes: string
  /** The claim that is shown as the name; undefined: the first usual one that came. */
  readonly nameClaim?: string | undefined
}

/** The clocks of two machines may differ by so much, seconds. */
export const skewSeconds = 150
const timeoutSeconds = 10
const patientSeconds = 120
/** Keys are read anew for a token of an unknown one, but not more often: anybody can send one. */
const keysAgainMs = 5000

/** Signed with the provider's own key: none that the client could have made as well. */
export const signatureAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const

/** What is known of a provider that has answered. */
export interface Provider {
  readonly configuration: Configuration
  /** The same for what must not be given up early: it waits for as long as the provider may need. */
  readonly patient: Configuration
  /** Its public keys, read anew where a token names one that is not known. */
  readonly keys: JWTVerifyGetKey
}

/** The connection to an identity provider. */
export interface OidcConnection {
  /** Throws a ProblemError 503 with a wait while the provider has not answered since the start. */
  readonly provider: () => Provider
  readonly close: () => void
}

/**
 * Reads the provider's metadata (OpenID Connect Discovery 1.0) in the background, again and again
 * until it is there: a provider that is down delays nobody's start.
 */
export function connectOidc(options: {
  readonly settings: OidcSettings
  readonly clock: Clock
  readonly random: () => number
  readonly logger: Logger
}): OidcConnection {
  const { settings, clock, random, logger } = options
  const { issuer } = settings
  const closing = new AbortController()
  let known: Provider | undefined
  let triesAgainAt = clock.now()
  /** What is wrong with the last answer; undefined where there was none. */
  let wrong: string | undefined

  const discover = async (): Promise<void> => {
    for (let failures = 1; !closing.signal.aborted; failures++) {
      try {
        known = await readProvider(settings)
        if (failures > 1) logger.info({ issuer: issuer.href }, 'the identity provider answers')
        return
      } catch (error) {
        const reason = error instanceof Error ? error.message : 'unknown'
        wrong = isAnswer(error) ? reason : undefined
        const waitMs = backOffMs({ failures, retryMs: undefined, retryAfterMs: undefined, random })
        triesAgainAt = clock.now() + waitMs
        logger.warn(
          { issuer: issuer.href, reason },
          'the identity provider does not answer as it should',
        )
        await wait(clock, waitMs, closing.signal)
      }
    }
  }
  void discover()

  return {
    provider: () => {
      if (known !== undefined) return known
      throw new ProblemError(
        problem(
          503,
          'sign-in-unavailable',
          'Sign-in unavailable',
          wrong === undefined
            ? `The identity provider at ${issuer.host} isn't responding, so nobody can sign in right now. Sightline keeps trying. Try again in a few seconds.`
            : `The answer of the identity provider at ${issuer.host} can't be used (${wrong}), so nobody can sign in right now. Sightline keeps trying. Ask an administrator to check signIn.oidc.issuer in the configuration file.`,
        ),
        { retryAfterMs: Math.max(1000, triesAgainAt - clock.now()) },
      )
    },
    close: () => {
      closing.abort()
    },
  }
}

/** Whether the provider has answered: then trying again brings the same. */
function isAnswer(error: unknown): boolean {
  if (error instanceof ClientError) return !/TIMEOUT|ABORT/.test(error.code ?? '')
  return error instanceof Error && !(error instanceof TypeError)
}

/** What is kept secret of the settings, in the forms in which it is sent (RFC 6749, 2.3.1). */
export function secretsOf({ clientId, clientSecret }: OidcSettings): readonly string[] {
  if (clientSecret === undefined) return []
  const secret = clientSecret.reveal()
  return [secret, `${clientId}:${secret}`, `${inForm(clientId)}:${inForm(secret)}`]
}

/** As the library does it: even what a form may hold as it is. */
function inForm(text: string): string {
  return encodeURIComponent(text)
    .replace(/[-_.!~*'()]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+')
}

/** The metadata and keys of the provider. Throws what failed: the network, or what isn't a provider. */
export async function readProvider(settings: OidcSettings): Promise<Provider> {
  const { issuer, clientId } = settings
  const isPlain = issuer.protocol === 'http:'
  const found = await discovery(issuer, clientId, undefined, None(), {
    timeout: timeoutSeconds,
    ...(isPlain ? { execute: [allowInsecureRequests] } : {}),
  })
  const metadata = found.serverMetadata()
  const [configuration, patient] = [configured(timeoutSeconds), configured(patientSeconds)]
  if (metadata.jwks_uri === undefined) throw new Error('the provider has no jwks_uri')
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri), {
    timeoutDuration: timeoutSeconds * 1000,
    cooldownDuration: keysAgainMs,
  })
  return { configuration, patient, keys }

  function configured(seconds: number): Configuration {
    const made = new Configuration(
      metadata,
      clientId,
      { [clockTolerance]: skewSeconds },
      authentication(settings, metadata.token_endpoint_auth_methods_supported),
    )
    made.timeout = seconds
    if (isPlain) allowInsecureRequests(made)
    return made
  }
}

/** Basic, which every provider has to know, unless it says that it takes the other form only. */
function authentication(
  { clientSecret }: OidcSettings,
  methods: readonly string[] = ['client_secret_basic'],
): ReturnType<typeof None> {
  if (clientSecret === undefined) return None()
  const takesBasic = methods.includes('client_secret_basic')
  return takesBasic || !methods.includes('client_secret_post')
    ? ClientSecretBasic(clientSecret.reveal())
    : ClientSecretPost(clientSecret.reveal())
}
