/** A package URL cut at its version: enough to tell one package from another. */
export interface PurlParts {
  /** Type, namespace, name, qualifiers and subpath: what names the package, as written. */
  readonly package: string
  /** As written, percent-encoding and all; "" where there is none. */
  readonly version: string
}

/**
 * Cuts a package URL at its version, or says undefined where it is none. Nothing is decoded or made
 * canonical: two spellings of one package count as two (scheme and type aside, which have no case).
 */
export function purlParts(text: string): PurlParts | undefined {
  const match = scheme.exec(text)
  if (!match || text.length > longest) return undefined
  const rest = text.slice(match[0].length)
  const tail = rest.search(/[?#]/)
  const path = tail === -1 ? rest : rest.slice(0, tail)
  const slash = path.indexOf('/')
  // An @ before the last slash belongs to a scope: pkg:npm/@scope/name.
  const at = path.lastIndexOf('@')
  const hasVersion = at > path.lastIndexOf('/') + 1
  const name = hasVersion ? path.slice(0, at) : path
  if (slash === -1 || name.endsWith('/')) return undefined
  const qualifiers = tail === -1 ? '' : rest.slice(tail)
  const named = `pkg:${name.slice(0, slash).toLowerCase()}${name.slice(slash)}${qualifiers}`
  return { package: named, version: hasVersion ? path.slice(at + 1) : '' }
}

/** What is wrong with a package URL as a sentence, or undefined where nothing is. */
export function purlProblem(text: string): string | undefined {
  if (text.length > longest)
    return `This package URL has ${text.length} characters; none is so long.`
  if (purlParts(text) === undefined)
    return 'This is no package URL (pkg:type/namespace/name@version).'
  if (/%(?![0-9a-f]{2})/i.test(text)) return 'A percent sign in it is not followed by two digits.'
  if (/%2f/i.test(text.split(/[?#]/, 1)[0] ?? '')) {
    return 'It hides a slash ("%2F") in a part of its path, which may mislead.'
  }
  return /[\s<>"]/.test(text) ? 'It has characters that a package URL must encode.' : undefined
}

/** Longer than any that were ever seen, by far. */
const longest = 4_096
const scheme = /^pkg:\/{0,2}(?=[A-Za-z][A-Za-z0-9.+-]*\/)/i
