import type { Waiver } from '../protocol/waiver.ts'
import { waivedPolicies } from './report-waivers.ts'
import type { ScanReport } from './scan-report.ts'

/**
 * The report as indented JSON: the verdict, and each result as it was read. Where it is known what is
 * waived, the verdict that counts waivers and the waivers themselves stand beside what was said.
 */
export function exportJson(report: ScanReport): string {
  const { groups, evaluatedAt, verdict, beside, ...rest } = report
  return `${JSON.stringify(
    {
      ...rest,
      evaluatedAt: new Date(evaluatedAt).toISOString(),
      verdict: verdict.verdict,
      counts: verdict.counts,
      ...(beside === undefined
        ? {}
        : {
            verdictWithWaivers: beside.verdict,
            waivers: waivedPolicies(report).map(({ waiver }) => told(waiver)),
          }),
      policies: groups,
    },
    null,
    2,
  )}\n`
}

function told({
  policyUri,
  reason,
  person,
  by,
  createdAt,
  expiresAt,
  carriedFrom,
}: Waiver): object {
  return {
    policyUri,
    reason,
    person,
    by,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
    carriedFrom: carriedFrom ?? null,
  }
}
