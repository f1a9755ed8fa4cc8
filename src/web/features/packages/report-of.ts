import type { ScanReport } from '../../../policy/scan-report.ts'
import type { ScanVerdict } from '../../../policy/verdict.ts'
import type { WaivedVerdict } from '../../../policy/waived-verdict.ts'
import type { PolicyScanQuestion, PolicyScanView } from '../../data/scans/policy-scan.ts'
import { countOf } from '../../../protocol/count.ts'
import { packageText } from '../../domain/package/package-words.ts'

/**
 * What an export tells of an evaluation that ended; undefined before, or where nothing arrived. `beside`
 * counts waivers, where they are known.
 */
export function reportOf(
  { address, scan, sha256, repositoryUrl }: PolicyScanQuestion,
  view: PolicyScanView,
  verdict: ScanVerdict,
  beside: WaivedVerdict | undefined,
): ScanReport | undefined {
  const { groups, endedAt } = view
  if (endedAt === undefined || view.state.is === 'refused') return undefined
  return {
    scan,
    purl: packageText(address),
    sha256,
    repositoryUrl,
    evaluatedAt: endedAt,
    verdict,
    beside,
    groups,
    caveats: caveatsOf(view),
  }
}

/** What keeps an evaluation from being whole: sentences for people. */
export function caveatsOf({ state, results, unreadable }: PolicyScanView): readonly string[] {
  return [
    ...(state.is === 'broken'
      ? [
          `The answer broke off after ${countOf(results, 'result')}: ${state.problem.message} A failure may be among what is missing.`,
        ]
      : []),
    ...(state.is === 'cancelled'
      ? [`It was cancelled after ${countOf(results, 'result')}: there are more.`]
      : []),
    ...(unreadable > 0
      ? [
          `${countOf(unreadable, 'part')} of the answer could not be read as results: none of it counts as passed.`,
        ]
      : []),
  ]
}
