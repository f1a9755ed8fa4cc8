import type { ScanReport } from '../policy/scan-report.ts'
import { scanVerdict } from '../policy/verdict.ts'
import type { Subject } from './subject.ts'

/** What the report of a board tells of a package that there is no answer for; `at` is epoch ms. */
export function withoutAnswer(
  { scan, purl, sha256, repositoryUrl }: Subject,
  sentence: string,
  at: number,
): ScanReport {
  return {
    scan,
    purl,
    sha256,
    repositoryUrl,
    evaluatedAt: at,
    verdict: scanVerdict([], { unreadable: 0, complete: false }),
    groups: [],
    caveats: [sentence],
  }
}
