import type { ScanReport } from './scan-report.ts'

/** The report as indented JSON: the verdict, and each result as it was read. */
export function exportJson(report: ScanReport): string {
  const { groups, evaluatedAt, verdict, ...rest } = report
  return `${JSON.stringify(
    {
      ...rest,
      evaluatedAt: new Date(evaluatedAt).toISOString(),
      verdict: verdict.verdict,
      counts: verdict.counts,
      policies: groups,
    },
    null,
    2,
  )}\n`
}
