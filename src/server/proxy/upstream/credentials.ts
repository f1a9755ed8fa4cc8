import type { Clock } from '../../../protocol/clock.ts'
import type { CredentialState } from '../../../protocol/credential-state.ts'
import { createAccessTokens, expiryOf } from './access-token.ts'
import { createCredentialRecord, type CredentialRecord } from './credential-record.ts'
import { formsOf, type SecretForm, type SecretForms, withoutSecrets } from './mask-secrets.ts'
import type { UpstreamClient, UpstreamRequest, UpstreamResponse } from './upstream-client.ts'

/** A secret as the configuration holds it: it is shown by nobody who does not ask for it. */
interface Sealed {
  readonly reveal: () => string
}

/** Reads the file of a secret again: what it holds now, or what is wrong with it, in a sentence. */
export type Reread = () =>
  | { readonly ok: true; readonly secret: Sealed }
  | { readonly ok: false; readonly mistake: string }

/** What the configuration gives for an upstream; `reread` where it comes from a file. */
export type UpstreamCredential =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'bearer'
      readonly token: Sealed
      readonly reread?: Reread | undefined
      /** When it expires as the configuration has it, epoch ms. */
      readonly expiresAt?: number | undefined
    }
  | {
      readonly kind: 'basic'
      readonly userAndPassword: Sealed
      readonly reread?: Reread | undefined
    }

/** How requests to one upstream are authorized. */
export interface Credentials {
  /** The Authorization header for a path, or null where none is sent. Never rejects. */
  readonly authorization: (path: string) => Promise<string | null>
  /** The Authorization header of the credential itself, which access tokens are made from. */
  readonly own: () => string | null
  /** An answer was 401: whether the same request with a newly asked authorization makes sense. */
  readonly refused: (authorization: string) => boolean
  /** Learns from the response to an authorization; undefined: there was none. */
  readonly answered: (authorization: string, response: UpstreamResponse | undefined) => void
  /** Looks at the file of the secret; true where it has changed. The old one stays redacted. */
  readonly reread: () => boolean
  /** Finds out how the credential stands; false where only another request can show it. Never rejects. */
  readonly check: () => Promise<boolean>
  readonly state: () => CredentialState
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
  ): Promise<UpstreamResponse> => {
    const headers = { ...request.headers, ...(authorization === null ? {} : { authorization }) }
    if (authorization === null) return client.request({ ...request, headers })
    try {
      const response = await client.request({ ...request, headers })
      credentials.answered(authorization, response)
      return response
    } catch (error) {
      // Whoever gave up does not know how the server stands.
      if (request.signal?.aborted !== true) credentials.answered(authorization, undefined)
      throw error
    }
  }
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

/** What credentials stand on. */
export interface CredentialOptions {
  readonly credential: UpstreamCredential
  readonly clock: Clock
  /** Receives, in a sentence without secrets, what an operator should know. */
  readonly notice: (sentence: string) => void
}

/** A credential that is sent as it is. */
export function fixedCredentials(options: CredentialOptions): Credentials {
  const redactor = createRedactor()
  const newRecord = (): CredentialRecord =>
    createCredentialRecord(options.credential.kind, options.clock)
  let record = newRecord()
  const source = createSource(options, redactor.add, () => {
    record = newRecord()
  })
  return {
    authorization: () => {
      source.look()
      return Promise.resolve(source.header())
    },
    own: source.header,
    refused: (authorization) => {
      source.lookNow()
      return authorization !== source.header()
    },
    answered: (_authorization, response) => {
      record.answered(response)
    },
    reread: source.lookNow,
    check: () => Promise.resolve(false),
    state: () => record.state(),
    redact: redactor.redact,
    secrets: redactor.secrets,
  }
}

/** How the build data server is authorized. */
export interface BuildDataCredentialOptions extends CredentialOptions {
  /** Sends without a credential of its own; access tokens are requested through it. */
  readonly client: UpstreamClient
  /** `base64`: the export service takes the base64 of the access key, as old samples send it. */
  readonly exportBearer: 'raw' | 'base64'
}

/**
 * The credentials of the build data server: HTTP Basic as it is; an access key by short-lived
 * tokens made from it (docs/services.md#access-tokens), for the export service as well (a token is
 * usable wherever a key is) unless that wants the key in base64.
 */
export function buildDataCredentials(options: BuildDataCredentialOptions): Credentials {
  return options.credential.kind === 'bearer'
    ? keyCredentials(options, options.credential)
    : fixedCredentials(options)
}

function keyCredentials(
  options: BuildDataCredentialOptions,
  { expiresAt }: Extract<UpstreamCredential, { kind: 'bearer' }>,
): Credentials {
  const redactor = createRedactor()
  const source = createSource(options, redactor.add, () => {
    // The configured time was that of the key before.
    key = keyOf(undefined)
  })
  /** All that belongs to one key: what is found out about a replaced one goes nowhere. */
  const keyOf = (configuredEnd: number | undefined) => {
    const accessKey = source.secret()
    const record = createCredentialRecord('access-key', options.clock)
    record.expires(expiryOf(accessKey, configuredEnd))
    const tokens = createAccessTokens({ ...options, accessKey, record, learn: redactor.learn })
    const encoded = `Bearer ${Buffer.from(accessKey, 'utf8').toString('base64')}`
    return { record, tokens, encoded }
  }
  let key = keyOf(expiresAt)
  const isOwn = (authorization: string): boolean =>
    authorization === source.header() || authorization === key.encoded
  return {
    authorization: async (path) => {
      source.look()
      return options.exportBearer === 'base64' && path.startsWith('/build-export/')
        ? key.encoded
        : `Bearer ${await key.tokens.bearer()}`
    },
    own: source.header,
    refused: (authorization) =>
      source.lookNow() || (!isOwn(authorization) && key.tokens.refused(authorization.slice(7))),
    answered: (authorization, response) => {
      if (isOwn(authorization)) key.record.answered(response)
    },
    reread: source.lookNow,
    check: () => key.tokens.check(),
    state: () => key.record.state(),
    redact: redactor.redact,
    secrets: redactor.secrets,
  }
}

/** Where a secret comes from: it is looked for again at most once a second, and when refused. */
interface Source {
  readonly secret: () => string
  readonly header: () => string | null
  readonly look: () => void
  readonly lookNow: () => boolean
}

const lookAgainMs = 1000

function createSource(
  { credential, clock, notice }: CredentialOptions,
  add: (secret: string) => void,
  replaced: () => void,
): Source {
  let secret = secretOf(credential)
  let lookedAt = clock.now()
  let lastMistake: string | undefined
  if (secret !== '') add(secret)

  const lookNow = (): boolean => {
    if (credential.kind === 'none' || credential.reread === undefined) return false
    lookedAt = clock.now()
    const read = credential.reread()
    if (!read.ok) {
      // The old one serves on: a file is often replaced in two steps.
      if (read.mistake !== lastMistake) notice(`${read.mistake} Using the last one that was read.`)
      lastMistake = read.mistake
      return false
    }
    lastMistake = undefined
    if (read.secret.reveal() === secret) return false
    secret = read.secret.reveal()
    add(secret)
    notice('A secret file has changed. Using the new secret.')
    replaced()
    return true
  }
  return {
    secret: () => secret,
    header: () => headerOf(credential.kind, secret),
    look: () => {
      if (clock.now() - lookedAt >= lookAgainMs) lookNow()
    },
    lookNow,
  }
}

function secretOf(credential: UpstreamCredential): string {
  switch (credential.kind) {
    case 'none':
      return ''
    case 'bearer':
      return credential.token.reveal()
    case 'basic':
      return credential.userAndPassword.reveal()
  }
}

function headerOf(kind: UpstreamCredential['kind'], secret: string): string | null {
  switch (kind) {
    case 'none':
      return null
    case 'bearer':
      return `Bearer ${secret}`
    case 'basic':
      // RFC 7617, with the UTF-8 that servers expect today.
      return `Basic ${Buffer.from(secret, 'utf8').toString('base64')}`
  }
}

/** Keeps secrets out of what is shown or logged. */
export interface Redactor {
  /** A text with every known secret in it replaced by `[secret]`. */
  readonly redact: (text: string) => string
  /** Every known secret in every form. */
  readonly secrets: SecretForms
  /** Adds a secret for good: a key that was replaced stays one while its server accepts it. */
  readonly add: (secret: string) => void
  /** Adds a secret that does not last, such as an access token; the newest 16 are kept. */
  readonly learn: (secret: string) => void
}

const learntSecrets = 16

/**
 * A redactor that knows secrets in every form that `formsOf` names. What merely looks like a
 * credential (an Authorization value, a user and password in an address) is replaced too.
 */
export function createRedactor(): Redactor {
  let lasting: readonly string[] = []
  let learnt: readonly string[] = []
  let all: readonly SecretForm[] = []
  const change = (): void => {
    all = formsOf([...lasting, ...learnt])
  }
  return {
    secrets: () => all,
    redact: (text) =>
      withoutSecrets(text, all, () => '[secret]')
        .replace(/\b(Bearer|Basic|HMAC)\s+[\w.~+/=-]{4,}/gi, '$1 [secret]')
        .replace(/(:\/\/)[^\s/@"']+@/g, '$1[secret]@'),
    add: (secret) => {
      lasting = [...lasting, secret]
      change()
    },
    learn: (secret) => {
      learnt = [...learnt, secret].slice(-learntSecrets)
      change()
    },
  }
}
