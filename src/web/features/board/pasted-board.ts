import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import {
  type Board,
  type KnownArtifact,
  type LineMistake,
  readBoardList,
  textHash,
} from '../../../policy/board.ts'
import { packagePath } from '../../../protocol/package-address.ts'
import { readPackageReference } from '../../../protocol/package-reference.ts'
import { configQuery } from '../../data/core/server-config.ts'
import { scanNames } from '../../domain/package/remembered-packages.ts'
import { type PastedBoard, usePreferences } from '../../ui/device-preferences.ts'
import { useServices } from '../../data/core/services.ts'

/** What somebody pasted, read. */
export interface ReadBoard {
  /** What its results are kept under on this device. */
  readonly id: string
  readonly board: Board
  readonly mistakes: readonly LineMistake[]
}

/** Servers and proxies take addresses of about 8,000 characters; this leaves room for filters. */
const longestAddress = 6000
const mostKept = 20

/** Reads a pasted board; `known` knows packages that a line only names. */
export function readPastedBoard(
  { title, text, scans }: Omit<PastedBoard, 'id'>,
  known: KnownArtifact,
): ReadBoard {
  const { packages, mistakes } = readBoardList(text, known)
  return { id: pastedId(text, scans), board: { title, packages, scans }, mistakes }
}

/** Identifies a pasted board on this device. */
export function pastedId(text: string, scans: readonly string[]): string {
  return `pasted-${textHash(JSON.stringify([text, scans]))}`
}

/**
 * The address of a pasted board: with the whole list in it where it is short enough to be sent to a
 * colleague, else undefined.
 */
export function shareableAddress({
  title,
  text,
  scans,
}: Omit<PastedBoard, 'id'>): string | undefined {
  const search = new URLSearchParams({ list: text, scans: scans.join(',') })
  if (title !== '') search.set('title', title)
  const address = `/board?${search.toString()}`
  return address.length <= longestAddress ? address : undefined
}

/** The board of an address that holds its list; undefined where it holds none. */
export function boardInAddress(search: URLSearchParams): Omit<PastedBoard, 'id'> | undefined {
  const text = search.get('list')
  if (text === null) return undefined
  return { title: search.get('title') ?? '', text, scans: readScans(search.get('scans') ?? '') }
}

/** Names of scans, parted by commas or spaces; each once. */
export function readScans(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,;]+/).filter((name) => name !== ''))]
}

/** The boards of this device with this one first; the oldest of 20 goes. */
export function withPasted(
  boards: readonly PastedBoard[],
  board: PastedBoard,
): readonly PastedBoard[] {
  return [board, ...boards.filter(({ id }) => id !== board.id)].slice(0, mostKept)
}

/** What is known here beside the board itself. */
export interface KnownHere {
  readonly artifactOf: KnownArtifact
  /** Names of scans that were used here or stand in the configuration, those used last first. */
  readonly scans: readonly string[]
}

/** Digests and repositories of packages that were looked at here or are configured. */
export function useKnownHere(): KnownHere {
  const { packages: remembered } = usePreferences()
  const { data } = useQuery(configQuery(useServices().request))
  return useMemo(() => {
    const configured = [
      ...(data?.packages ?? []),
      ...(data?.boards ?? []).flatMap((b) => b.packages),
    ]
    const byPath = new Map<string, { sha256: string; repositoryUrl: string }>()
    for (const { purl, sha256, repositoryUrl } of configured) {
      const read = readPackageReference(purl)
      if (read.ok) byPath.set(packagePath(read.reference.address), { sha256, repositoryUrl })
    }
    for (const { address, sha256, repositoryUrl } of [...(remembered ?? [])].reverse()) {
      byPath.set(packagePath(address), { sha256, repositoryUrl })
    }
    return {
      artifactOf: (address) => byPath.get(packagePath(address)),
      scans: scanNames([...(remembered ?? []), ...configured, ...(data?.boards ?? [])]),
    }
  }, [data, remembered])
}
