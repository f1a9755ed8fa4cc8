import { decodeJwt } from 'jose'
import { z } from 'zod'
import { retryAfterMs } from '../../../protocol/back-off.ts'
import { accessTokenPath, type AccessTokenRequest } from '../../../protocol/build-data.ts'
import { type Clock, hourMs, minuteMs } from '../../../protocol/clock.ts'
import type { CredentialRecord, Expiry } from './credential-record.ts'
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
  /**
   * Renews the token at once, which shows how the key stands and what it may, and finds out twice a
   * day whether it lasts another day. False where the response says nothing of the key. Never rejects.
   */
  readonly check: () => Promise<boolean>
}

/** What tokens are made from. */
export interface AccessTokenOptions {
  /** Sends without a credential of its own. */
  readonly client: UpstreamClient
  readonly accessKey: string
  readonly clock: Clock
  /** How the key stands, as the responses show it. */
  readonly record: CredentialRecord
  /** Receives every new token, so that it can be kept out of logs. */
  readonly learn: (token: string) => void
  /** Receives, in a sentence without secrets, when tokens cannot be had. */
  readonly notice: (sentence: string) => void
}

interface Token {
  readonly value: string
  readonly madeAt: number
  readonly renewAt: number
  readonly expiresAt: number
}

/** docs/services.md#access-tokens: two hours, or what the key has left. */
const defaultLifetimeMs = 2 * hourMs
const longestLifetimeHours = 24
const maxTokenBytes = 16 * 1024

/**
 * All that Sightline does with a token (docs/services.md#permissions): reading builds, also those
 * of no project.
 */
const needed = [
  'exportData',
  'accessBuildDataViaApi',
  'accessDataWithoutAssociatedProject',
] as const
const indispensable = 'exportData'

/**
 * Makes tokens by `POST /api/auth/token` (docs/services.md#access-tokens), one request at a time,
 * each renewed after four fifths of its life. They are limited to the permissions that are needed,
 * as far as the server grants them. Where tokens are refused the key itself serves, and none is
 * requested for a while: 10 minutes after a response that says no, a minute after one that refuses
 * the key, 30 seconds (or what Retry-After says) after a fault.
 */
export function createAccessTokens(options: AccessTokenOptions): AccessTokens {
  const { accessKey, clock, record } = options
  const state: {
    token: Token | null
    request: Promise<boolean> | null
    notBefore: number
    /** The permissions to request; null for all that the key has. */
    scope: readonly string[] | null
    probed: { readonly at: number; readonly lifetimeMs: number } | null
  } = { token: null, request: null, notBefore: 0, scope: needed, probed: null }
  const ownEnd = endOf(record)

  const renew = async (): Promise<boolean> => {
    const outcome = await requestScoped()
    if (outcome.kind === 'token') {
      options.learn(outcome.value)
      state.token = tokenOf(outcome.value, clock.now())
      record.checked('valid')
    } else {
      options.notice(outcome.sentence)
      if (outcome.state !== undefined) record.checked(outcome.state)
      state.notBefore = clock.now() + outcome.waitMs
    }
    state.request = null
    return outcome.kind === 'token' || outcome.state !== undefined
  }

  /** Requests a token, with less permissions or with all where the server refuses some. */
  const requestScoped = async (): Promise<Granted | NoToken> => {
    const refused = new Set<string>()
    for (;;) {
      const { scope } = state
      const outcome = await requestToken(options, scope === null ? {} : { permissions: scope })
      if (outcome.kind === 'token') {
        sayGranted(scope, [...refused])
        return outcome
      }
      if (scope === null || !isRefusedRequest(outcome)) {
        if (scope === null) state.scope = needed
        return outcome
      }
      const named = scope.filter((permission) => mentions(outcome.text, permission))
      for (const permission of named) refused.add(permission)
      const rest = scope.filter((permission) => !named.includes(permission))
      state.scope = named.length > 0 && rest.includes(indispensable) ? rest : null
    }
  }

  const sayGranted = (scope: readonly string[] | null, refused: readonly string[]): void => {
    const known = record.state().permissions?.missing ?? []
    const missing = scope === null ? refused : [...new Set([...known, ...refused])]
    if (scope !== null || missing.length > 0) {
      record.granted({ granted: scope === null ? null : [...scope], missing: [...missing] })
    }
    const notice = scope === null ? noticeOf(missing) : null
    if (notice !== null && notice !== record.state().notice) options.notice(notice)
    record.noticed(notice)
  }

  /**
   * An explicit lifetime beyond the key's is refused, and without one a token lives as long as the
   * key at most (docs/services.md#access-tokens): the only signs that a key is about to expire.
   */
  const probe = async ({ madeAt, expiresAt }: Token): Promise<void> => {
    const now = clock.now()
    const lifetimeMs = expiresAt - madeAt
    const { probed } = state
    const isShorter = probed !== null && lifetimeMs < probed.lifetimeMs - minuteMs
    if (probed !== null && !isShorter && now - probed.at < 12 * hourMs) return
    state.probed = { at: now, lifetimeMs }
    const outcome = await requestToken(options, {
      ...(state.scope === null ? {} : { permissions: state.scope }),
      expiresInHours: longestLifetimeHours,
    })
    if (outcome.kind === 'token') {
      options.learn(outcome.value)
      record.expires(ownEnd)
    } else if (outcome.status === 403) {
      const isShort = lifetimeMs < defaultLifetimeMs - minuteMs
      const known = [endOf(record), isShort ? { at: expiresAt, isLatest: false } : undefined]
      record.expires(earliest([endIn(outcome.text, now), ...known]))
    }
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
      // A server that refuses what it has just made would be requested again and again.
      if (clock.now() - token.madeAt < minuteMs) state.notBefore = clock.now() + 10 * minuteMs
      return true
    },
    check: async () => {
      if (state.request === null) {
        // What the server refused before may be granted by now.
        state.scope = needed
        record.granted(null)
        state.request = renew()
      }
      const isKnown = await state.request
      if (state.token !== null) await probe(state.token)
      return isKnown
    },
  }
}

function noticeOf(missing: readonly string[]): string {
  return missing.includes(indispensable)
    ? `The access key's user doesn't have the permission "Export API" (${indispensable}), which the live feed needs.`
    : 'The build server refuses access tokens with only the permissions that Sightline needs, so they have all permissions of the access key.'
}

function endOf(record: CredentialRecord): Expiry | undefined {
  const { expiresAt, expiresEarlier } = record.state()
  return expiresAt === null ? undefined : { at: expiresAt, isLatest: expiresEarlier }
}

function earliest(ends: readonly (Expiry | undefined)[]): Expiry | undefined {
  return ends.reduce(
    (first, end) => (end !== undefined && end.at < (first?.at ?? Infinity) ? end : first),
    undefined,
  )
}

/** Whether a response names something, and not only as a part of a longer name. */
export function mentions(text: string, name: string): boolean {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`).test(text)
}

interface Granted {
  readonly kind: 'token'
  readonly value: string
}

interface NoToken {
  readonly kind: 'none'
  /** Undefined: no response. */
  readonly status: number | undefined
  /** What the response to a refused request says; never shown or logged. */
  readonly text: string
  readonly state: 'refused' | 'unreachable' | undefined
  readonly waitMs: number
  readonly sentence: string
}

function isRefusedRequest({ status }: NoToken): boolean {
  return status === 403 || status === 400
}

async function requestToken(
  options: AccessTokenOptions,
  request: AccessTokenRequest,
): Promise<Granted | NoToken> {
  try {
    const answer = await options.client.request({
      path: accessTokenPath(request),
      method: 'POST',
      headers: { authorization: `Bearer ${options.accessKey}`, accept: 'text/plain, */*;q=0.1' },
    })
    if (answer.status !== 200 && answer.status !== 201) return await noToken(answer, options.clock)
    const token = tokenIn((await readBounded(answer, maxTokenBytes)).toString('utf8'))
    return token === null ? notAToken : { kind: 'token', value: token }
  } catch (error) {
    return error instanceof RangeError ? notAToken : notReached
  }
}

const notAToken: NoToken = {
  kind: 'none',
  status: 200,
  text: '',
  state: undefined,
  waitMs: 10 * minuteMs,
  sentence: "The server's response isn't an access token. Using the access key itself.",
}

const notReached: NoToken = {
  kind: 'none',
  status: undefined,
  text: '',
  state: 'unreachable',
  waitMs: minuteMs / 2,
  sentence: 'Requesting an access token failed. Using the access key itself.',
}

async function noToken(answer: UpstreamResponse, clock: Clock): Promise<NoToken> {
  const { status } = answer
  const text = await refusalText(answer)
  const base = { kind: 'none', status, text, state: undefined } as const
  if (status === 401) {
    const sentence = 'The server rejects the access key (401).'
    return { ...base, state: 'refused', waitMs: minuteMs, sentence }
  }
  const sentence = `The server doesn't issue access tokens (${status}). Using the access key itself.`
  if (status < 500 && status !== 429) return { ...base, waitMs: 10 * minuteMs, sentence }
  const waitMs = retryAfterMs(answer.header, clock.now()) ?? minuteMs / 2
  return { ...base, state: 'unreachable', waitMs, sentence }
}

/** The body of a refusal, which says what was too much; empty for other responses. */
export async function refusalText(answer: UpstreamResponse): Promise<string> {
  if (answer.status !== 400 && answer.status !== 403) {
    answer.cancel()
    return ''
  }
  try {
    return (await readBounded(answer, maxTokenBytes)).toString('utf8')
  } catch {
    // Cut off or too long: the status alone has to do.
    return ''
  }
}

/** The token of an answer that is one, also in the quotes of JSON; null for a page or anything else. */
export function tokenIn(body: string): string | null {
  const text = body.trim().replace(/^"(.*)"$/, '$1')
  return /^[\w.~+/=-]{8,8192}$/.test(text) ? text : null
}

/**
 * When an access key ends: as it says itself where it is a JWT, or as the configuration has it
 * (epoch ms), whichever is first. Undefined for most keys.
 */
export function expiryOf(accessKey: string, configured?: number): Expiry | undefined {
  const claims = Lifetime.safeParse(claimsOf(accessKey)).data
  const own = claims === undefined ? undefined : Math.max(0, Math.floor(claims.exp * 1000))
  const end = (at: number | undefined): Expiry | undefined =>
    at === undefined ? undefined : { at, isLatest: false }
  return earliest([end(own), end(configured)])
}

/** The end that a refusal names, if it is within the day that was requested; else that day. */
function endIn(text: string, now: number): Expiry {
  const latest = now + longestLifetimeHours * hourMs
  const named = /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?Z/.exec(text)?.[0] ?? ''
  const at = Date.parse(named)
  return at > now && at < latest ? { at, isLatest: false } : { at: latest, isLatest: true }
}

/** The last second of the year 9999: what names a later one, such as the largest integer, never ends. */
const lastSecond = 253_402_300_799
const Lifetime = z.object({ exp: z.number().max(lastSecond), iat: z.number().min(0).optional() })

function tokenOf(value: string, now: number): Token {
  const lifetimeMs = lifetimeOf(value, now)
  return {
    value,
    madeAt: now,
    renewAt: now + lifetimeMs * 0.8,
    expiresAt: now + lifetimeMs,
  }
}

function lifetimeOf(token: string, now: number): number {
  const end = tokenEnd(token, now)
  return end === undefined ? defaultLifetimeMs : Math.max(minuteMs, end - now)
}

/**
 * When a token ends, epoch ms: by its own times, which are the server's, whose clock may differ from
 * the one here. Undefined where it does not say.
 */
export function tokenEnd(token: string, now: number): number | undefined {
  const times = Lifetime.safeParse(claimsOf(token)).data
  if (times === undefined) return undefined
  const { exp, iat } = times
  return Math.max(0, Math.round(iat === undefined ? exp * 1000 : now + (exp - iat) * 1000))
}

function claimsOf(token: string): unknown {
  try {
    return decodeJwt(token)
  } catch {
    // Opaque tokens are tokens too: their lifetime is assumed.
    return null
  }
}
