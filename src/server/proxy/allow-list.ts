import { problem, ProblemError } from '../../protocol/problem.ts'

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
  const here = list.routes.filter(({ pattern }) => matches(pattern, segments, list.parameters))
  const route = here.find((candidate) => candidate.method === method)
  if (route === undefined) {
    throw new ProblemError(here.length === 0 ? notFound(list) : methodNotAllowed(here))
  }
  const path = segments.map((segment) => `/${encodeSegment(segment)}`).join('')
  return { route, path: `${path}${allowedQuery(route, query)}` }
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
    if (rule === undefined) throw badQuery(`The query key "${short(key)}" is not known here.`)
    if (seen.has(key) && rule.repeated !== true) {
      throw badQuery(`The query key "${key}" may be given only once.`)
    }
    if (value.length > longestValue || rule.value?.test(value) === false) {
      throw badQuery(`The value of the query key "${key}" is not one that it may have.`)
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
  return new ProblemError(problem(400, 'bad-query', 'Bad query', detail))
}

function notFound(list: AllowList): ReturnType<typeof problem> {
  const known = list.routes.map(({ method, pattern }) => `${method} ${pattern}`).join(', ')
  return problem(
    404,
    'not-forwarded',
    'Not found',
    `The proxy does not know this address of the ${list.name}. It forwards: ${known}.`,
  )
}

function methodNotAllowed(here: readonly Route[]): ReturnType<typeof problem> {
  const allow = [...new Set(here.map(({ method }) => method))]
  return problem(
    405,
    'method-not-allowed',
    'Method not allowed',
    `This address takes ${allow.join(' and ')} requests only.`,
    { allow },
  )
}
