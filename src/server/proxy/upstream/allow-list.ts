import { problem, problemError, ProblemError } from '../../../protocol/problem.ts'

/** What a query key may hold. */
export interface QueryRule {
  /** What its value must look like; anything of at most 4,096 characters unless told. */
  readonly value?: RegExp
  /** May be given more than once. */
  readonly repeated?: boolean
}

/** One documented operation of an upstream that browsers may use through the proxy. */
export interface Route {
  readonly method: 'GET' | 'POST'
  /** The whole path; `:name` stands for one segment that matches the parameter of that name. */
  readonly pattern: string
  /** The query keys that are sent on. */
  readonly query: Readonly<Record<string, QueryRule>>
  /** How long the upstream may take to begin its answer, ms. */
  readonly headersTimeoutMs: number
  /** Nothing but 200 with data is a success: what is accepted, partial or empty says nothing yet. */
  readonly needsData?: boolean
  /** What it did can't be undone: once it was sent, no response may say that it wasn't. */
  readonly isFinal?: boolean
}

/** All that may be asked of one upstream, and what its path parameters look like, decoded. */
export interface AllowList {
  /** What people call the upstream. */
  readonly name: string
  readonly routes: readonly Route[]
  readonly parameters: Readonly<Record<string, RegExp>>
}

/** A request that is allowed: its route, and the path and query as they are sent. */
export interface Allowed {
  readonly route: Route
  readonly path: string
}

const longestValue = 4096

/**
 * Finds the one route that a request is for and spells the path that is sent from its decoded parts:
 * what is matched is what is sent. Throws a ProblemError: 404 that lists what there is, 405 with the
 * methods of the path, 400 that names a query key which is unknown, repeated or badly filled.
 */
export function allowedRequest(
  list: AllowList,
  method: string,
  segments: readonly string[],
  query: string,
): Allowed {
  const here = routesAt(list, segments)
  const route = here.find((candidate) => candidate.method === method)
  if (route === undefined) {
    throw new ProblemError(here.length === 0 ? notFound(list) : methodNotAllowed(here))
  }
  const path = segments.map((segment) => `/${encodeSegment(segment)}`).join('')
  return { route, path: `${path}${allowedQuery(route, query)}` }
}

/** The operations whose path it is, by any method; decoded segments without the proxy's prefix. */
export function routesAt(list: AllowList, segments: readonly string[]): readonly Route[] {
  return list.routes.filter(({ pattern }) => matches(pattern, segments, list.parameters))
}

/** The pattern of the operation that a path is of, to name it without what is in it. */
export function patternOf(list: AllowList, method: string, path: string): string {
  const plain = path.replace(/\?.*$/s, '')
  const segments = segmentsOf(plain)
  const route = routesAt(list, segments).find((candidate) => candidate.method === method)
  return route?.pattern.replace(':exportVersion', segments[1] ?? '') ?? plain
}

function matches(
  pattern: string,
  segments: readonly string[],
  parameters: AllowList['parameters'],
): boolean {
  const parts = pattern.slice(1).split('/')
  return (
    parts.length === segments.length &&
    parts.every((part, index) => {
      const segment = segments[index] ?? ''
      return part.startsWith(':')
        ? parameters[part.slice(1)]?.test(segment) === true
        : part === segment
    })
  )
}

function allowedQuery(route: Route, query: string): string {
  const parts: string[] = []
  const seen = new Set<string>()
  for (const [key, value] of new URLSearchParams(query)) {
    const rule = Object.hasOwn(route.query, key) ? route.query[key] : undefined
    if (rule === undefined) throw badQuery(`Unknown query parameter "${short(key)}".`)
    if (seen.has(key) && rule.repeated !== true) {
      throw badQuery(`The query parameter "${key}" may be given only once.`)
    }
    if (value.length > longestValue || rule.value?.test(value) === false) {
      throw badQuery(`The value of the query parameter "${key}" isn't allowed.`)
    }
    seen.add(key)
    parts.push(value === '' ? key : `${key}=${encodeValue(value)}`)
  }
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

/** Colons stay as the services write them (`sha256:…`); all else is encoded. */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replaceAll('%3A', ':')
}

/** Commas stay, as lists of event types are documented with them. */
function encodeValue(value: string): string {
  return encodeURIComponent(value).replaceAll('%2C', ',')
}

function short(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text
}

function badQuery(detail: string): ProblemError {
  return problemError(400, 'bad-query', 'Bad query', detail)
}

function notFound(list: AllowList): ReturnType<typeof problem> {
  const known = list.routes.map(({ method, pattern }) => `${method} ${pattern}`).join(', ')
  return problem(
    404,
    'not-forwarded',
    'Not found',
    `The proxy doesn't forward this path to the ${list.name}. It forwards: ${known}.`,
  )
}

function methodNotAllowed(here: readonly Route[]): ReturnType<typeof problem> {
  const allow = [...new Set(here.map(({ method }) => method))]
  return problem(
    405,
    'method-not-allowed',
    'Method not allowed',
    `This path accepts ${allow.join(' and ')} requests only.`,
    { allow },
  )
}

/** A request target taken apart, in its one canonical spelling. */
export interface CanonicalTarget {
  /** As it came, without the query; begins with a slash. */
  readonly path: string
  /** The parts of the path, each percent-decoded once. */
  readonly segments: readonly string[]
  /** As it came, without the question mark; empty where there was none. */
  readonly query: string
}

/** A target, or why it is refused: the HTTP status and a plain sentence. */
export type TargetCheck =
  | { readonly ok: true; readonly target: CanonicalTarget }
  | { readonly ok: false; readonly status: 400 | 414; readonly mistake: string }

const maxTargetLength = 8192

/**
 * Accepts a raw request target only in the one spelling that everybody on the way reads alike, so
 * that what is checked is what is served and sent on: a path from the root (no absolute address),
 * without fragment, backslash, control characters, empty or dot segments, and without percent
 * codes that are broken, needless (`%61`), doubled (`%252e`) or hide a control character. An encoded
 * slash (`%2F`) is accepted in package addresses only (`/packages/…`, here and below the governor's
 * prefix), whose namespaces may hold one; it must not surround a dot segment either. At most 8 KiB.
 */
export function canonicalTarget(raw: string): TargetCheck {
  if (raw.length > maxTargetLength) {
    return {
      ok: false,
      status: 414,
      mistake: `The URL is longer than ${maxTargetLength} characters.`,
    }
  }
  const mark = raw.indexOf('?')
  const path = mark === -1 ? raw : raw.slice(0, mark)
  const mistake = mistakeInText(raw) ?? mistakeInPath(path)
  if (mistake !== null) return { ok: false, status: 400, mistake }
  const query = mark === -1 ? '' : raw.slice(mark + 1)
  return { ok: true, target: { path, segments: segmentsOf(path), query } }
}

/** The target of an absolute address that the HTTP server has put together, as it was sent. */
export function targetOf(url: string): string {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  return start === -1 ? '/' : url.slice(start)
}

function mistakeInText(raw: string): string | null {
  if (!raw.startsWith('/')) {
    return 'The request target must be a path that starts with a slash, not a full URL.'
  }
  if (/[^\x21-\x7e]/.test(raw)) {
    return "The URL contains a space, a control character or a letter that isn't percent-encoded."
  }
  if (raw.includes('#')) return 'The URL contains a fragment ("#"), which browsers don\'t send.'
  return null
}

function mistakeInPath(path: string): string | null {
  if (path.includes('\\')) return 'The path contains a backslash.'
  if (/[<>"`{}]/.test(path)) return 'The path contains a character that must be percent-encoded.'
  if (path.includes('//')) return 'The path contains an empty segment ("//").'
  if (/%(?![0-9a-f]{2})/i.test(path)) return 'The path contains a broken percent code.'
  if (needlesslyEncoded.test(path)) {
    return 'The path contains a percent code for a letter, a digit or one of "-._~": write the character itself.'
  }
  const slashes = packagePath.test(path)
  for (const segment of path.split('/')) {
    const mistake = mistakeInSegment(segment, slashes)
    if (mistake !== null) return mistake
  }
  return null
}

function mistakeInSegment(segment: string, slashes: boolean): string | null {
  const text = decoded(segment)
  if (text === null) return "The path contains percent codes that aren't UTF-8."
  if (hasControlCharacter(text)) return 'The path contains an encoded control character.'
  if (text.includes('\\')) return 'The path contains an encoded backslash.'
  if (/%(?:[0-9a-f]{2}|[./\\])/i.test(text)) return 'The path is percent-encoded twice.'
  if (text.includes('/') && !slashes) return 'The path contains an encoded slash.'
  const parts = text.split('/')
  if (parts.some((part) => part === '.' || part === '..')) {
    return 'The path contains a dot segment ("." or "..").'
  }
  if (parts.length > 1 && parts.includes('')) {
    return 'The path contains an encoded slash with nothing before or after it.'
  }
  return null
}

/** Percent codes of the unreserved characters (RFC 3986 section 2.3), which need none. */
const needlesslyEncoded = /%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/i

const packagePath = /^\/(?:upstream\/governor\/)?packages\//

function hasControlCharacter(text: string): boolean {
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return true
  }
  return false
}

function segmentsOf(path: string): readonly string[] {
  return path
    .slice(1)
    .split('/')
    .map((segment) => decodeURIComponent(segment))
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}
