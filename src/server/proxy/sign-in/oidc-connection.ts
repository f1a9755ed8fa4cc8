import { createRemoteJWKSet, errors, type JWTVerifyGetKey, type RemoteJWKSet } from 'jose'
import {
  allowInsecureRequests,
  AuthorizationResponseError,
  ClientSecretBasic,
  ClientSecretPost,
  clockTolerance,
  ClientError,
  Configuration,
  discovery,
  None,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import type { Logger } from 'pino'
import { z } from 'zod'
import { backOffMs } from '../../../protocol/back-off.ts'
import { type Clock, wait } from '../../../protocol/clock.ts'
import { reasonOf } from '../../../protocol/parsed-text.ts'
import { isRetryable, problem, ProblemError } from '../../../protocol/problem.ts'

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
/** Keys are read anew for a token that none of them has signed, but not more often: anybody can send one. */
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
  /**
   * Does what takes its public keys, with each that may be meant. They are read anew where a token names one
   * that isn't known, or is signed by none of those that are: keys without names change as well.
   */
  readonly withKeys: <Verified>(verify: Verify<Verified>) => Promise<Verified>
}

type Verify<Verified> = (keys: JWTVerifyGetKey) => Promise<Verified>

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
  let fault: ProviderFault | undefined

  const discover = async (): Promise<void> => {
    for (let failures = 1; !closing.signal.aborted; failures++) {
      try {
        known = await readProvider(settings)
        if (failures > 1) logger.info({ issuer: issuer.href }, 'the identity provider answers')
        return
      } catch (error) {
        fault = providerFault(error)
        const waitMs = backOffMs({ failures, retryMs: undefined, retryAfterMs: undefined, random })
        triesAgainAt = clock.now() + waitMs
        logger.warn(
          { issuer: issuer.href, reason: fault.reason },
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
          fault === undefined || fault.is === 'silent'
            ? `The identity provider at ${issuer.host} isn't responding, so nobody can sign in right now. Sightline keeps trying. Try again in a few seconds.`
            : `The answer of the identity provider at ${issuer.host} can't be used (${fault.reason}), so nobody can sign in right now. Sightline keeps trying. ${fault.is === 'busy' ? 'Try again in a few seconds.' : 'Ask an administrator to check signIn.oidc.issuer in the configuration file.'}`,
        ),
        { retryAfterMs: Math.max(1000, triesAgainAt - clock.now()) },
      )
    },
    close: () => {
      closing.abort()
    },
  }
}

/** Why a request to the provider failed, or what it said can't be used. */
export interface ProviderFault {
  /**
   * `silent`: there was no answer. `busy`: another one may come a little later. `client`: it refuses the product, and
   * nobody in particular. `unusable`: it isn't the provider that is configured. `unverified`: what it says of somebody isn't valid.
   */
  readonly is: 'silent' | 'busy' | 'client' | 'unusable' | 'unverified'
  /** In a few words, for people in brackets and for the log. */
  readonly reason: string
}

/** Finds out what one who reads of a failed request can act on. */
export function providerFault(error: unknown): ProviderFault {
  const reason = reasonOf(error)
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
    return { is: 'unverified', reason: `${reason} (${error.error.slice(0, 100)})` }
  }
  if (error instanceof WWWAuthenticateChallengeError) {
    const isPerson = error.cause.some(({ scheme }) => scheme === 'bearer')
    return { is: isPerson ? 'unusable' : 'client', reason: statusAt(error.response) }
  }
  if (
    error instanceof errors.JWKSTimeout ||
    (isClientError(error) && error.code.includes('TIMEOUT'))
  ) {
    return { is: 'silent', reason: `no response within ${timeoutSeconds} s` }
  }
  // Anything but keys at the address of the keys.
  if (error instanceof errors.JOSEError && error.code === errors.JOSEError.code) {
    return { is: 'busy', reason: "its keys can't be read" }
  }
  if (isClientError(error)) {
    const { cause, code } = error
    if (cause instanceof Response) {
      if (code !== 'OAUTH_RESPONSE_IS_NOT_JSON' || !cause.ok) {
        return { is: isRetryable(cause.status) ? 'busy' : 'unusable', reason: statusAt(cause) }
      }
      const type = cause.headers.get('content-type')?.split(';')[0] ?? 'nothing'
      return { is: 'unusable', reason: `${type} instead of JSON at ${placeOf(cause)}` }
    }
    const named = issuerIn(cause)
    if (named !== undefined) return { is: 'unusable', reason: `it calls itself ${named}` }
    // Which claim it is stands in the cause only.
    return { is: 'unverified', reason: cause instanceof Error ? reasonOf(cause) : reason }
  }
  // fetch says why in the cause only.
  if (!(error instanceof TypeError) || !(error.cause instanceof Error)) {
    return { is: 'unverified', reason }
  }
  const { cause } = error
  const isTls = /CERT|SSL|TLS|SIGNED|EPROTO|SIGNATURE/.test(String(Reflect.get(cause, 'code')))
  return { is: isTls ? 'unusable' : 'silent', reason: cause.message || reason }
}

function isClientError(error: unknown): error is ClientError & { readonly code: string } {
  return error instanceof ClientError && error.code !== undefined
}

function statusAt(response: Response): string {
  return `status ${response.status} at ${placeOf(response)}`
}

function placeOf({ url }: Response): string {
  if (!URL.canParse(url)) return 'its address'
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

/** What the metadata name as their issuer, where that isn't the one that was configured. */
function issuerIn(cause: unknown): string | undefined {
  return Mismatch.safeParse(cause).data?.body.issuer.slice(0, 200)
}

const Mismatch = z.object({
  attribute: z.literal('issuer'),
  body: z.object({ issuer: z.string() }),
})

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
  return { configuration, patient, withKeys: (verify) => verifiedBy(keys, verify) }

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

/** Of several keys that a token doesn't tell apart, one has to fit. */
async function verifiedBy<Verified>(
  keys: RemoteJWKSet,
  verify: Verify<Verified>,
): Promise<Verified> {
  const byEach: Verify<Verified> = async (some) => {
    try {
      return await verify(some)
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
      for await (const key of error) {
        try {
          return await verify(() => key)
        } catch (other) {
          if (!(other instanceof errors.JWSSignatureVerificationFailed)) throw other
        }
      }
      throw new errors.JWSSignatureVerificationFailed()
    }
  }
  try {
    return await byEach(keys)
  } catch (error) {
    if (!(error instanceof errors.JWSSignatureVerificationFailed) || keys.coolingDown) throw error
    await keys.reload()
    return byEach(keys)
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
