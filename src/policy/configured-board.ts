import type { BoardOutcome } from '../protocol/board-run.ts'
import type { EvaluationSummary } from '../protocol/evaluation.ts'
import { readPackageReference } from '../protocol/package-reference.ts'
import type { SharedConfig } from '../protocol/proxy-config.ts'
import type { Board, BoardPackage, LineMistake } from './board.ts'

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

/** What a recorded run says on a board; one that an older release recorded says only which policies fail. */
export function recordedOutcome(summary: EvaluationSummary): BoardOutcome {
  const { id, by, verdict, counts, results, unreadable, reasons } = summary
  const failing = summary.failing.map((uri) => ({
    uri,
    status: 'unsatisfied' as const,
    remedy: '',
  }))
  return {
    verdict,
    counts,
    results,
    unreadable,
    by,
    evaluation: id,
    ...(reasons ?? { failing }),
  }
}
