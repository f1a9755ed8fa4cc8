import type { PackageAddress } from '../protocol/package-address.ts'

/** A package of a board: an artifact that the scans are evaluated on. */
export interface BoardPackage {
  readonly address: PackageAddress
  /** Lower-case hex. */
  readonly sha256: string
  readonly repositoryUrl: string
  /** The only scans that it is for; undefined for all of the board. */
  readonly scans: readonly string[] | undefined
}

/** Packages times scans: what a release is made of. */
export interface Board {
  readonly title: string
  readonly packages: readonly BoardPackage[]
  /** The columns. */
  readonly scans: readonly string[]
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

/** A text in few letters (cyrb53, 53 bits): to tell some thousands apart, not to prove anything. */
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
