import type { EvaluationSummary } from '../../../protocol/evaluation.ts'

/** A whole recorded run in which one of two policies fails, with what a test says otherwise. */
export function recordedRun(fields: Partial<EvaluationSummary> = {}): EvaluationSummary {
  const failing = fields.failing ?? ['/policies/BuildTool/supported']
  return {
    id: 'r1',
    startedAt: Date.UTC(2026, 10, 20, 9),
    endedAt: Date.UTC(2026, 10, 20, 9),
    by: 'alice',
    packagePath: '/packages/oci/checkout/2.4.0',
    sha256: 'ab'.repeat(32),
    repositoryUrl: 'registry.example.com/shop',
    scan: 'release',
    ended: 'complete',
    verdict: failing.length > 0 ? 'not-releasable' : 'releasable',
    counts: { satisfied: 1, unsatisfied: failing.length, 'not-applicable': 0, unknown: 0 },
    results: 2,
    unreadable: 0,
    failing,
    waived: [],
    ...fields,
  }
}
