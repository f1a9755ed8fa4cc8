import type { Board, BoardPackage } from '../../../policy/board.ts'
import type { LineMistake } from '../../../policy/board-list.ts'
import { readPackageReference } from '../../../protocol/package-reference.ts'
import type { ProxyConfig } from '../../../protocol/proxy-config.ts'

/** A board as the configuration has it; a package that cannot be read is a mistake, not a gap. */
export function configuredBoard({ name, title, packages, scans }: ProxyConfig['boards'][number]): {
  board: Board
  mistakes: readonly LineMistake[]
} {
  const good: BoardPackage[] = []
  const mistakes: LineMistake[] = []
  for (const [index, { purl, sha256, repositoryUrl, scans: own }] of packages.entries()) {
    const read = readPackageReference(purl)
    if (read.ok) {
      good.push({
        address: read.reference.address,
        sha256: sha256.toLowerCase(),
        repositoryUrl,
        scans: own.length === 0 ? undefined : own,
      })
    } else {
      const at = { line: index + 1, from: 0, to: purl.length }
      mistakes.push({ ...at, text: purl, sentence: read.mistake })
    }
  }
  return { board: { title: title ?? name, packages: good, scans }, mistakes }
}
