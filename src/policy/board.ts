import {
  type PackageAddress,
  packagePath,
  readRepositoryUrl,
  readSha256,
} from '../protocol/package-address.ts'
import { readPackageReference } from '../protocol/package-reference.ts'
import type { SharedConfig } from '../protocol/proxy-config.ts'

/** A package of a board: an artifact that the scans are evaluated on. */
export interface BoardPackage {
  readonly address: PackageAddress
  /** Lower-case hex. */
  readonly sha256: string
  readonly repositoryUrl: string
  /** The only scans that it is for; undefined for all of the board. */
  readonly scans: readonly string[] | undefined
  /** Whom it belongs to, as configured. */
  readonly owner?: string | undefined
}

export interface Board {
  readonly title: string
  readonly packages: readonly BoardPackage[]
  /** The columns. */
  readonly scans: readonly string[]
  /** What must have been checked before a package may be released, as `requiredOf` reads it. */
  readonly require?: readonly string[] | undefined
}

/** One package and one scan, where that package is for that scan. */
export interface BoardPlace {
  /** Tells it apart from all others, also in other boards and later. */
  readonly key: string
  /** The place of its package in the board. */
  readonly row: number
  readonly scan: string
}

/** The cells of a board, package by package. */
export function boardPlaces({ packages, scans }: Board): readonly BoardPlace[] {
  return packages.flatMap((one, row) =>
    scans
      .filter((scan) => one.scans?.includes(scan) ?? true)
      .map((scan) => ({ key: placeKey(one, scan), row, scan })),
  )
}

function placeKey({ address, sha256, repositoryUrl }: BoardPackage, scan: string): string {
  const { type, namespace = '', name, version } = address
  return textHash(JSON.stringify([type, namespace, name, version, sha256, repositoryUrl, scan]))
}

const pastedPrefix = 'pasted-'

/** Identifies a pasted board, by its list and its scans, on this device and in decisions. */
export function pastedBoardId(text: string, scans: readonly string[]): string {
  return `${pastedPrefix}${textHash(JSON.stringify([text, scans]))}`
}

/** Whether it is the name of a pasted board, which no configuration knows. */
export function isPastedBoard(name: string): boolean {
  return name.startsWith(pastedPrefix)
}

/** A text in few letters (cyrb53, 53 bits): to distinguish some thousands, not to prove anything. */
export function textHash(text: string): string {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return (4294967296 * (2097151 & low) + (high >>> 0)).toString(36)
}

/** A line that names no package, or not enough of it. */
export interface LineMistake {
  /** From 1. */
  readonly line: number
  /** Where in the whole text, in characters. */
  readonly from: number
  readonly to: number
  readonly text: string
  /** A plain sentence: what is wrong and what to write. */
  readonly sentence: string
}

/** What is known here of a package that a line only names. */
export type KnownArtifact = (
  address: PackageAddress,
) => { readonly sha256: string; readonly repositoryUrl: string } | undefined

interface Token {
  readonly text: string
  readonly from: number
}

type LineReading =
  | { readonly ok: true; readonly found: BoardPackage }
  | { readonly ok: false; readonly at: Token; readonly sentence: string }

/**
 * Reads one package per line: a reference of any form (package URL, image, Maven coordinates, address
 * of its page), then its digest and its repository, in any order, where the reference does not hold
 * them and they are not known here. Empty lines and those that begin with # are left out.
 */
export function readBoardList(
  text: string,
  known: KnownArtifact = () => undefined,
): { readonly packages: readonly BoardPackage[]; readonly mistakes: readonly LineMistake[] } {
  const packages: BoardPackage[] = []
  const mistakes: LineMistake[] = []
  const seen = new Map<string, number>()
  let from = 0
  for (const [index, line] of text.split('\n').entries()) {
    const tokens = tokensOf(line, from)
    const [first] = tokens
    const number = index + 1
    from += line.length + 1
    if (first === undefined || first.text.startsWith('#')) continue
    const read = readLine(first, tokens.slice(1), known)
    const before = read.ok ? seen.get(lineKey(read.found)) : undefined
    if (read.ok && before === undefined) {
      seen.set(lineKey(read.found), number)
      packages.push(read.found)
      continue
    }
    const at = read.ok ? first : read.at
    mistakes.push({
      line: number,
      from: at.from,
      to: at.from + at.text.length,
      text: line.trim(),
      sentence: read.ok ? `Same as line ${before ?? 0}; evaluated once.` : read.sentence,
    })
  }
  return { packages, mistakes }
}

function readLine(first: Token, rest: readonly Token[], known: KnownArtifact): LineReading {
  const read = readPackageReference(first.text)
  if (!read.ok) return { ok: false, at: first, sentence: read.mistake }
  const { address, note, ...named } = read.reference
  let { sha256, repositoryUrl } = named
  for (const token of rest) {
    const isDigest = /^sha-?256[:=]|^[0-9a-f]{32,}$/i.test(token.text)
    const value = isDigest ? readSha256(token.text) : readRepositoryUrl(token.text)
    if (!value.ok) return { ok: false, at: token, sentence: value.mistake }
    if (isDigest && sha256 !== undefined && sha256 !== value.value) {
      const sentence = 'The line has two digests that differ. Keep the one of the package.'
      return { ok: false, at: token, sentence }
    }
    if (isDigest) sha256 = value.value
    else repositoryUrl = value.value
  }
  // What is known here is the digest of the package itself, and not of another file of it.
  const here = note === undefined ? known(address) : undefined
  sha256 ??= here?.sha256
  repositoryUrl ??= here?.repositoryUrl
  const missing = [
    ...(sha256 === undefined ? ['its digest (sha256:…)'] : []),
    ...(repositoryUrl === undefined ? ['its repository (a host with a path)'] : []),
  ]
  if (sha256 === undefined || repositoryUrl === undefined) {
    return {
      ok: false,
      at: first,
      sentence: `Add ${missing.join(' and ')} after the package. ${note ?? 'The policy service requires it.'}`,
    }
  }
  return { ok: true, found: { address, sha256, repositoryUrl, scans: undefined } }
}

/** A comma or semicolon behind a part belongs to the table that it was copied from. */
function tokensOf(line: string, from: number): readonly Token[] {
  return [...line.matchAll(/\S+/g)].flatMap((match) => {
    const text = match[0].replace(/[,;]+$/, '')
    return text === '' ? [] : [{ text, from: from + match.index }]
  })
}

function lineKey({ address, sha256, repositoryUrl }: BoardPackage): string {
  return `${packagePath(address)} ${sha256} ${repositoryUrl}`
}

/** A board as the configuration has it; a package that cannot be read is a mistake, not a gap. */
export function configuredBoard({
  name,
  title,
  packages,
  scans,
  require,
}: SharedConfig['boards'][number]): {
  readonly board: Board
  readonly mistakes: readonly LineMistake[]
} {
  const good: BoardPackage[] = []
  const mistakes: LineMistake[] = []
  for (const [index, { purl, sha256, repositoryUrl, scans: own, owner }] of packages.entries()) {
    const read = readPackageReference(purl)
    if (read.ok) {
      good.push({
        address: read.reference.address,
        sha256: sha256.toLowerCase(),
        repositoryUrl,
        scans: own.length === 0 ? undefined : own,
        owner,
      })
    } else {
      const at = { line: index + 1, from: 0, to: purl.length }
      mistakes.push({ ...at, text: purl, sentence: read.mistake })
    }
  }
  return { board: { title: title ?? name, packages: good, scans, require }, mistakes }
}
