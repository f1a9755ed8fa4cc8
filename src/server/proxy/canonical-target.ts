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
      mistake: `The address is longer than ${maxTargetLength} characters.`,
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
    return 'The request target must be a path that begins with a slash, not a whole address.'
  }
  if (/[^\x21-\x7e]/.test(raw)) {
    return 'The address holds a space, a control character or a letter that is not percent-encoded.'
  }
  if (raw.includes('#')) return 'The address holds a fragment ("#"), which browsers do not send.'
  return null
}

function mistakeInPath(path: string): string | null {
  if (path.includes('\\')) return 'The path holds a backslash.'
  if (/[<>"`{}]/.test(path)) return 'The path holds a character that must be percent-encoded.'
  if (path.includes('//')) return 'The path holds an empty segment ("//").'
  if (/%(?![0-9a-f]{2})/i.test(path)) return 'The path holds a broken percent code.'
  if (needlesslyEncoded.test(path)) {
    return 'The path holds a percent code for a letter, a digit or one of "-._~": write the character itself.'
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
  if (text === null) return 'The path holds percent codes that are not UTF-8.'
  if (hasControlCharacter(text)) return 'The path holds an encoded control character.'
  if (text.includes('\\')) return 'The path holds an encoded backslash.'
  if (/%(?:[0-9a-f]{2}|[./\\])/i.test(text)) return 'The path is percent-encoded twice.'
  if (text.includes('/') && !slashes) return 'The path holds an encoded slash.'
  const parts = text.split('/')
  if (parts.some((part) => part === '.' || part === '..')) {
    return 'The path holds a dot segment ("." or "..").'
  }
  if (parts.length > 1 && parts.includes('')) {
    return 'The path holds an encoded slash with nothing before or after it.'
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
