import { parsedUrl } from './parsed-text.ts'

/** A package as the policy service addresses it (docs/services.md#package-address). */
export interface PackageAddress {
  readonly type: string
  /** May hold slashes; left out where there is none. */
  readonly namespace?: string | undefined
  readonly name: string
  readonly version: string
}

/** One stored attestation (docs/services.md#fetch-attestation). */
export interface AttestationAddress extends PackageAddress {
  readonly digestType: string
  readonly digest: string
  /** `s3:<name>` or `af:<name>`. */
  readonly instance: string
  readonly id: string
}

/** The path of a package: the address of its page here, and what its operations begin with. */
export function packagePath(address: PackageAddress): string {
  const known = paths.get(address)
  if (known !== undefined) return known
  const { type, namespace, name, version } = address
  const segments = [
    'packages',
    type,
    ...(namespace === undefined ? [] : [namespace]),
    name,
    version,
  ]
  const path = segments.map((segment) => `/${pathSegment(segment)}`).join('')
  paths.set(address, path)
  return path
}

/** An address never changes, and a board of thousands of cells reads its path many times. */
const paths = new WeakMap<PackageAddress, string>()

/** Where a stored attestation is fetched; equal to its `attestationUri`, and to its page here. */
export function attestationPath(address: AttestationAddress): string {
  const { digestType, digest, instance, id } = address
  const rest = [`${digestType}:${digest}`, 'attestations', instance, id]
  return `${packagePath(address)}${rest.map((segment) => `/${pathSegment(segment)}`).join('')}`
}

/** Where the attestations of a package are published. */
export function publishPath(address: PackageAddress): string {
  return `${packagePath(address)}/attestations`
}

/** Where a policy scan of a package is evaluated; equal to the address of its page here. */
export function policyScanPath(address: PackageAddress, scan: string): string {
  return `${packagePath(address)}/policy-scans/${pathSegment(scan)}`
}

/**
 * Reads an `attestationUri`: the path of the fetch operation, or an absolute address that ends in
 * it. Undefined for anything else, as older servers name a place in their store instead.
 */
export function readAttestationUri(uri: string): AttestationAddress | undefined {
  const start = uri.indexOf('/packages/')
  if (start === -1) return undefined
  const segments = decodedSegments(uri.slice(start + 1))
  if (segments === undefined || (segments.length !== 8 && segments.length !== 9)) return undefined
  if (segments.includes('') || segments.at(-3) !== 'attestations') return undefined
  const [, type = ''] = segments
  const [name = '', version = '', ofFile = '', , instance = '', id = ''] = segments.slice(-6)
  const colon = ofFile.indexOf(':')
  if (colon < 1 || colon === ofFile.length - 1) return undefined
  return {
    type,
    ...(segments.length === 9 ? { namespace: segments[2] ?? '' } : {}),
    name,
    version,
    digestType: ofFile.slice(0, colon),
    digest: ofFile.slice(colon + 1),
    instance,
    id,
  }
}

/** Colons and at signs stay as the services write them; all else that is special is encoded. */
function pathSegment(text: string): string {
  return encodeURIComponent(text).replaceAll('%3A', ':').replaceAll('%40', '@')
}

/** Whether a segment is one that every URL loses, with what stands before it: it names something else then. */
export function isDots(segment: string): boolean {
  return segment === '.' || segment === '..'
}

/** A segment of a path as people write it; one that is not encoded well stays as it is. */
export function decodedSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** The path of a package without its version: what all its versions have in common. */
export function packageNameOf(packagePath: string): string {
  return packagePath.slice(0, Math.max(0, packagePath.lastIndexOf('/')))
}

/** The version that a `packagePath` names, its last segment, as people write it. */
export function versionOf(packagePath: string): string {
  return decodedSegment(packagePath.slice(packagePath.lastIndexOf('/') + 1))
}

function decodedSegments(path: string): string[] | undefined {
  const end = path.search(/[?#]/)
  try {
    return (end === -1 ? path : path.slice(0, end)).split('/').map(decodeURIComponent)
  } catch {
    return undefined
  }
}

/** A text of a form, read: its value, or what is wrong with it in a plain sentence. */
export type FieldReading =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly mistake: string }

/** Reads a SHA-256 digest as people have it, with or without `sha256:`; lower-case hex comes out. */
export function readSha256(text: string): FieldReading {
  const digest = text
    .trim()
    .toLowerCase()
    .replace(/^sha-?256[:=]/, '')
  if (digest === '') return mistake('Enter the digest: 64 hexadecimal digits.')
  const foreign = /[^0-9a-f]/.exec(digest)
  if (foreign !== null) {
    return mistake(
      `A SHA-256 digest has only hexadecimal digits, but character ${foreign.index + 1} is “${foreign[0]}”.`,
    )
  }
  return digest.length === 64
    ? { ok: true, value: digest }
    : mistake(`A SHA-256 digest has 64 hexadecimal digits, but this one has ${digest.length}.`)
}

/**
 * Reads where a package is located: a host with a path, with or without `https://`
 * (docs/services.md#package-artifact). It comes out as it was written, as servers compare it with
 * what was published.
 */
export function readRepositoryUrl(text: string): FieldReading {
  const url = text.trim()
  if (url === '') return mistake('Enter the repository: a host and a path.')
  if (/[\s"<>\\^`{|}]/.test(url)) {
    return mistake(
      "The repository contains a space or another character that isn't allowed in a URL.",
    )
  }
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase()
  if (scheme !== undefined && scheme !== 'https' && scheme !== 'http') {
    return mistake(`The repository starts with “${scheme}://”. Use https://, http:// or no scheme.`)
  }
  const whole = scheme === undefined ? `https://${url}` : url
  const parsed = parsedUrl(whole)
  if (parsed === undefined) return mistake('The repository must be a host and a path.')
  const { username, password } = parsed
  return username === '' && password === ''
    ? { ok: true, value: url }
    : mistake('The repository contains a user or password. Remove them.')
}

/** Reads the name of a policy scan, as it stands in an address. */
export function readScanName(text: string): FieldReading {
  const name = text.trim()
  if (name === '') return mistake('Enter the name of the policy scan.')
  if (name.includes('/')) return mistake("The name of a policy scan can't contain a slash.")
  if (isDots(name)) return mistake(`The name of a policy scan can't be “${name}”.`)
  return name.length <= 256
    ? { ok: true, value: name }
    : mistake('The name of a policy scan can have at most 256 characters.')
}

function mistake(sentence: string): FieldReading {
  return { ok: false, mistake: sentence }
}
