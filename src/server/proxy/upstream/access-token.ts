import { decodeJwt } from 'jose'
import { z } from 'zod'
import { accessTokenPath } from '../../../protocol/build-data.ts'
import type { Clock } from '../../../protocol/clock.ts'
import { retryAfterMs } from '../../../protocol/back-off.ts'
import { readBounded, type UpstreamClient, type UpstreamResponse } from './upstream-client.ts'

/** Short-lived access tokens in place of an access key. */
export interface AccessTokens {
  /**
   * What to send as bearer now: a token, or the key itself while there is none. Never rejects;
   * while a token is still good, its successor is fetched behind the caller's back.
   */
  readonly bearer: () => Promise<string>
  /** The bearer was answered with 401: it is forgotten. False for the key, which has no successor. */
  readonly refused: (bearer: string) => boolean
}

/** What tokens are made from. */
export interface AccessTokenOptions {
  /** Sends without a credential of its own. */
  readonly client: UpstreamClient
  readonly accessKey: string
  readonly clock: Clock
  /** Told of every new token, so that it can be kept out of logs. */
  readonly learn: (token: string) => void
  /** Told, in a sentence without secrets, when tokens cannot be had. */
  readonly notice: (sentence: string) => void
}

interface Token {
  readonly value: string
  readonly madeAt: number
  readonly renewAt: number
  readonly expiresAt: number
}

const minuteMs = 60_000
/** docs/services.md#access-tokens: two hours unless asked for more. */
const assumedLifetimeMs = 120 * minuteMs
const maxTokenBytes = 16 * 1024

/**
 * Makes tokens by `POST /api/auth/token` (docs/services.md#access-tokens), one request at a time,
 * each renewed after four fifths of its life. Where tokens are refused the key itself serves, and
 * none is asked for again for a while: 10 minutes after an answer that says no, a minute after one
 * that refuses the key, 30 seconds (or what Retry-After says) after a fault.
 */
export function createAccessTokens(options: AccessTokenOptions): AccessTokens {
  const { accessKey, clock } = options
  const state: { token: Token | null; request: Promise<void> | null; notBefore: number } = {
    token: null,
    request: null,
    notBefore: 0,
  }

  const renew = async (): Promise<void> => {
    const outcome = await requestToken(options)
    if (typeof outcome === 'string') {
      options.learn(outcome)
      state.token = tokenOf(outcome, clock.now())
    } else {
      options.notice(outcome.sentence)
      state.notBefore = clock.now() + outcome.waitMs
    }
    state.request = null
  }

  return {
    bearer: async () => {
      const now = clock.now()
      const { token } = state
      if (token !== null && now < token.renewAt) return token.value
      if (now >= state.notBefore) state.request ??= renew()
      if (token !== null && now < token.expiresAt) return token.value
      await state.request
      return state.token !== null && clock.now() < state.token.expiresAt
        ? state.token.value
        : accessKey
    },
    refused: (bearer) => {
      if (bearer === accessKey) return false
      const { token } = state
      if (token?.value !== bearer) return true
      state.token = null
      // A server that refuses what it has just made would be asked again and again.
      if (clock.now() - token.madeAt < minuteMs) state.notBefore = clock.now() + 10 * minuteMs
      return true
    },
  }
}

interface NoToken {
  readonly waitMs: number
  readonly sentence: string
}

async function requestToken(options: AccessTokenOptions): Promise<string | NoToken> {
  try {
    const answer = await options.client.request({
      path: accessTokenPath(),
      method: 'POST',
      headers: { authorization: `Bearer ${options.accessKey}`, accept: 'text/plain, */*;q=0.1' },
    })
    if (answer.status !== 200 && answer.status !== 201) {
      answer.cancel()
      return noToken(answer, options.clock.now())
    }
    return tokenIn((await readBounded(answer, maxTokenBytes)).toString('utf8')) ?? notAToken
  } catch (error) {
    return error instanceof RangeError ? notAToken : notReached
  }
}

const notAToken: NoToken = {
  waitMs: 10 * minuteMs,
  sentence: "The server's response isn't an access token. Using the access key itself.",
}

const notReached: NoToken = {
  waitMs: minuteMs / 2,
  sentence: 'Requesting an access token failed. Using the access key itself.',
}

function noToken(answer: UpstreamResponse, now: number): NoToken {
  const { status } = answer
  const sentence = `The server doesn't issue access tokens (${status}). Using the access key itself.`
  if (status === 401)
    return { waitMs: minuteMs, sentence: 'The server rejects the access key (401).' }
  if (status < 500 && status !== 429) return { waitMs: 10 * minuteMs, sentence }
  return { waitMs: retryAfterMs(answer.header('retry-after'), now) ?? minuteMs / 2, sentence }
}

/** The token of an answer that is one, also in the quotes of JSON; null for a page or anything else. */
function tokenIn(body: string): string | null {
  const text = body.trim().replace(/^"(.*)"$/, '$1')
  return /^[\w.~+/=-]{8,8192}$/.test(text) ? text : null
}

const Lifetime = z.object({ exp: z.number(), iat: z.number().optional() })

function tokenOf(value: string, now: number): Token {
  const lifetimeMs = lifetimeOf(value, now)
  return {
    value,
    madeAt: now,
    renewAt: now + lifetimeMs * 0.8,
    expiresAt: now + lifetimeMs,
  }
}

/** By the token's own times, which are the server's; its clock may differ from the one here. */
function lifetimeOf(token: string, now: number): number {
  const times = Lifetime.safeParse(claimsOf(token))
  if (!times.success) return assumedLifetimeMs
  const { exp, iat } = times.data
  const lifetimeMs = iat === undefined ? exp * 1000 - now : (exp - iat) * 1000
  return Math.max(minuteMs, lifetimeMs)
}

function claimsOf(token: string): unknown {
  try {
    return decodeJwt(token)
  } catch {
    // Opaque tokens are tokens too: their lifetime is assumed.
    return null
  }
}
