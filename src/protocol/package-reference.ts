import {
  decodedSegment,
  isDots,
  type PackageAddress,
  packagePath,
  readAttestationUri,
  readRepositoryUrl,
  readSha256,
} from './package-address.ts'
import { packageUrl, packageUrlText, readPackageUrl } from './package-url.ts'

export interface PackageReference {
  readonly form: 'package URL' | 'image reference' | 'Maven coordinates' | 'address'
  readonly address: PackageAddress
  /** Lower-case hex. */
  readonly sha256?: string
  readonly repositoryUrl?: string
  readonly scan?: string
  /** What of the text isn't in the rest, or may not mean what was meant: plain sentences. */
  readonly note?: string
}

/** A reference, or why the text is none: a plain sentence that says what to write. */
export type PackageReferenceReading =
  | { readonly ok: true; readonly reference: PackageReference }
  | { readonly ok: false; readonly mistake: string }

/**
 * Reads a package URL, an image reference (`host/path/name:tag@sha256:…`), Maven coordinates
 * (`group:artifact:version`) or the address of a page of the package, whichever it is.
 */
export function readPackageReference(given: string): PackageReferenceReading {
  const text = given.trim()
  if (text === '') return mistake('Enter a package.')
  // Half of a character has no UTF-8, and so no place in an address.
  if (/\p{Surrogate}/u.test(text)) return mistake('The package name contains a broken character.')
  if (/^pkg:/i.test(text)) return readPurl(text)
  if (/^(?:https?:\/\/[^/]+)?(?:\/[^?#]*)?\/packages\//i.test(text)) return readAddress(text)
  if (/\s/.test(text)) return mistake(`A package name can't contain spaces. ${forms}`)
  if (/^https?:\/\//i.test(text)) {
    return mistake(`This URL isn't a package page. ${forms}`)
  }
  const isMaven = !/[/@]/.test(text) && text.split(':').length > 2
  return isMaven ? readMaven(text) : readImage(text)
}

/**
 * A package as people name it, which is read as the same address: its package URL, or its path where
 * it cannot have one, or where that names another package, as some types know no capital letters.
 */
export function packageText(address: PackageAddress): string {
  const { type, namespace, name, version } = address
  const read = packageUrl({ type, namespace, name, version })
  const isSame =
    read.ok &&
    read.purl.type === type &&
    read.purl.namespace === namespace &&
    read.purl.name === name &&
    read.purl.version === version
  return isSame ? packageUrlText(read.purl) : packagePath(address)
}

/** The package at a path as people name it; a text that is no such path stays as it is. */
export function packageTextAt(path: string): string {
  const read = readPackageReference(path)
  return read.ok ? packageText(read.reference.address) : path
}

/** The package at a path in few words: "payments 3.1.0". */
export function packageWords(path: string): string {
  return path.split('/').slice(-2).map(decodedSegment).join(' ')
}

const forms =
  'Use a package URL (pkg:maven/org.acme/shop@1.2), an image reference (registry/repository/name:tag@sha256:…), Maven coordinates (group:artifact:version), or the URL of its page.'

function readPurl(text: string): PackageReferenceReading {
  const read = readPackageUrl(text)
  if (!read.ok) return mistake(read.mistake)
  const { type, namespace, name, version, qualifiers, subpath } = read.purl
  const digest = readSha256(version ?? '')
  const tag = qualifiers.get('tag')
  // The version of an image is its digest; its tag is what people call it by (purl-spec, oci).
  const isImage = type === 'oci' || type === 'docker'
  const called = isImage && digest.ok && tag !== undefined ? tag : version
  if (called === undefined) {
    return mistake('The package URL has no version. Add @ and the version after the name.')
  }
  const checksums = (qualifiers.get('checksum') ?? '')
    .split(',')
    .filter((one) => /^sha256:/i.test(one))
    .map(readSha256)
  const digests = isImage && digest.ok ? [digest, ...checksums] : checksums
  if (new Set(digests.map((one) => (one.ok ? one.value : ''))).size > 1) {
    return mistake(
      'The package URL contains SHA-256 digests that differ. Keep the one of the package.',
    )
  }
  const sha256 = digests[0] ?? readSha256('')
  const isRead = ([key, value]: readonly [string, string]): boolean =>
    key === 'repository_url' ||
    (key === 'tag' && called === tag) ||
    (key === 'checksum' && sha256.ok) ||
    // What a Maven package is unless it says otherwise (purl-spec, maven).
    (type === 'maven' && key === 'type' && value === 'jar')
  const unread = [...qualifiers].filter((one) => !isRead(one)).map((one) => one.join('='))
  return reference('package URL', addressOf(type, namespace, name, called), {
    sha256: sha256.ok ? sha256.value : undefined,
    repositoryUrl: qualifiers.get('repository_url'),
    note: noteOn(called, subpath === undefined ? unread : [...unread, `#${subpath}`]),
  })
}

/** What is said of a version, and of parts that no address of a package has. */
function noteOn(version: string, ignored: readonly string[]): string | undefined {
  const sentences = [
    ...(/^(?:[~^<>=[(]|\*$)/.test(version)
      ? [`“${version}” is taken for one version, not for a range.`]
      : []),
    ...(ignored.length === 0
      ? []
      : [`Ignored: ${ignored.join(', ')}. Only the SHA-256 digest says which file is meant.`]),
  ]
  return sentences.length === 0 ? undefined : sentences.join(' ')
}

function readImage(text: string): PackageReferenceReading {
  const at = text.indexOf('@')
  const [named, digest] = at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)]
  const sha256 = digest === undefined ? undefined : readSha256(digest)
  if (sha256?.ok === false) return mistake(`After the @ of the image: ${sha256.mistake}`)
  const slash = named.lastIndexOf('/')
  const [name = '', ...tags] = named.slice(slash + 1).split(':')
  const version = tags.join(':') || digest
  if (name === '' || named.startsWith('/')) return mistake(`This isn't a package. ${forms}`)
  if (version === undefined || tags.length > 1) {
    return mistake(
      slash === -1 && at === -1 && tags.length === 0
        ? `This isn't a package version. ${forms}`
        : 'The image reference has no version. Add a colon and a tag, or @ and a digest.',
    )
  }
  const place = slash === -1 ? '' : named.slice(0, slash)
  // Without a registry in front only the tool that it was pasted from knows which one is meant.
  const hasRegistry = /^(?:localhost|[^/]*[.:][^/]*)(?:\/|$)/.test(place)
  return reference('image reference', addressOf('oci', undefined, name.toLowerCase(), version), {
    sha256: sha256?.value,
    repositoryUrl: hasRegistry ? place : undefined,
  })
}

function readMaven(text: string): PackageReferenceReading {
  const parts = text.split(':')
  const [group = '', artifact = ''] = parts
  const version = parts.at(-1) ?? ''
  if (parts.length > 5 || parts.includes('')) {
    return mistake('Maven coordinates have the form group:artifact:version, with no part empty.')
  }
  // With a packaging of its own, and a classifier before the version.
  const [packaging, ...classifiers] = parts.slice(2, -1)
  const unread = packaging === 'jar' ? classifiers : parts.slice(2, -1)
  const note = noteOn(version, unread)
  return reference('Maven coordinates', addressOf('maven', group, artifact, version), { note })
}

function readAddress(text: string): PackageReferenceReading {
  const attestation = readAttestationUri(text)
  if (attestation !== undefined) {
    const { type, namespace, name, version, digestType, digest } = attestation
    const sha256 = readSha256(digest)
    return reference('address', addressOf(type, namespace, name, version), {
      sha256: digestType.toLowerCase() === 'sha256' && sha256.ok ? sha256.value : undefined,
    })
  }
  const [path = '', query = ''] = text.slice(text.indexOf('/packages/') + 1).split(/[?#]/)
  const parts = path.replace(/\/$/, '').split('/').map(decodedSegment).slice(1)
  const scan = parts.at(-2) === 'policy-scans' ? parts.at(-1) : undefined
  const named = scan === undefined ? parts : parts.slice(0, -2)
  if ((named.length !== 3 && named.length !== 4) || parts.includes('')) {
    return mistake(
      'The path of a package is /packages/type/namespace/name/version. Only the namespace is optional.',
    )
  }
  const search = new URLSearchParams(query)
  const sha256 = readSha256(search.get('sha256') ?? '')
  return reference(
    'address',
    addressOf(
      named[0] ?? '',
      named.length === 4 ? named[1] : undefined,
      named.at(-2) ?? '',
      named.at(-1) ?? '',
    ),
    {
      sha256: sha256.ok ? sha256.value : undefined,
      repositoryUrl: search.get('repository') ?? undefined,
      scan,
    },
  )
}

function addressOf(
  type: string,
  namespace: string | undefined,
  name: string,
  version: string,
): PackageAddress {
  return { type, ...(namespace === undefined ? {} : { namespace }), name, version }
}

function reference(
  form: PackageReference['form'],
  address: PackageAddress,
  more: Readonly<Partial<Record<'sha256' | 'repositoryUrl' | 'scan' | 'note', string | undefined>>>,
): PackageReferenceReading {
  const { type, namespace = '', name, version } = address
  const dots = [type, namespace, name, version].find(isDots)
  if (dots !== undefined) return mistake(`No part of a package's name can be “${dots}”.`)
  // As strict as where it is written by itself: no password goes into a board or an address by this way.
  const repository = more.repositoryUrl ? readRepositoryUrl(more.repositoryUrl) : undefined
  if (repository?.ok === false) return mistake(repository.mistake)
  const told = Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined))
  return { ok: true, reference: { form, address, ...told } }
}

function mistake(sentence: string): PackageReferenceReading {
  return { ok: false, mistake: sentence }
}
