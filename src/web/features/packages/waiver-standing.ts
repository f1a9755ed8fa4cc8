import { policyKey } from '../../../policy/policy-name.ts'
import { isInForce, type WaivedScan } from '../../../policy/waived-verdict.ts'
import type { Waiver } from '../../../protocol/waiver.ts'

/** Where a waiver stands at a time. */
export type WaiverStanding = 'in force' | 'ended early' | 'expired'

/** How a waiver stands at `now`, epoch ms. */
export function waiverStanding(waiver: Waiver, now: number): WaiverStanding {
  if (waiver.endedAt !== null) return 'ended early'
  return isInForce(waiver, now) ? 'in force' : 'expired'
}

/** The waivers of a scan on this artifact, in force or not, in their order. */
export function waiversOfScan(waivers: readonly Waiver[], scan: WaivedScan): readonly Waiver[] {
  return waivers.filter((waiver) => isOfArtifact(waiver, scan))
}

/**
 * Waivers in force at `now` (epoch ms) of the same scan on other versions or artifacts of the package,
 * by policy: of several the one that was given last. They count for nothing here until somebody
 * carries them on.
 */
export function waiversElsewhere(
  waivers: readonly Waiver[],
  scan: WaivedScan,
  now: number,
): ReadonlyMap<string, Waiver> {
  const found = new Map<string, Waiver>()
  for (const waiver of waivers) {
    if (waiver.scan !== scan.scan || isOfArtifact(waiver, scan) || !isInForce(waiver, now)) continue
    const key = policyKey(waiver.policyUri)
    const other = found.get(key)
    if (other === undefined || other.createdAt < waiver.createdAt) found.set(key, waiver)
  }
  return found
}

/**
 * The waivers as they were at an earlier time (epoch ms): those given later are left out, those ended
 * later are not ended.
 */
export function waiversAt(waivers: readonly Waiver[], at: number): readonly Waiver[] {
  return waivers
    .filter(({ createdAt }) => createdAt <= at)
    .map((waiver) =>
      waiver.endedAt !== null && waiver.endedAt > at
        ? { ...waiver, endedAt: null, endedBy: null }
        : waiver,
    )
}

function isOfArtifact(waiver: Waiver, { packagePath, sha256, scan }: WaivedScan): boolean {
  return waiver.packagePath === packagePath && waiver.sha256 === sha256 && waiver.scan === scan
}
