import type { PolicyGroup } from './policy-group.ts'
import type { ScanReport } from './scan-report.ts'
import type { Waiver } from '../protocol/waiver.ts'

/** The waiver of a policy of a report; undefined where it fails without one, or does not fail. */
export function waiverOf({ beside }: ScanReport, { key }: PolicyGroup): Waiver | undefined {
  return beside?.waived.get(key)
}

/** The policies of a report that fail and are waived, in its order, each with its waiver. */
export function waivedPolicies(
  report: ScanReport,
): readonly { readonly group: PolicyGroup; readonly waiver: Waiver }[] {
  return report.groups.flatMap((group) => {
    const waiver = waiverOf(report, group)
    return waiver === undefined ? [] : [{ group, waiver }]
  })
}

/** "waived until 2026-12-04 09:30 UTC by alice": times in reports are UTC, as reports travel. */
export function waiverText({ person, expiresAt }: Waiver): string {
  return `waived until ${utcText(expiresAt)} by ${person}`
}

/** "2026-12-04 09:30 UTC" of epoch ms. */
export function utcText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
