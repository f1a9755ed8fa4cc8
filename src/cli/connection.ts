import { accessTokenPattern } from '../protocol/access-token.ts'
import { isLoopback } from '../protocol/loopback.ts'

/** Who is asked. */
export type Connection =
  /** A Sightline server, which has a credential of its own for the service. */
  | { readonly to: 'server'; readonly url: URL; readonly credential: Credential | undefined }
  /** The attestation and policy scan service itself. */
  | { readonly to: 'service'; readonly url: URL; readonly credential: Credential | undefined }

/** To a Sightline server. */
export type ServerConnection = Extract<Connection, { to: 'server' }>

/** What it is shown, as the value of an Authorization header. */
export interface Credential {
  readonly authorization: string
  /** The setting that it came from, for what is told of it. */
  readonly setting: string
  /** Every text that must never be shown. */
  readonly secrets: readonly string[]
}

/** A connection, or what is wrong: sentences without a secret in them. */
export type ConnectionReading =
  | { readonly ok: true; readonly connection: Connection }
  | { readonly ok: false; readonly mistakes: readonly string[] }

type Environment = Readonly<Record<string, string | undefined>>
type ReadFile = (path: string) => string

/**
 * Reads who is asked: the Sightline server of `--server` or `SIGHTLINE_URL` with the access
 * token `SIGHTLINE_TOKEN`, else the service at
 * `SIGHTLINE_GOVERNOR_URL` with `SIGHTLINE_GOVERNOR_BASIC` or `SIGHTLINE_GOVERNOR_BEARER`. Each
 * variable has a twin with `_FILE` that names a file; an empty one counts as not set. A credential
 * travels over http:// only within this machine.
 */
export function readConnection(
  server: string | undefined,
  environment: Environment,
  readFile: ReadFile,
): ConnectionReading {
  const mistakes: string[] = []
  const setting = (name: string): string | undefined =>
    readSetting(name, environment, readFile, mistakes)
  const told = server ?? setting('SIGHTLINE_URL')
  if (told !== undefined) {
    const url = readAddress(server === undefined ? 'SIGHTLINE_URL' : '--server', told, mistakes)
    const credential = readToken(setting('SIGHTLINE_TOKEN'), mistakes)
    if (url && credential !== undefined && url.protocol === 'http:' && !isLoopback(url.hostname)) {
      mistakes.push(
        'The URL of the Sightline server starts with http://, so others on the network could read the access token. Use https://.',
      )
    }
    return url === undefined || mistakes.length > 0
      ? { ok: false, mistakes }
      : { ok: true, connection: { to: 'server', url, credential } }
  }
  const address = setting('SIGHTLINE_GOVERNOR_URL')
  const basic = setting('SIGHTLINE_GOVERNOR_BASIC')
  const bearer = setting('SIGHTLINE_GOVERNOR_BEARER')
  const credential = readCredential(basic, bearer, mistakes)
  if (address === undefined && mistakes.length === 0) {
    mistakes.push(
      'No server is configured. Set SIGHTLINE_GOVERNOR_URL to the URL of the policy service, or use --server (SIGHTLINE_URL) for a Sightline server.',
    )
  }
  const url = address && readAddress('SIGHTLINE_GOVERNOR_URL', address, mistakes)
  if (url && credential !== undefined && url.protocol === 'http:' && !isLoopback(url.hostname)) {
    mistakes.push(
      'SIGHTLINE_GOVERNOR_URL starts with http://, so others on the network could read the credential. Use https://.',
    )
  }
  return url && mistakes.length === 0
    ? { ok: true, connection: { to: 'service', url, credential } }
    : { ok: false, mistakes }
}

/** Reads the Sightline server as above, and none other; undefined, and why in `mistakes`, without one. */
export function readServer(
  server: string | undefined,
  environment: Environment,
  readFile: ReadFile,
  mistakes: string[],
): ServerConnection | undefined {
  const isNamed = [server, environment.SIGHTLINE_URL, environment.SIGHTLINE_URL_FILE].some(
    (one) => one !== undefined && one !== '',
  )
  if (!isNamed) {
    mistakes.push(
      'No server is configured. Set SIGHTLINE_URL to a Sightline server, or use --server.',
    )
    return undefined
  }
  const read = readConnection(server, environment, readFile)
  if (!read.ok) mistakes.push(...read.mistakes)
  return read.ok && read.connection.to === 'server' ? read.connection : undefined
}

function readSetting(
  name: string,
  environment: Environment,
  readFile: ReadFile,
  mistakes: string[],
): string | undefined {
  const value = filled(environment[name])
  const path = filled(environment[`${name}_FILE`])
  if (value !== undefined && path !== undefined)
    mistakes.push(`Set ${name} or ${name}_FILE, not both.`)
  if (path === undefined) return value
  try {
    // A byte order mark is what an editor wrote.
    const text = readFile(path).replace(/^\uFEFF|\r?\n$/g, '')
    if (text === '') mistakes.push(`${name}_FILE: the file is empty.`)
    return filled(text)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    mistakes.push(`${name}_FILE: can't read the file${code}.`)
    return undefined
  }
}

/** Shells and files of pipelines make it easy to leave a variable empty. */
function filled(value: string | undefined): string | undefined {
  return value === '' ? undefined : value
}

/** The value is not repeated: it may hold a password where none belongs. */
function readAddress(name: string, text: string, mistakes: string[]): URL | undefined {
  const isWeb = /^https?:\/\//i.test(text)
  const url = isWeb && URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) {
    mistakes.push(
      `${name} must be a URL ${isWeb ? 'with a host, and a port of at most 65535 if any' : 'that starts with https:// or http://'}.`,
    )
  } else if (url.username !== '' || url.password !== '') {
    mistakes.push(`${name} must be a URL without a user name and password.`)
  } else if (url.search !== '' || url.hash !== '') {
    mistakes.push(`${name} must be a URL without a query or fragment.`)
  } else return url
  return undefined
}

/** An access token of the Sightline server. */
function readToken(token: string | undefined, mistakes: string[]): Credential | undefined {
  if (token === undefined) return undefined
  if (!accessTokenPattern.test(token)) {
    mistakes.push('SIGHTLINE_TOKEN must be an access token of Sightline: slt_ and 43 characters.')
  }
  return { authorization: `Bearer ${token}`, setting: 'SIGHTLINE_TOKEN', secrets: [token] }
}

function readCredential(
  basic: string | undefined,
  bearer: string | undefined,
  mistakes: string[],
): Credential | undefined {
  if (basic !== undefined && bearer !== undefined) {
    mistakes.push('Set SIGHTLINE_GOVERNOR_BASIC or SIGHTLINE_GOVERNOR_BEARER, not both.')
  }
  if (basic !== undefined) {
    const colon = basic.indexOf(':')
    if (colon < 1 || colon === basic.length - 1) {
      mistakes.push('SIGHTLINE_GOVERNOR_BASIC must have the form user:password.')
      return undefined
    }
    const encoded = Buffer.from(basic, 'utf8').toString('base64')
    return {
      authorization: `Basic ${encoded}`,
      setting: 'SIGHTLINE_GOVERNOR_BASIC',
      secrets: [encoded, basic, basic.slice(colon + 1)],
    }
  }
  if (bearer === undefined) return undefined
  if (!/^[\x21-\x7e]+$/.test(bearer)) {
    mistakes.push('SIGHTLINE_GOVERNOR_BEARER must be a token without spaces or line breaks.')
  }
  return {
    authorization: `Bearer ${bearer}`,
    setting: 'SIGHTLINE_GOVERNOR_BEARER',
    secrets: [bearer],
  }
}
