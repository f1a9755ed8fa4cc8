/**
 * A package as the attestation and policy scan service addresses it
 * (docs/services.md#package-address).
 */
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
export function packagePath({ type, namespace, name, version }: PackageAddress): string {
  const segments = [
    'packages',
    type,
    ...(namespace === undefined ? [] : [namespace]),
    name,
    version,
  ]
  return segments.map((segment) => `/${pathSegment(segment)}`).join('')
}

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

function decodedSegments(path: string): string[] | undefined {
  const end = path.search(/[?#]/)
  try {
    return (end === -1 ? path : path.slice(0, end)).split('/').map(decodeURIComponent)
  } catch {
    return undefined
  }
}
