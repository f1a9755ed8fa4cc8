import {
  type PackageAddress,
  readRepositoryUrl,
  readScanName,
  readSha256,
} from '../protocol/package-address.ts'
import { packageText, readPackageReference } from '../protocol/package-reference.ts'
import type { ReleaseBoard } from '../protocol/proxy-config.ts'

/** Which scan is evaluated on which artifact (docs/services.md#evaluate). */
export interface Subject {
  readonly address: PackageAddress
  /** As people name it: its package URL. */
  readonly purl: string
  /** What tells its artifact from others of the package on its board; left out where there is none. */
  readonly apart?: string | undefined
  readonly scan: string
  /** Lower-case hex. */
  readonly sha256: string
  readonly repositoryUrl: string
  /** What of the reference counts for nothing, or may not mean what was meant: plain sentences. */
  readonly note?: string | undefined
}

/** What was said of a package; what is missing may be in its reference. */
export interface SubjectWords {
  readonly package: string | undefined
  readonly scan: string | undefined
  readonly sha256: string | undefined
  readonly repositoryUrl: string | undefined
  /** Whether a configuration says it, where the repository beside a package URL is the one that counts. */
  readonly isConfigured?: true
}

/** A subject, or all that is wrong: a plain sentence each. */
export type SubjectReading =
  | { readonly ok: true; readonly subject: Subject }
  | { readonly ok: false; readonly mistakes: readonly string[] }

/**
 * Reads a package in any form that people have it, and its artifact: said by options, or by the
 * qualifiers of a package URL, the digest of an image or the address of a page.
 */
export function readSubject(words: SubjectWords): SubjectReading {
  const mistakes: string[] = []
  const read = readPackageReference(words.package ?? '')
  if (!read.ok) {
    mistakes.push(
      words.package === undefined
        ? 'Missing package. Use its package URL, such as pkg:maven/org.acme/shop@1.2.'
        : read.mistake,
    )
  }
  const known = read.ok ? read.reference : undefined
  const scan = words.scan ?? known?.scan
  const scanRead = scan === undefined ? undefined : readScanName(scan)
  if (scanRead === undefined) mistakes.push('Missing policy scan. Use --scan with its name.')
  else if (!scanRead.ok) mistakes.push(`--scan: ${scanRead.mistake}`)

  const sha256 = readSha256(words.sha256 ?? known?.sha256 ?? '')
  if (!sha256.ok && (words.sha256 !== undefined || read.ok)) {
    mistakes.push(
      words.sha256 === undefined
        ? 'Missing digest. Use --sha256 with 64 hexadecimal digits, or a package URL with checksum=sha256:….'
        : `--sha256: ${sha256.mistake}`,
    )
  }
  if (sha256.ok && known?.sha256 !== undefined && known.sha256 !== sha256.value) {
    mistakes.push('--sha256 differs from the digest in the package. Remove one of them.')
  }
  if (
    words.repositoryUrl !== undefined &&
    known?.repositoryUrl !== undefined &&
    !words.isConfigured &&
    known.repositoryUrl !== words.repositoryUrl.trim()
  ) {
    mistakes.push(
      '--repository-url differs from the repository in the package. Remove one of them.',
    )
  }
  const place = words.repositoryUrl ?? known?.repositoryUrl
  const repository = place === undefined ? undefined : readRepositoryUrl(place)
  if (repository === undefined && read.ok) {
    mistakes.push(
      "Missing repository. Use --repository-url with the package's repository, or a package URL with repository_url=….",
    )
  } else if (repository?.ok === false) mistakes.push(`--repository-url: ${repository.mistake}`)

  if (
    known === undefined ||
    !scanRead?.ok ||
    !sha256.ok ||
    !repository?.ok ||
    mistakes.length > 0
  ) {
    return { ok: false, mistakes }
  }
  const { address, note } = known
  return {
    ok: true,
    subject: {
      address,
      purl: packageText(address),
      scan: scanRead.value,
      sha256: sha256.value,
      repositoryUrl: repository.value,
      ...(note === undefined ? {} : { note }),
    },
  }
}

/** What a board asks for, or what is wrong with it: a plain sentence each. */
export type BoardReading =
  | {
      readonly ok: true
      readonly subjects: readonly Subject[]
      /** Policies that the board requires to have been applicable. */
      readonly require: readonly string[]
    }
  | { readonly ok: false; readonly mistakes: readonly string[] }

/**
 * The packages of a board with its scans: a package that names its own is asked for those of them
 * only; `scan` takes one of the scans alone.
 */
export function boardSubjects(
  boards: readonly ReleaseBoard[],
  name: string,
  scan: string | undefined,
): BoardReading {
  const board = boards.find((one) => one.name === name)
  if (board === undefined) {
    const names = boards.map((one) => one.name).join(', ')
    const there = names === '' ? 'it has no boards' : `available boards: ${names}`
    return wrong(`The Sightline server has no release board “${name}”; ${there}.`)
  }
  if (scan !== undefined && !board.scans.includes(scan)) {
    return wrong(
      `The board “${name}” has no policy scan “${scan}”. Available scans: ${board.scans.join(', ')}.`,
    )
  }
  // A board of an older server may have them: they would pass unevaluated.
  const without = board.packages.filter(
    ({ scans: own }) => own.length > 0 && !own.some((one) => board.scans.includes(one)),
  )
  if (without.length > 0) {
    const mistakes = without.map(
      ({ purl }) => `${purl}: has none of the policy scans of the board “${name}”.`,
    )
    return { ok: false, mistakes }
  }
  const scans = scan === undefined ? board.scans : [scan]
  const read = board.packages.flatMap((offered) =>
    scans
      .filter((one) => offered.scans.length === 0 || offered.scans.includes(one))
      .map((one) => ({
        offered,
        read: readSubject({ ...offered, package: offered.purl, scan: one, isConfigured: true }),
      })),
  )
  const mistakes = read.flatMap((one) =>
    one.read.ok ? [] : one.read.mistakes.map((text) => `${one.offered.purl}: ${text}`),
  )
  if (mistakes.length > 0) return { ok: false, mistakes: [...new Set(mistakes)] }
  const subjects = read.flatMap((one) => (one.read.ok ? [one.read.subject] : []))
  return subjects.length === 0
    ? wrong(`The board “${name}” has no packages.`)
    : { ok: true, subjects: toldApart(subjects), require: board.require }
}

function toldApart(subjects: readonly Subject[]): readonly Subject[] {
  const values = new Map<string, { digests: Set<string>; repositories: Set<string> }>()
  for (const { purl, sha256, repositoryUrl } of subjects) {
    const known = values.get(purl) ?? { digests: new Set(), repositories: new Set() }
    known.digests.add(sha256)
    known.repositories.add(repositoryUrl)
    values.set(purl, known)
  }
  return subjects.map((subject) => {
    const { purl, sha256, repositoryUrl } = subject
    const known = values.get(purl)
    const parts = [
      ...((known?.repositories.size ?? 0) > 1 ? [repositoryUrl] : []),
      ...((known?.digests.size ?? 0) > 1 ? [`sha256:${sha256.slice(0, 12)}…`] : []),
    ]
    return parts.length === 0 ? subject : { ...subject, apart: parts.join(', ') }
  })
}

function wrong(sentence: string): BoardReading {
  return { ok: false, mistakes: [sentence] }
}
