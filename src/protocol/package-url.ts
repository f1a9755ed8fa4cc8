/** A package URL taken apart, in its canonical spelling (package-url/purl-spec). */
export interface PackageUrl {
  readonly type: string
  /** Segments joined by slashes; undefined where there is none. */
  readonly namespace: string | undefined
  readonly name: string
  readonly version: string | undefined
  /** In the order of their keys. */
  readonly qualifiers: ReadonlyMap<string, string>
  readonly subpath: string | undefined
}

/** A package URL, or why the text is none: a plain sentence. */
export type PackageUrlReading =
  | { readonly ok: true; readonly purl: PackageUrl }
  | { readonly ok: false; readonly mistake: string }

/** Reads `pkg:maven/org.acme/shop@1.2?type=jar#lib` in any encoding; makes it canonical by the rules of its type. */
export function readPackageUrl(text: string): PackageUrlReading {
  const scheme = /^pkg:\/*/i.exec(text)
  if (scheme === null) return mistake('A package URL starts with "pkg:".')
  const [beforeHash, subpath] = cutLast(text.slice(scheme[0].length), '#')
  const [beforeQuery, query] = cutLast(beforeHash, '?')
  const slash = beforeQuery.indexOf('/')
  if (slash === -1) return mistake('A package URL needs a type and a name: pkg:type/name.')
  const path = beforeQuery.slice(slash + 1)
  const at = versionMark(path)
  const segments = (at === -1 ? path : path.slice(0, at)).split('/').filter((part) => part !== '')
  try {
    return packageUrl({
      type: beforeQuery.slice(0, slash),
      namespace: segments.slice(0, -1).map(decodeURIComponent).join('/'),
      name: decodeURIComponent(segments.at(-1) ?? ''),
      version: at === -1 ? undefined : decodeURIComponent(path.slice(at + 1)),
      qualifiers: readQualifiers(query ?? ''),
      subpath: subpath?.split('/').map(decodeURIComponent).join('/'),
    })
  } catch {
    return mistake("The package URL contains a percent code that isn't UTF-8.")
  }
}

/** The parts of a package URL as somebody has them: not canonical yet, and perhaps wrong. */
export interface PackageUrlParts {
  readonly type: string
  readonly namespace?: string | undefined
  readonly name: string
  readonly version?: string | undefined
  readonly qualifiers?: Iterable<readonly [string, string]>
  readonly subpath?: string | undefined
}

/** Puts a package URL together from its decoded parts, in canonical form. */
export function packageUrl(parts: PackageUrlParts): PackageUrlReading {
  const type = parts.type.toLowerCase()
  if (!/^[a-z][a-z0-9.-]*$/.test(type)) {
    return mistake(
      'The type of a package URL starts with a letter, followed by letters, digits, "." or "-".',
    )
  }
  const qualifiers = new Map<string, string>()
  for (const [given, value] of parts.qualifiers ?? []) {
    const key = given.toLowerCase()
    if (!/^[a-z._-][a-z0-9._-]*$/.test(key)) {
      return mistake(`"${given}" can't be a qualifier key. Use letters, digits, ".", "-" and "_".`)
    }
    if (qualifiers.has(key)) return mistake(`Duplicate qualifier "${key}".`)
    if (value !== '') qualifiers.set(key, value)
  }
  const namespace = noEmptySegments(parts.namespace ?? '')
  const name = trimSlashes(parts.name)
  if (name === '') return mistake('The package URL has no name.')
  const rule = typeRules[type] ?? {}
  const subpath = noEmptySegments(parts.subpath ?? '', ['.', '..'])
  return {
    ok: true,
    purl: {
      type,
      namespace: namespace === '' ? undefined : (rule.spellNamespace?.(namespace) ?? namespace),
      name: rule.spellName?.(name, qualifiers) ?? name,
      version: parts.version === '' ? undefined : parts.version,
      qualifiers: new Map([...qualifiers].sort(([a], [b]) => (a < b ? -1 : 1))),
      subpath: subpath === '' ? undefined : subpath,
    },
  }
}

/** The canonical text of a package URL. */
export function packageUrlText(purl: PackageUrl): string {
  const path = [purl.type, ...(purl.namespace?.split('/') ?? []), purl.name].map(encode).join('/')
  const version = purl.version === undefined ? '' : `@${encode(purl.version)}`
  const qualifiers = [...purl.qualifiers].map(([key, value]) => `${key}=${encode(value)}`).join('&')
  const subpath = purl.subpath?.split('/').map(encode).join('/')
  return `pkg:${path}${version}${qualifiers && `?${qualifiers}`}${subpath ? `#${subpath}` : ''}`
}

interface TypeRule {
  readonly spellNamespace?: (namespace: string) => string
  readonly spellName?: (name: string, qualifiers: ReadonlyMap<string, string>) => string
}

const lower = (text: string): string => text.toLowerCase()

/** Where case or spelling does not tell packages apart (purl-spec, types/*-definition.json). */
const typeRules: Readonly<Record<string, TypeRule>> = {
  alpm: { spellNamespace: lower, spellName: lower },
  apk: { spellNamespace: lower, spellName: lower },
  bitbucket: { spellNamespace: lower, spellName: lower },
  composer: { spellNamespace: lower, spellName: lower },
  deb: { spellNamespace: lower, spellName: lower },
  github: { spellNamespace: lower, spellName: lower },
  golang: { spellNamespace: lower, spellName: lower },
  hex: { spellNamespace: lower, spellName: lower },
  npm: { spellNamespace: lower },
  // purl-spec gives it no namespace, but policy services and other tools do.
  oci: { spellName: lower },
  pypi: { spellName: (name) => name.toLowerCase().replaceAll('_', '-') },
  rpm: { spellNamespace: lower },
}

function readQualifiers(query: string): [string, string][] {
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=')
      return equals === -1
        ? [pair, '']
        : [pair.slice(0, equals), decodeURIComponent(pair.slice(equals + 1))]
    })
}

/** The `@` of the version: not one that begins a segment, as scopes are written so. */
function versionMark(path: string): number {
  const at = path.lastIndexOf('@')
  const beginsSegment = at === 0 || path[at - 1] === '/'
  return beginsSegment && path.includes('/', at) ? -1 : at
}

function encode(text: string): string {
  return encodeURIComponent(text)
    .replaceAll('%3A', ':')
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

function cutLast(text: string, mark: string): [string, string | undefined] {
  const at = text.lastIndexOf(mark)
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

function noEmptySegments(path: string, dropped: readonly string[] = []): string {
  return path
    .split('/')
    .filter((part) => part !== '' && !dropped.includes(part))
    .join('/')
}

function trimSlashes(text: string): string {
  return text.replace(/^\/+/, '').replace(/\/+$/, '')
}

function mistake(sentence: string): PackageUrlReading {
  return { ok: false, mistake: sentence }
}
